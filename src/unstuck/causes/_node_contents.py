"""What the hostPaths of a container hold on its Node, for a message that their own state does not explain."""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.causes._commands import place_on_node
from unstuck.causes._file_flaws import find_file_flaw, make_steps
from unstuck.causes._node_place import READS as _PLACE_READS
from unstuck.causes._node_place import NodePlace, find_node_place, list_paths_of_node, list_wants_of_place
from unstuck.causes._path_volume import find_paths
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.node_files import PathContent
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_container_spec, find_node, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = _PLACE_READS | {LastLines, NodeShape, PathContent}
# Directories that agents mount whole: their names explain nothing that the message does not name.
_COMMON = regex(
    r"^/(?:proc|sys|dev|run|boot|bin|sbin|lib|lib64|usr|etc|var|home|root|mnt|opt|srv|tmp|host)?$"
    r"|^/(?:var/)?run/|^/(?:proc|sys|dev)/|^/var/(?:log|run|lib)$|^/var/log/|^/etc/(?:cni|kubernetes|ssl|pki)\b"
    r"|^/var/lib/(?:kubelet|docker|containerd|containers|rancher|cni|etcd)\b|^/opt/cni\b|\.sock$"
)
# Errors about which no content says anything.
_OTHER = regex(
    r"(?i)connection (?:refused|reset|timed)|dial (?:tcp|udp)|no route|unreachable|i/o timeout|no such host"
    r"|lookup |resolv|deadline exceeded|no space left|ENOSPC|quota exceeded|EDQUOT|out of memory|OOM"
    r"|read-only file|too many open|address already in use|forbidden:|unauthorized|x509|tls:"
    r"|\b(?:401|403|404|429|50\d)\b"
)
_DENIED = regex(r"(?i)permission denied|EACCES|not permitted|EPERM|no such device|ENXIO|ENODEV")
_NUMBERED = regex(r"(?i)(?:\bline[ :=#]{1,2}|(?<=[\w\])])[:(](?=\d{1,6}(?:[:,)]|\s|$)))(?P<number>\d{1,6})\b")
_DEVICES = ("character device", "block device")
_FILES, _SHOWN, _LINES, _LONGEST = 4, 6, 12, 120
_UP, _MANY = 2, 6


@record()
class _Look(Record):
    """A file or directory to tell of. top: the directory of the volume. named: whether the message names it.
    of: the volume's kind.
    """

    path: Ref
    top: Ref
    named: bool = False
    of: str = "hostPath"


def tell_contents(pod: Ref, container: str | None, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return what the container's hostPaths hold that explains its last lines; else, in few words, what is
    there.
    """
    if _OTHER.search(line):
        return NodeWords()
    places = _list_places(pod, container, line, snap)
    if not places:
        return NodeWords(wants=_list_wants_of_claims(pod, container, snap))
    words = _read_words(pod, container, line, snap)
    named = [p for path in find_paths(line) if (p := find_node_place(pod, container, path, snap))]
    inner = [
        _Look(p.path, p.volume, named=True, of=_name_kind(p))
        for p in named
        if p.path != p.volume and p.type != "emptyDir"
    ]
    looks = unique((*inner, *_list_looks(places, words, snap)))
    number = next((m["number"] for m in _NUMBERED.finditer(line)), "")
    wants, found = list[Want](), list[tuple[_Look, PathContent]]()
    for look in looks:
        about = _name_about(look, looks, number, snap)
        want = Want(PathContent, about)
        wants += () if snap.answered(want) else (want,)
        found += [(look, f) for f in snap.of(PathContent, about)]
    states = tuple(want for p in places if not snap.answered(want := Want(NodePath, p.path)))
    asked = (*states, *wants)
    told = _tell_flaw(pod, found, words, snap, verify) or _tell_device(places, line, snap, verify)
    if told is None and not asked and not _DENIED.search(line):
        told = _tell_plainly(places, found, snap, verify)
    told = told or NodeWords()
    return NodeWords(told.says, told.help, told.seen, unique(asked), told.decides, told.replaces)


def tell_program(pod: Ref, container: str | None, path: str, snap: Facts, verify: Text) -> NodeWords:
    """Return what a program is that the container takes from its Node; empty for one of its image."""
    place = find_node_place(pod, container, path, snap) if path.startswith("/") else None
    if place is None or not (place.path.name or "").startswith("/"):
        return NodeWords()
    want = Want(PathContent, place.path)
    wants = () if snap.answered(want) else (want,)
    found = [(_Look(place.path, place.volume, named=True), f) for f in snap.of(PathContent, place.path)]
    told = _tell_flaw(pod, found, path, snap, verify)
    if told is not None:
        return NodeWords(told.says, told.help, told.seen, wants, decides=True, replaces=True)
    says = say(
        "; the program lies in hostPath {top} of Node {node}, and not in the image",
        top=place.volume.name,
        node=place.volume.within,
    )
    form = found[0][1].form if found else ""
    says += say("; by its first bytes it is: {form}", form=form) if form else NO_TEXT
    return NodeWords(says, (), tuple(f for _, f in found), wants, replaces=True)


def _list_places(pod: Ref, container: str | None, line: str, snap: Facts) -> tuple[NodePlace, ...]:
    """Return the places of hostPaths and local volumes, without those that agents mount whole unless the
    message names them.
    """
    places = list_paths_of_node(pod, container, snap)
    return tuple(p for p in places if not _COMMON.search(p.path.name or "") or (p.path.name or "/") in line)


def _list_wants_of_claims(pod: Ref, container: str | None, snap: Facts) -> tuple[Want, ...]:
    """Return the questions whether a claim that the container mounts is a directory of its Node."""
    spec = find_container_spec(pod, container, snap)
    at = [path for path, _ in spec.mounts] if spec else []
    return unique(want for path in at for want in list_wants_of_place(pod, snap, container, path))


def _read_words(pod: Ref, container: str | None, line: str, snap: Facts) -> str:
    """Return the message with the last lines of the container's log, in which it may name a file."""
    lines = [
        text for f in snap.of(LastLines, make_container_ref(pod, container)) for text in f.lines[-_LINES:]
    ]
    return "\n".join((line, *lines))


def _list_looks(places: tuple[NodePlace, ...], words: str, snap: Facts) -> Iterator[_Look]:
    """Yield each hostPath, and of a directory the files that the words name; all of a small one."""
    for place in places:
        named = (place.path.name or "").rpartition("/")[2] in words
        yield _Look(place.path, place.path, named, _name_kind(place))
        for found in snap.of(PathContent, place.path):
            files = [n for n in found.names if not n.endswith("/")]
            told = [n for n in files if n in words]
            for name in (told or (files if len(files) <= _FILES else []))[:_FILES]:
                path = f"{(place.path.name or '').rstrip('/')}/{name}"
                yield _Look(Ref("File", place.path.within, path), place.path, name in told, _name_kind(place))


def _name_kind(place: NodePlace) -> str:
    return "hostPath" if place.type == "hostPath" else "local volume"


def _name_about(look: _Look, looks: tuple[_Look, ...], number: str, snap: Facts) -> Ref:
    """Return the file, or its line with this number if the message can mean no other file."""
    # Only a hostPath that was read is known to be no directory.
    plain = look.path != look.top or any(f.form != "directory" for f in snap.of(PathContent, look.path))
    files = [one for one in looks if one.path != one.top] or list(looks)
    meant = [one for one in files if one.named] or files
    if number and plain and meant == [look]:
        return Ref("FileLine", look.path.within, f"{look.path.name}:{number}")
    return look.path


def _tell_flaw(
    pod: Ref, found: list[tuple[_Look, PathContent]], words: str, snap: Facts, verify: Text
) -> NodeWords | None:
    node = find_node(pod, snap)
    labels = dict(next((f.labels for f in snap.of(NodeShape, node)), ())) if node else {}
    processor = labels.get("kubernetes.io/arch", "")
    flawed = [(look, f, flaw) for look, f in found if (flaw := find_file_flaw(f, words, processor))]
    look, fact, flaw = (
        next((one for one in flawed if one[0].named), flawed[0]) if flawed else (None, None, None)
    )
    if look is None or fact is None or flaw is None:
        return None
    name = look.path.within or ""
    return NodeWords(
        _name_place(look) + flaw.says,
        make_steps(name, fact.path, flaw, verify),
        (fact,),
        replaces=bool(flaw.change.en),
    )


def _name_place(look: _Look) -> Text:
    path, top = look.path, look.top
    if path == top:
        return say("; on Node {node} {of} {path} ", node=path.within, of=look.of, path=path.name)
    return say(
        "; on Node {node} {path} ({of} {top}) ", node=path.within, path=path.name, of=look.of, top=top.name
    )


def _tell_device(places: tuple[NodePlace, ...], line: str, snap: Facts, verify: Text) -> NodeWords | None:
    """Return the mount that lets no device file be opened, for a message that a device is closed."""
    if not _DENIED.search(line):
        return None
    for place in places:
        for found in snap.of(NodePath, place.path):
            mount = found.mount
            if mount is None or "nodev" not in mount.options.split(",") or found.missing:
                continue
            device = found.parts[-1].kind in _DEVICES if found.parts else False
            at = mount.mountpoint
            return NodeWords(
                say(
                    "; on Node {node} {at} ({kind}) is mounted with nodev: no device file there can "
                    "be opened, whatever its mode",
                    node=place.path.within,
                    at=at,
                    kind=mount.fstype,
                ),
                (
                    Step(
                        say(
                            "if there is to be a device below {path}: mount the device itself from /dev, or "
                            "mount {at} of Node {node} without nodev (remount,dev, and in /etc/fstab)",
                            path=place.path.name,
                            at=at,
                            node=place.path.within,
                        ),
                        where=place_on_node(place.path.within),
                        command=command(
                            "findmnt -T {path}; ls -l {path}", path=given.path(place.path.name or "")
                        ),
                        verify=verify,
                    ),
                ),
                (found,),
                replaces=device,
            )
    return None


def _tell_plainly(
    places: tuple[NodePlace, ...], found: list[tuple[_Look, PathContent]], snap: Facts, verify: Text
) -> NodeWords | None:
    """Return what is there, without a judgement: an absence first, then a link, a value, names."""
    for place in places:
        for state in snap.of(NodePath, place.path):
            if told := _tell_absence(place, state, found, verify):
                return told
    says, seen = NO_TEXT, list[Fact]()
    for place in places[:_UP]:
        linked = next((f for f in snap.of(NodePath, place.path) if f.links and not f.missing), None)
        if linked and linked.links[0].path == place.path.name:
            says += say(
                "; on Node {node} hostPath {path} is a link to {target}",
                node=place.path.within,
                path=place.path.name,
                target=linked.links[-1].target,
            )
            seen.append(linked)
    for look, one in found:
        inner = look.path != look.top and one.form == "directory"
        if len(seen) < _UP and not inner and (shown := _show(one)).en:
            says += _name_place(look) + shown
            seen.append(one)
    return NodeWords(says, (), tuple(seen)) if says.en else None


def _tell_absence(
    place: NodePlace, state: NodePath, found: list[tuple[_Look, PathContent]], verify: Text
) -> NodeWords | None:
    if not state.parts or state.served or state.error:
        return None
    node, path, last = place.path.within or "", place.path.name or "", state.parts[-1]
    content = next((f for look, f in found if look.path == place.path), None)
    beside = state.beside if state.missing else content.beside if content else ()
    if state.missing:
        says = say("; on Node {node} hostPath {path} does not exist", node=node, path=path)
    elif last.empty and last.directory:
        says = say("; on Node {node} hostPath {path} is an empty directory", node=node, path=path)
    elif last.empty and last.kind == "file":
        says = say("; on Node {node} hostPath {path} is an empty file (0 bytes)", node=node, path=path)
    else:
        return None
    above = path.rpartition("/")[0] or "/"
    near = f"{above.rstrip('/')}/{beside[0]}" if beside else ""
    change = (
        say(
            "if {near} is meant: set that path in the hostPath volume, or put the files at {path}",
            near=near,
            path=path,
        )
        if near
        else say(
            "put the files of {path} back on Node {node}, or mount what belongs there", path=path, node=node
        )
    )
    return NodeWords(
        says + (say("; beside it is {near}", near=near) if near else NO_TEXT),
        (
            Step(
                change,
                where=place_on_node(node),
                command=command(
                    "ls -la {path} {above}; findmnt -T {path}", path=given.path(path), above=given.path(above)
                ),
                verify=verify,
            ),
        ),
        (state, *((content,) if content and near else ())),
    )


def _show(found: PathContent) -> Text:
    """Return a clause with the value of a short file or the names in a directory; empty for others."""
    if found.form == "directory" and found.names:
        names = list_names(name[:_LONGEST] for name in found.names[:_SHOWN])
        more = found.count - min(len(found.names), _SHOWN)
        return say("holds {names}", names=names) + (say(" and {n} more", n=more) if more > 0 else NO_TEXT)
    return say("holds “{value}”", value=found.value) if found.value else NO_TEXT
