"""`kubectl version` and `uname -a`, and the kernel's release as people write it beside: the running versions.

Source: kubectl pkg/cmd/version (`Server Version: version.Info{…}` up to 1.27, `Server Version: v1.28.2`
since), uname(1).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.facts.aspects.host import Host
from unstuck.facts.aspects.objects import Server
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_KUBECTL = regex(
    r"^\s*(?P<side>Client|Server|Kustomize) Version: (?:v(?P<plain>\d\S{1,60})\s*$|version\.Info\{"
    r"(?P<info>.{1,1000})\}\s*$|v?\S{1,60}$)"
)
_GIT = regex(r'GitVersion:"(?P<version>v\d[^"]{1,60})"')
_UNAME = regex(r"^\s*Linux (?P<host>[A-Za-z0-9][\w.-]{0,252}) (?P<release>\d{1,3}\.\d{1,4}[\w.+-]{0,60}) #\d")
_RELEASE = regex(r"^\s*(?P<release>\d{1,3}\.\d{1,4}[\w.+-]{0,60})\s*$")
_TOLD = regex(
    r"(?i)^[\s*#>-]{0,8}(?:linux )?kernel(?: version| release)?[:=]? {1,2}"
    r"(?P<release>\d{1,3}\.\d{1,4}\.\d[\w.+-]{0,60})\s*$"
)
_NAMELESS_HOSTS = ("localhost", "localhost.localdomain")


def find(lines: Sequence[str], i: int, command: TypedCommand | None) -> int | None:
    """Return the end of the output of `kubectl version`, `uname -a` or `uname -r`."""
    end = i
    while end < len(lines) and _KUBECTL.match(lines[end]):
        end += 1
    if end > i:
        return end
    return (
        i + 1
        if _UNAME.match(lines[i])
        or _TOLD.match(lines[i])
        or (_is_asked_for(command) and _RELEASE.match(lines[i]))
        else None
    )


def _is_asked_for(command: TypedCommand | None) -> bool:
    return command is not None and command.program == "uname" and "-r" in command.words


def read(piece: Piece) -> Reading:
    """Return server about the Cluster; Host, with the kernel alone, about the node named by `uname`."""
    out = Reading()
    for n, line in enumerate(piece.lines):
        told = _KUBECTL.match(line)
        if told and told["side"] == "Server":
            inner = _GIT.search(told["info"] or "")
            version = f"v{told['plain']}" if told["plain"] else inner["version"] if inner else ""
            if version:
                out.facts.append(Server(about=Ref("Cluster"), src=piece.src(n), version=version))
        if found := _UNAME.match(line):
            named = None if found["host"] in _NAMELESS_HOSTS else Ref("Node", None, found["host"])
            about = named or piece.node or piece.block("Node")
            out.facts.append(Host(about=about, src=piece.src(n), kernel=found["release"], whole=False))
        elif alone := (_RELEASE.match(line) if _is_asked_for(piece.command) else None) or _TOLD.match(line):
            about = piece.node or piece.block("Node")
            out.facts.append(Host(about=about, src=piece.src(n), kernel=alone["release"], whole=False))
    return out
