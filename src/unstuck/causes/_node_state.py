"""States of a Node's path that explain an error: a mount without a server, a link out of the volume, a pipe
without its other end, a running program, an empty file.
"""

from __future__ import annotations

import posixpath

from unstuck.causes import _node_place
from unstuck.causes._node_place import NodePlace, find_node_place, list_wants_of_place
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, join_texts
from unstuck.facts.aspects.host import MountEntry
from unstuck.facts.aspects.node_paths import NodePath, PathLink, PathUser
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = _node_place.READS
_UNCONNECTED = regex(r"(?i)endpoint is not connected|ENOTCONN")
_BUSY = regex(r"(?i)text file busy|ETXTBSY")
_FORBIDDEN = regex(r"(?i)operation not permitted|\bEPERM\b")
_CONNECTS = regex(r"(?i)\bconnect\b|\bdial\b|\bsocket\b|ECONNREFUSED|ENOTSOCK")
_READ_ONLY = regex(r"(?i)read-only file ?system|\bEROFS\b")
_LOCKED = regex(
    r"(?i)\block|temporarily unavailable|\bEAGAIN\b|already (?:running|in use|open)|another (?:instance"
    r"|process)"
)
_TRUST = regex(r"(?i)x509|certificate|local issuer")
_ISSUER = regex(
    r"(?i)(?:issuer|issued by|signed by|authority)[^\n]{0,60}?\bCN ?= ?\"?(?P<name>[^,;/\"()\[\]{}\n]{1,80})"
)
# Certificates that a sentence names.
_NAMED = 3


@record()
class PathState(Record):
    """The Node's entry behind a path in a message. line: that message. pod: uid of the Pod. leaves: the first
    link on the way that the container follows to somewhere else, as it lies in `top` and leads out of it.
    """

    found: NodePath
    line: str = ""
    pod: str = ""
    leaves: PathLink | None = None
    top: str = ""

    @property
    def node(self) -> str:
        """Return the Node's name."""
        return self.found.about.within or ""

    @property
    def nobody(self) -> bool:
        """Tell whether it is certainly a named pipe with an end that no process has open."""
        found = self.found
        ends = {u.how for u in found.users or ()}
        return (
            found.parts[-1].kind == "fifo"
            and found.users is not None
            and "both" not in ends
            and not {"reads", "writes"} <= ends
        )

    def of_how(self, how: str, words: bool) -> PathUser | None:
        """Return the first process that uses it in this way, if the message is about such a use."""
        return next((u for u in self.found.users or () if words and u.how == how), None)

    @property
    def of_content(self) -> bool:
        """Tell whether the state is mere absence: a missing name, an empty file or an empty directory."""
        last = self.found.parts[-1]
        more = self.flagged or self.leaves or self.runner or self.locker or self.append_only or self.read_only
        return not more and bool(self.found.missing or (last.kind in ("file", "directory") and last.empty))

    @property
    def runner(self) -> PathUser | None:
        """Return the process that runs the file, if the message reports it as busy."""
        return self.of_how("runs", _BUSY.search(self.line) is not None)

    @property
    def locker(self) -> PathUser | None:
        """Return the process that holds a lock on the file, if the message is about a lock."""
        return self.of_how("locks", _LOCKED.search(self.line) is not None)

    @property
    def flagged(self) -> bool:
        """Tell whether it is immutable, if the message reports a denied change; for a missing name, check the
        directory.
        """
        return "i" in self.found.parts[-1].flags and _FORBIDDEN.search(self.line) is not None

    @property
    def no_socket(self) -> bool:
        """Tell whether a plain file or a directory is where a connection is made."""
        last, named = self.found.parts[-1], self.found.about.name or ""
        connects = _CONNECTS.search(self.line) is not None and named.rpartition("/")[2] in self.line
        return not self.found.missing and last.kind in ("file", "directory") and connects

    @property
    def append_only(self) -> bool:
        """Tell whether the file is append-only and the message reports a refused permission."""
        return "a" in self.found.parts[-1].flags and _FORBIDDEN.search(self.line) is not None

    @property
    def read_only(self) -> MountEntry | None:
        """Return the Node's own mount behind it, if that is read-only and the message reports that."""
        mount = self.found.mount
        options = mount.options.split(",") if mount else ()
        return mount if "ro" in options and _READ_ONLY.search(self.line) else None

    def decides(self, path: str) -> bool:
        """Tell whether the state leaves the message no other meaning. path: the subject of the message, if it
        is about an entry or its content; else "".
        """
        of_path = bool(path) and (self.of_content or self.leaves is not None)
        shown = (
            self.runner is not None
            or self.flagged
            or self.append_only
            or self.no_socket
            or self.read_only is not None
            or bool(self.issuer)
        )
        return of_path or shown or (self.found.served and _UNCONNECTED.search(self.line) is not None)

    @property
    def issuer(self) -> str:
        """Return the authority that the message names and the certificate file lacks; "" if there is none."""
        named = [m["name"].strip() for m in _ISSUER.finditer(self.line)]
        subjects = {c.subject for c in self.found.certificates}
        return next((name for name in named if subjects and name not in subjects), "")


def find_path(
    pod: Ref, container: str | None, path: str, snap: Facts, line: str = ""
) -> tuple[PathState | None, tuple[Want, ...]]:
    """Return the Node's entry behind a path in a container, as far as it was read, and the question that
    would read it.
    """
    place = find_node_place(pod, container, path, snap)
    if place is None:
        return None, list_wants_of_place(pod, snap, container, path)
    if place.type == "emptyDir":
        return None, ()
    want = Want(NodePath, place.path)
    found = look_up(place.path, snap)
    wants = () if snap.answered(want) else (want,)
    if found is None:
        return None, wants
    leaves = _find_leaving(pod, container, place, found, snap)
    return PathState(found, line, snap.canon(pod).uid or "", leaves, place.volume.name or ""), wants


def look_up(file: Ref, snap: Facts) -> NodePath | None:
    """Return the state of a Node's path, if it was read."""
    return next((f for f in snap.of(NodePath, file) if f.parts and (f.whole or f.served or f.error)), None)


def tell_node_file(node: str | None, path: str | None, snap: Facts) -> NodeWords:
    """Return the Node's entry at a path of its own that a daemon's message names."""
    if not node or not path or not path.startswith("/"):
        return NodeWords()
    file = Ref("File", node, path)
    want, found = Want(NodePath, file), look_up(file, snap)
    if found is None:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    return NodeWords(describe_state(PathState(found)), (), (found,))


def _find_leaving(
    pod: Ref, container: str | None, place: NodePlace, found: NodePath, snap: Facts
) -> PathLink | None:
    """Return the first link in the volume that leads elsewhere in the container than on the Node."""
    top = (place.volume.name or "").rstrip("/")
    for link in found.links:
        if not link.path.startswith(f"{top}/"):
            continue
        target = posixpath.normpath(link.target)
        if link.relative and is_at_or_below(target, top):
            continue
        inside = None if link.relative else find_node_place(pod, container, target, snap)
        if inside is None or inside.path.name != target:
            return link
    return None


def find_dangling_link(found: NodePath) -> PathLink | None:
    """Return the dangling link; None if the path has no link, or its target exists."""
    return found.links[-1] if found.links and found.missing else None


def name_process(user: PathUser) -> Text:
    """Return `process 243 (flow-agent), which belongs to no Pod`."""
    pid, comm = user.proc.pid, user.proc.comm
    if user.pod and user.pod.name:
        return say(
            "process {pid} ({comm}) of Pod {space}/{pod}",
            pid=pid,
            comm=comm,
            space=user.pod.within or "",
            pod=user.pod.name,
        )
    if user.proc.unit:
        return say("process {pid} ({comm}) of unit {unit}", pid=pid, comm=comm, unit=user.proc.unit)
    return say("process {pid} ({comm}), which belongs to no Pod,", pid=pid, comm=comm)


def describe_state(behind: PathState | None) -> Text:
    """Return `; on Node n /x/y is an empty file (0 bytes)`; empty if the state explains nothing."""
    if behind is None:
        return NO_TEXT
    found, node, path, last = behind.found, behind.node, behind.found.about.name or "", behind.found.parts[-1]
    if found.served or found.error:
        return _describe_unseen(behind)
    if link := find_dangling_link(found):
        return say(
            "; on Node {node} {link} is a link to {target}, which does not exist",
            node=node,
            link=link.path,
            target=link.target,
        ) + (_name_nearest(found))
    if (link := behind.leaves) and is_at_or_below(posixpath.normpath(link.target), behind.top):
        return say(
            "; on Node {node} {link} is a link to {target}, by a path from the root: the container follows "
            "it to its own {target}, and not to that of the Node",
            node=node,
            link=link.path,
            target=posixpath.normpath(link.target),
        )
    if link:
        return say(
            "; on Node {node} {link} is a link to {target}, which lies outside of hostPath {top}: "
            "the container follows it to its own files, and not to those of the Node",
            node=node,
            link=link.path,
            target=posixpath.normpath(link.target),
            top=behind.top,
        )
    if behind.flagged:
        return say("; on Node {node} {path} has the immutable attribute (i)", node=node, path=last.path)
    if behind.append_only:
        return say(
            "; on Node {node} {path} has the append-only attribute (a): it may be appended to, and neither "
            "truncated nor written over",
            node=node,
            path=last.path,
        )
    if mount := behind.read_only:
        return say(
            "; on Node {node} {at} is a mount of {source} ({kind}) that is read-only (ro)",
            node=node,
            at=mount.mountpoint,
            source=mount.source,
            kind=mount.fstype,
        )
    if found.missing and last.directory and last.empty:
        told = say("; on Node {node} directory {directory} is empty", node=node, directory=last.path)
        return told + (_name_mount(found) if _is_mounted_at(found, last.path) else NO_TEXT)
    if found.missing:
        return say("; on Node {node} nothing is at {path}", node=node, path=path) + _name_nearest(found)
    if last.kind == "fifo":
        return _describe_pipe(behind)
    return _describe_file(behind)


def _describe_unseen(behind: PathState) -> Text:
    found, node, mount = behind.found, behind.node, behind.found.mount
    if not found.served:
        name = found.about.name or ""
        return say(
            "; Node {node} itself cannot read {path} ({error})", node=node, path=name, error=found.error
        ) + _name_mount(found)
    if mount is None:
        return NO_TEXT
    at, source, kind = mount.mountpoint, mount.source, mount.fstype
    if kind.startswith("fuse") and _UNCONNECTED.search(behind.line):
        return say(
            (
                "; on Node {node} {at} is a FUSE mount of {source} ({kind}) whose process has ended; the "
                "mount itself was left"
            ),
            node=node,
            at=at,
            source=source,
            kind=kind,
        )
    return say(
        "; on Node {node} {at} is a mount of {source} ({kind})", node=node, at=at, source=source, kind=kind
    )


def _is_mounted_at(found: NodePath, path: str) -> bool:
    """Tell whether another file system than the root's is mounted at the path: it hides the entries below."""
    return found.mount is not None and found.mount.mountpoint == path != "/"


def _name_mount(found: NodePath) -> Text:
    mount = found.mount
    return (
        say(
            "; {at} is a mount of {source} ({kind})",
            at=mount.mountpoint,
            source=mount.source,
            kind=mount.fstype,
        )
        if mount
        else NO_TEXT
    )


def _describe_pipe(behind: PathState) -> Text:
    found, node, path = behind.found, behind.node, behind.found.parts[-1].path
    ends = {u.how for u in found.users or ()}
    if not behind.nobody:
        told = say("; on Node {node} {path} is a named pipe", node=node, path=path)
    elif not ends:
        told = say("; on Node {node} {path} is a named pipe that no process has open", node=node, path=path)
    elif "reads" in ends:
        told = say(
            "; on Node {node} {path} is a named pipe that no process has open for writing",
            node=node,
            path=path,
        )
    else:
        told = say(
            "; on Node {node} {path} is a named pipe that no process has open for reading",
            node=node,
            path=path,
        )
    waits = next((u.proc for u in found.openers if behind.pod and u.proc.pod == behind.pod), None)
    if waits:
        told += say("; process {pid} ({comm}) of the Pod waits in opening it", pid=waits.pid, comm=waits.comm)
    return told


def _describe_file(behind: PathState) -> Text:
    found, node, last = behind.found, behind.node, behind.found.parts[-1]
    if user := behind.runner:
        return say("; on Node {node} {who} runs {path}", node=node, who=name_process(user), path=last.path)
    if user := behind.locker:
        return say(
            "; on Node {node} {who} holds a lock on {path}", node=node, who=name_process(user), path=last.path
        )
    if found.certificates and _TRUST.search(behind.line):
        return _describe_certificates(behind)
    if behind.no_socket:
        return say(
            "; on Node {node} {path} is a {kind}, not a socket: no program can listen there",
            node=node,
            path=last.path,
            kind=last.kind,
        )
    if last.kind == "file" and last.empty:
        return say("; on Node {node} {path} is an empty file (0 bytes)", node=node, path=last.path)
    return NO_TEXT


def _describe_certificates(behind: PathState) -> Text:
    found = behind.found
    named = [
        say("{subject} (until {ends})", subject=c.subject, ends=f"{c.ends:%Y-%m-%d}")
        for c in found.certificates[:_NAMED]
    ]
    told = say(
        "; on Node {node} {path} holds {names}",
        node=behind.node,
        path=found.parts[-1].path,
        names=join_texts(named),
    )
    more = len(found.certificates) - _NAMED
    told += say(" and {n} more", n=more) if more > 0 else NO_TEXT
    return told + say(", and not {issuer}", issuer=behind.issuer) if behind.issuer else told


def _name_nearest(found: NodePath) -> Text:
    return (
        say(" ({name} exists in {directory})", name=found.beside[0], directory=found.parts[-1].path)
        if found.beside
        else NO_TEXT
    )


def explains(behind: PathState | None) -> Sign[NodePath]:
    """Return yes, with the Node's entry, if it explains the message; else unknown."""
    return (
        Sign(True, (behind.found,), (behind.found,)) if behind and describe_state(behind).en else Sign(None)
    )
