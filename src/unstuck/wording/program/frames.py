"""The first frame of a stack that is the program's own: not its language's, nor a library's.

Go prints the innermost frame first, each as two lines; Python last; Java, .NET and JavaScript first.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.facts.regex import regex

_GO = regex(r"^\s+(?P<place>/\S{1,400}\.go:\d{1,7})(?: \+0x[0-9a-f]{1,16})?$")
_PYTHON = regex(r"^\s+File \"(?P<file>[^\"]{1,400})\", line (?P<at>\d{1,7})")
_AT = regex(
    r"^\s+at (?:.{0,300}?\(|async )?(?:file://)?(?P<place>[^\s()]{1,400}:\d{1,7})(?::\d{1,7})?\)?\s*$"
)
_JAVA = regex(
    r"^\s+at (?P<method>[\w.$/@<>]{1,300})\((?P<place>[\w$]{1,200}\.(?:java|kt|scala|groovy):\d{1,7})\)"
)
_NET = regex(r"^\s+at .{1,400} in (?P<file>\S{1,400}\.(?:cs|fs|vb)):line (?P<at>\d{1,7})")
_RUBY = regex(r"^\s+(?:\d{1,4}: )?from (?P<place>\S{1,400}\.rb:\d{1,7})")
# Of the language, or of a library.
_OTHERS = regex(
    r"/usr/(?:local/)?(?:go|lib|share)/|/pkg/mod/|/vendor/|site-packages|dist-packages|<frozen|node:|node_modules|/gems/|\(internal"
    r"|^(?:java|javax|jdk|sun|jakarta|kotlin|scala|org\.springframework|org\.apache|com\.zaxxer|io\.netty|org\.postgresql|org\.hibernate)\."
)


def find_place(lines: Sequence[str]) -> str:
    """Return `file:line` of the first own frame, "" if none is seen."""
    python = [
        f"{m['file']}:{m['at']}"
        for line in lines
        if (m := _PYTHON.match(line)) and not _OTHERS.search(m["file"])
    ]
    if python:
        return python[-1]
    for line in lines:
        for regex_ in (_JAVA, _NET, _GO, _AT, _RUBY):
            if match := regex_.match(line):
                groups = match.groupdict()
                if not _OTHERS.search(groups.get("method") or groups.get("file") or groups["place"]):
                    return groups.get("place") or f"{groups['file']}:{groups['at']}"
                break
    return ""
