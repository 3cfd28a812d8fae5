"""Further contents of a pasted text: the commands whose output it contains, and its lines about failures."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class ShownCommand(Record):
    """A command above its output. words: the program, and its arguments up to the first pipe. text: all as it
    was typed.

    host: the machine in the prompt, "" if it has none. pids: of the processes in its output, if they are few.
    """

    words: tuple[str, ...]
    text: str
    host: str = ""
    pids: tuple[int, ...] = ()


@record(kw_only=True)
class Pasted(Fact):
    """A short pasted text: the commands already run, and the things named in it. Never whole.

    about: the text, by its name. commands: in the order of the text. lines: reports of a failure that no
    program wrote.
    """

    commands: tuple[ShownCommand, ...] = ()
    lines: tuple[str, ...] = ()
    refless: ClassVar[bool] = True


@record()
class ToldError(Record):
    """One line that reports an error. by: the program that wrote it, "" if unknown. of: the object that the
    line is about.

    fatal: its writer ended with it.
    """

    complaint: Complaint
    by: str = ""
    of: Ref | None = None
    fatal: bool = False


@record(kw_only=True)
class ToldErrors(Fact):
    """Errors in a short text of programs, controllers and commands that no object's own facts show. Never
    whole.

    about: the text, by its name. items: in the order of the text, each class of error with what it names
    once.
    """

    items: tuple[ToldError, ...]
