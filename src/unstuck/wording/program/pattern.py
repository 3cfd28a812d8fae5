"""The records of programs' last words. An area's module (`network`, `files`, …) holds its `WORDS`.

The failure is one record, the names in a line are another, so that `connection refused` of any language combines
with the host and port of any: first the groups of `LastWord.regex`, then the groups of its area's `Naming`s.
"""

from __future__ import annotations

import re

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.programs import ProgramError
from unstuck.wording.pattern import Example, Seen

# A host as a program writes it: a name, an IPv4 address, or an IPv6 address in brackets.
HOST = r"(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,252}[A-Za-z0-9_])?)"
# A path from the root, as given in a sentence or in quotes.
PATH = r"/[^\s:'\"‘’“”`(),;<>\[\]]{0,1023}"
# The names of an object and of a Namespace.
NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
SPACE = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
VERSION = r"v?\d[\w.+-]{0,40}"
# The source of words that are specific to no program.
ANY_PROGRAM = Seen("programs", "any", "their own words")


def words(pattern: str) -> re.Pattern[str]:
    """Compile the text of a pattern. Case counts: the type and the message of an exception often differ in
    nothing else.
    """
    return regex(pattern)


@record()
class LastWord(Record):
    """The failure. regex: named groups are fields of `Complaint` (`name`, `port`, `path`, `place`, `at`, `verb`, …).

    need: case-sensitive literals, one of which every match contains. seen: the source of the words.
    examples: each with its expected reading, as `error field=value …` with fields in alphabetical order.
    vague: it reports that the program failed, without a reason. unless: literals that give the same words another
    meaning. marked: the words are not specific to one program, and count only in a line that is written as an error.
    own: the words are specific to one program, so they count in any line of a log, as do the errors in `SERVERS_OWN`.
    kind: the kind of the object in `name`, if the words contain no kind of Kubernetes.
    """

    error: ProgramError
    regex: re.Pattern[str]
    need: tuple[str, ...]
    seen: tuple[Seen, ...]
    examples: tuple[Example, ...]
    vague: bool = False
    unless: tuple[str, ...] = ()
    marked: bool = False
    own: bool = False
    kind: str = ""


@record()
class Naming(Record):
    """A name that a line holds beside its failure. regex: groups as in `LastWord`. of: the errors for which
    it is read.
    """

    regex: re.Pattern[str]
    of: tuple[ProgramError, ...]
