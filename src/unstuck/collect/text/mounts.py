"""`mount`, `/proc/mounts`, `/proc/…/mountinfo` and `findmnt`: what is mounted below the Pods' directories.

Sources: util-linux mount(8) and findmnt(8), proc(5).
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.collect.text.piece import Command, Piece, Reading
from unstuck.collect.text.rows import behind
from unstuck.facts.aspects.host import MountEntry, PodMounts
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_TYPE = r"(?P<type>[a-z][\w.+-]{1,63})"
_SOURCE = r"(?P<source>\S{1,4096})"
_FORMS = (
    regex(rf"^\s*{_SOURCE} on (?P<point>/.{{0,4095}}?) type {_TYPE} \((?P<options>[^()]{{1,4096}})\)(?: \[[^\]]{{0,256}}\])?\s*$"),
    regex(rf"^\s*{_SOURCE} (?P<point>/\S{{0,4095}}) {_TYPE} (?P<options>(?:rw|ro)\b\S{{0,4096}}) \d \d\s*$"),
    regex(rf"^[\s│├└─|`-]{{0,64}}(?P<point>/\S{{0,4095}})\s+{_SOURCE}\s+{_TYPE}\s+(?P<options>(?:rw|ro)\b\S{{0,4096}})\s*$"),
)
_FULL = regex(r"^\d{1,10} \d{1,10} \d{1,6}:\d{1,6} /\S{0,4095} /\S{0,4095} (?:rw|ro)\b\S{0,1024}(?: \S{1,64}){0,8} - \S{1,64} \S+ \S+\s*$")
_POD = regex(r"^(?P<directory>/\S{0,1024}?/pods/(?P<uid>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))(?:/|$)")
_FINDMNT = regex(r"^\s*TARGET\s+SOURCE\s+FSTYPE\s+OPTIONS\s*$")


def find(lines: Sequence[str], i: int, _command: Command | None) -> int | None:
    """Lines in one of the forms."""
    if not (_FINDMNT.match(lines[i]) or _entry(lines[i])):
        return None
    return behind(lines, i + 1, _entry)


def read(piece: Piece) -> Reading:
    """PodMounts about each Pod by its uid; never whole: nothing says that the list was not cut."""
    from unstuck.collect.node.mounts import pod_mounts  # noqa: PLC0415 - the node's readers bring much with them

    out = Reading()
    entries = [(n, e) for n, line in enumerate(piece.lines) if (e := _entry(line))]
    pods = {m["uid"]: m["directory"] for _, e in entries if (m := _POD.match(e.mountpoint))}
    for uid, directory in pods.items():
        items, extra = pod_mounts(directory, [e for _, e in entries])
        first = next(n for n, e in entries if e == items[0])
        out.facts.append(PodMounts(about=Ref("Pod", uid=uid), src=piece.src(first), items=items, extra=extra, whole=False))
    return out


def _entry(line: str) -> MountEntry | None:
    if "/" not in line or len(line) > 16384:
        return None
    if _FULL.match(line):
        from unstuck.collect.node.mounts import parse_mountinfo  # noqa: PLC0415 - as above

        return next(iter(parse_mountinfo(line.strip())), None)
    for form in _FORMS:
        if found := form.match(line):
            return MountEntry(found["point"], found["type"], found["source"], options=found["options"])
    return None
