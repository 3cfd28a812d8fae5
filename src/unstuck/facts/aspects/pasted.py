"""Further contents of a pasted text: the commands whose output it contains, and its lines about failures."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class ShownCommand(Record):
    """A command above its output. words: the program, and its arguments up to the first pipe. text: the
    complete typed text. host: the machine in the prompt, "" without one. pids: of the processes in its
    output, if they are few.
    """

    words: tuple[str, ...]
    text: str
    host: str = ""
    pids: tuple[int, ...] = ()


@record(kw_only=True)
class Pasted(Fact):
    """A short pasted text: the commands already run, and its reported failures. Never whole.

    about: the text, by its name. commands: in the order of the text. lines: reports of a failure not written
    by a program.
    """

    commands: tuple[ShownCommand, ...] = ()
    lines: tuple[str, ...] = ()
    refless: ClassVar[bool] = True


@record()
class ToldError(Record):
    """One line that reports an error. by: the program that wrote it, "" if unknown. of: the line's object.
    fatal: whether its writer ended with it.
    """

    complaint: Complaint
    by: str = ""
    of: Ref | None = None
    fatal: bool = False


@record(kw_only=True)
class ToldErrors(Fact):
    """Errors in a short text of programs, controllers and commands, beyond the objects' own facts. Never
    whole.

    about: the text, by its name. items: in the order of the text, each class of error once for each named
    object.
    """

    items: tuple[ToldError, ...]
