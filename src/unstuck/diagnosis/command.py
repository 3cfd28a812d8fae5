"""A command for a person to run: its words, and the one line that a POSIX shell reads as exactly these words.

The text between the values is our own: a template, split into words before a value is filled in, so that no
value becomes a second word, an operator or an option. Values come in through `diagnosis/given.py` alone. See
docs/why/commands.md.
"""

from __future__ import annotations

import json
import re
import shlex
from functools import cache
from itertools import pairwise

from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

# An operator or a redirection, or a word with its quotes. `$(…)` is one word, and never holds a slot.
_TOKEN = regex(
    r"""\s*(?:
        (?P<operator> [;|&]+ | \d?[<>]{1,2}(?:&\d|\s*[^\s;|&<>'"]+) )
      | (?P<word> (?: '[^']*' | "(?:\\.|[^"\\])*" | \$\([^()]*\) | \\. | [^\s'"\\;|&<>] )+ )
    )""",
    re.VERBOSE | re.DOTALL,
)
# Characters of an unfit value that are shown.
_SHOWN = 100
# `{end}` is of JSONPath.
_SLOT = regex(r"\{(?!end\})([a-z_]+)\}")
# A word that the reader replaces with a name; within an argument, so that `custom-columns=NAME:…` and `-o
# NAME,TYPE` are left alone.
PLACEHOLDER = regex(
    r"(?:^|[/\"= ])(NODE|NAME|NAMESPACE|POD|PID|HOST|REGISTRY|RELEASE|MESSAGE|MANIFEST\.yaml"
    r"|PATH-OF-THE-OBJECT)"
    r"(?=$|[\"?/:; ](?!\.metadata))"
)
_QUOTED = regex(r"""'[^']*'|\\.""", re.DOTALL)
_QUOTING = regex(r"""['"\\]""")
_DOUBLE_QUOTED = regex(r'"(?:\\.|[^"\\])*"', re.DOTALL)


@record()
class Unfit(Record):
    """A value that no command may contain. what: the kind of thing that it should name. value: the value as
    found.
    """

    what: Text
    value: str

    @property
    def says(self) -> Text:
        """Say why there is no command, with the value as evidence."""
        shown = json.dumps(
            self.value[:_SHOWN] + ("…" if len(self.value) > _SHOWN else ""), ensure_ascii=False
        )
        return say("no command: {shown} cannot be {what}", shown=shown, what=self.what)


@record()
class Words(Record):
    """The content of a template's slot: mostly one word. unfit: the values that rule out any command."""

    words: tuple[str, ...] = ()
    unfit: tuple[Unfit, ...] = ()


@record()
class Command(Record):
    """argv: its words, for a program to run; through `sh -c` if the line has operators. line: the same for a
    person's shell.

    Both are empty if there is no command; unfit: why.
    """

    argv: tuple[str, ...] = ()
    line: str = ""
    unfit: tuple[Unfit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.argv)

    @property
    def why_none(self) -> tuple[Text, ...]:
        """The value that prevents the command, and the thing that it cannot name."""
        return tuple(dict.fromkeys(u.says for u in self.unfit))


NO_COMMAND = Command()


@record()
class _Part(Record):
    """A word, or text that the shell interprets (`|`, `>file`, `$(…)`, `*`). text: without quotes if it is
    a word, else verbatim.
    """

    text: str
    word: bool
    slots: tuple[str, ...] = ()


def command(template: str, **values: Words) -> Command:
    """Fill a template with these values; return no command if one of them is unfit.

    template: a literal, written as for a shell; `{name}` is a slot. A word with a slot is repeated for each
    word of the value. Errors: KeyError if a slot has no value, ValueError if a template has a slot in a part
    that the shell interprets.
    """
    parts = _parse(template)
    if unfit := tuple(u for value in values.values() for u in value.unfit):
        return Command(unfit=unfit)
    filled = [(part, _fill(part, values)) for part in parts]
    words = tuple(word for _, found in filled for word in found)
    if all(part.word for part in parts):
        return Command(words, shlex.join(words))
    return Command(
        _run_by_shell(filled), _line([(part, tuple(shlex.quote(w) for w in found)) for part, found in filled])
    )


@cache
def list_slots(template: str) -> frozenset[str]:
    """Return the names of a template's slots. Errors: ValueError as for `command`."""
    return frozenset(name for part in _parse(template) for name in part.slots)


def _fill(part: _Part, values: dict[str, Words]) -> tuple[str, ...]:
    """Return the words of a part: one for each word of its value, with the text around the slot."""
    if not part.slots:
        return (part.text,)
    if len(part.slots) == 1:
        return tuple(_SLOT.sub(lambda _, word=word: word, part.text) for word in values[part.slots[0]].words)  # type: ignore[misc]
    return (_SLOT.sub(lambda m: _single(values[m[1]]), part.text),)


def _single(value: Words) -> str:
    (word,) = value.words
    return word


def _line(filled: list[tuple[_Part, tuple[str, ...]]]) -> str:
    """Return the words, quoted by now, joined with the parts that the shell interprets."""
    line = ""
    for part, words in filled:
        for text in words if part.word else (part.text,):
            line += text if not line or text == ";" else f" {text}"
    return line


def _run_by_shell(filled: list[tuple[_Part, tuple[str, ...]]]) -> tuple[str, ...]:
    """Return the command through `sh -c`, which gets every value as a parameter of its own: the script is
    our own text alone.
    """
    given = tuple(word for part, words in filled if part.slots for word in words)
    places = iter(range(1, len(given) + 1))
    script = [
        (p, tuple(f'"${{{next(places)}}}"' if p.slots else shlex.quote(w) for w in words))
        for p, words in filled
    ]
    return ("sh", "-c", _line(script), *(("sh", *given) if given else ()))


@cache
def _parse(template: str) -> tuple[_Part, ...]:
    parts: list[_Part] = []
    at = 0
    while at < len(template.rstrip()):
        if (found := _TOKEN.match(template, at)) is None:
            raise ValueError(f"no words of a shell: {template[at:]!r}")
        parts.append(
            _part(found["word"], operator=False) if found["word"] else _part(found["operator"], operator=True)
        )
        at = found.end()
    if any(a.text == "-c" and b.slots and parts[0].text == "sh" for a, b in pairwise(parts)):
        raise ValueError(f"a value would be read as part of a script: {template!r}")
    return tuple(parts)


def _part(text: str, *, operator: bool) -> _Part:
    slots_ = tuple(_SLOT.findall(text))
    if not operator and not _means_more(_SLOT.sub("", text)):
        # Few words of our own have quotes.
        (word,) = shlex.split(text, comments=False) if _QUOTING.search(text) else (text,)
        return _Part(word, True, slots_)
    if slots_:
        raise ValueError(f"a value would be read by the shell: {text!r}")
    return _Part(text, False)


def _means_more(text: str) -> bool:
    """Tell whether a shell would change this word: a substitution, file names, a comment, a home
    directory.
    """
    bare = _QUOTED.sub("", text)
    doubles = "".join(_DOUBLE_QUOTED.findall(bare))
    return bool(re.search(r"[$`]", doubles) or re.search(r"[$`*?\[()]|^[#~]", _DOUBLE_QUOTED.sub("", bare)))
