"""A directory with the sticky bit: in it only the owner of a file or of itself may rename or delete it."""

from __future__ import annotations

from dataclasses import replace

from unstuck.causes._node_place import find_end, find_node_place
from unstuck.causes.program._plain import mend
from unstuck.causes.program._told import ProgramMessage, make_finding
from unstuck.causes.program._volume_access import look_at_owner
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Finding
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.pod import ContainerSpec
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_STICKY, _WITH_DIRECTORY = 0o1000, 2


def find_sticky(pod: Ref, one: ProgramMessage, spec: ContainerSpec | None, snap: Facts) -> NodePath | None:
    """Return a path in a directory with the sticky bit, neither of which belongs to the program's user: it
    may not rename or delete it.
    """
    path, user = one.complaint.path, spec.user if spec else None
    if not user or not path:
        return None
    place = find_node_place(pod, one.run.name or None, path, snap)
    end = find_end(place, snap) if place else None
    if end is None or len(end.parts) < _WITH_DIRECTORY:
        return None
    above, last = end.parts[-2:]
    return end if above.mode & _STICKY and user not in (above.uid, last.uid) else None


def make_sticky_finding(pod: Ref, one: ProgramMessage, means: Text, end: NodePath) -> Finding:
    above, last = end.parts[-2:]
    node = end.about.within or ""
    whose = say(
        "; on Node {node} directory {directory} has the sticky bit (mode {mode}), so that only the owner of "
        "{path}, uid {owner}, may rename or delete it",
        node=node,
        directory=above.path,
        mode=f"{above.mode:04o}",
        path=last.path,
        owner=last.uid,
    )
    see = look_at_owner(node, above.path, last.path)
    step = mend(
        say(
            "let the program that creates {path} run as the same user, or change its owner to that user "
            "there; the sticky bit protects the files of the other users of {directory}",
            path=last.path,
            directory=above.path,
        )
    )
    return replace(make_finding(pod, one, means + whose, (see, step)), seen=(end,))
