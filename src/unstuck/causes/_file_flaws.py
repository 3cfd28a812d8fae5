"""The flaws of a file on a node that explain a reader's error, and the steps against them: the marks of a
merge, another form than its name says, a cut end, bytes of another encoding, the line that the words name.
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_files import PathContent, TextLine
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

_QUOTED = 100
# The forms of files by the ends of their names.
_FORMS = (
    (regex(r"(?i)\.(?:gz|tgz)$"), ("gzip",)),
    (regex(r"(?i)\.(?:zip|jar|war|whl|apk|vsix|docx|xlsx)$"), ("zip",)),
    (regex(r"(?i)\.(?:xz|txz)$"), ("xz",)),
    (regex(r"(?i)\.(?:zst|zstd)$"), ("zstd",)),
    (regex(r"(?i)\.(?:bz2|tbz2)$"), ("bzip2",)),
    (regex(r"(?i)\.tar$"), ("tar",)),
    (regex(r"(?i)\.sqlite3?$"), ("SQLite",)),
    (regex(r"(?i)\.safetensors$"), ("safetensors",)),
    (regex(r"(?i)\.gguf$"), ("GGUF",)),
    (regex(r"(?i)\.so(?:\.\d+)*$"), ("ELF",)),
    (regex(r"(?i)\.png$"), ("PNG",)),
    (regex(r"(?i)\.pdf$"), ("PDF",)),
    (
        regex(r"(?i)\.(?:json|ya?ml|toml|ini|conf|cfg|properties|csv|tsv|txt|rules|list)$"),
        ("text", "foreign text"),
    ),
)
_PAGE = regex(r"(?i)\.(?:x?html?|xml|tmpl|tpl|php|asp|jsp|md)$")
_ENCODING = regex(
    r"(?i)utf-?(?:8|16)|codec|unicode|encoding|charset|invalid (?:\w+ )?(?:byte|character|sequence)|malformed"
    r"|invalid continuation|illegal character|non-?ascii|decod|\bBOM\b|\\x[89a-f][0-9a-f]|\ufffd"
)
_RETURN = regex(
    r"\\r|\^M|\r|(?i:carriage|line end|unexpected (?:char|token)|not found|unknown|invalid|no such)"
)


@record()
class FileFlaw(Record):
    """A flaw of a file. says: a clause that continues a sentence. change: the change to make; empty for one
    that is only shown. first, last: the lines to look at, 0 without one.
    """

    says: Text
    change: Text = NO_TEXT
    first: int = 0
    last: int = 0


def find_file_flaw(found: PathContent, words: str, processor: str = "") -> FileFlaw | None:
    """Return the flaw that explains these words of a program; None without one. processor: the node's."""
    name = found.path.rpartition("/")[2]
    if found.marks:
        return _tell_marks(found)
    if found.form == "zeros":
        return FileFlaw(
            say("holds nothing but zero bytes ({size} of them)", size=found.size),
            say("as after a crash of the machine: write the file again"),
        )
    if found.form == "HTML" and not _PAGE.search(name):
        return FileFlaw(
            say("is an HTML page ({size} bytes), as a server answers in place of a file", size=found.size),
            say("fetch the file again, and check the answer's status before it is saved"),
        )
    if found.form == "pointer of git-lfs":
        return FileFlaw(
            say("is a pointer of git-lfs ({size} bytes), and not the file itself", size=found.size),
            say("fetch the file itself: git lfs pull"),
        )
    wanted = next((forms for pattern, forms in _FORMS if pattern.search(name)), ())
    if wanted and found.form and found.form not in wanted and "text" not in (*wanted, found.form):
        return _tell_form(found, wanted[0])
    if wanted and found.form == "text" and "text" not in wanted:
        return _tell_form(found, wanted[0])
    if found.expected:
        return FileFlaw(
            say(
                "is cut short: it has {size} of the {expected} bytes that its header tells",
                size=found.size,
                expected=found.expected,
            ),
            say("copy the whole file again"),
        )
    if found.form == "ELF" and found.processor and processor and found.processor != processor:
        return FileFlaw(
            say(
                "is a program for {built}, and the node's processor is {processor}",
                built=found.processor,
                processor=processor,
            ),
            say("put the build for {processor} there", processor=processor),
        )
    return _find_flaw_of_text(found, words)


def _find_flaw_of_text(found: PathContent, words: str) -> FileFlaw | None:
    if found.form in ("foreign text", "UTF-16 text") and _ENCODING.search(words):
        where = found.foreign
        at = (
            say("; line {number} is “{text}”", number=where.number, text=where.text[:_QUOTED])
            if where
            else NO_TEXT
        )
        return FileFlaw(
            say("is not UTF-8") + at,
            say("convert it (iconv -t UTF-8), or set the program to its encoding"),
            where.number if where else 0,
            where.number if where else 0,
        )
    if found.broken is not None:
        return _tell_broken(found, found.broken)
    if found.line is not None:
        return _tell_line(found.line)
    if found.returns and _RETURN.search(words):
        return FileFlaw(
            say("has lines that end with a carriage return (CRLF)"),
            say("write it with plain line ends (dos2unix)"),
        )
    return None


def _tell_marks(found: PathContent) -> FileFlaw:
    first, last = found.marks[0], found.marks[-1]
    return FileFlaw(
        say(
            "holds the marks of an unsolved merge: line {first} “{begin}”, line {last} “{end}”",
            first=first.number,
            begin=first.text[:_QUOTED],
            last=last.number,
            end=last.text[:_QUOTED],
        ),
        say("resolve the conflict in it, as its source has it"),
        first.number,
        last.number,
    )


def _tell_broken(found: PathContent, line: TextLine) -> FileFlaw:
    """Return the flaw of a document that does not parse; one that ends early is told as that."""
    if found.lines is not None and line.number >= found.lines:
        says = say(
            "ends before its document is complete: {size} bytes, the last line is “{text}”",
            size=found.size,
            text=line.text[:_QUOTED],
        )
    else:
        says = say(
            "is no valid document: line {number} is “{text}”", number=line.number, text=line.text[:_QUOTED]
        )
    return FileFlaw(says, say("put the whole and valid file there"), line.number, line.number)


def _tell_form(found: PathContent, wanted: str) -> FileFlaw:
    form = {"text": "plain text", "binary": "of an unknown binary form"}.get(found.form, found.form)
    return FileFlaw(
        say("is {form} by its first bytes, and not {wanted} as its name says", form=form, wanted=wanted),
        say("put the right file there, or name it by its form"),
    )


def _tell_line(line: TextLine) -> FileFlaw:
    return FileFlaw(
        say("has in line {number}: “{text}”", number=line.number, text=line.text[:_QUOTED]),
        say("correct that line"),
        line.number,
        line.number,
    )


def make_steps(node: str, path: str, flaw: FileFlaw, verify: Text) -> tuple[Step, ...]:
    """Return the step against a flaw: on the node, with the command that shows it."""
    if not flaw.change.en:
        return ()
    show = (
        command(
            "sed -n {first},{last}p {path}",
            first=given.number(flaw.first),
            last=given.number(flaw.last),
            path=given.path(path),
        )
        if flaw.first
        else command("file {path}; ls -l {path}", path=given.path(path))
    )
    return (
        Step(
            say("{path} on Node {node}: ", path=path, node=node)
            + flaw.change
            + say("; compare it with a Node where this works"),
            where=place_on_node(node),
            command=show,
            verify=verify,
        ),
    )
