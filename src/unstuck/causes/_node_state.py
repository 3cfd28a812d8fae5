"""What a path of the Node is where that explains an error: a link that leads nowhere, an empty file, an empty directory."""

from __future__ import annotations

from unstuck.causes import _node_place
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_place import find_node_place
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_paths import NodePath, PathLink
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

READS: frozenset[type[Fact]] = _node_place.READS


def find_path(pod: Ref, container: str | None, path: str, snap: Facts) -> tuple[NodePath | None, tuple[Want, ...]]:
    """Return what the Node has behind a path in a container, as far as it was looked at, and the question that tells it."""
    place = find_node_place(pod, container, path, snap)
    if place is None or place.type != "hostPath":
        return None, ()
    want = Want(NodePath, place.path)
    return look_up(place.path, snap), () if snap.answered(want) else (want,)


def look_up(file: Ref, snap: Facts) -> NodePath | None:
    """Return what a path of the Node is, where that was seen."""
    return next((f for f in snap.of(NodePath, file) if f.whole and f.parts), None)


def find_dangling_link(found: NodePath) -> PathLink | None:
    """Return the link that leads to nothing; None if no link is on the way, or something is there."""
    return found.links[-1] if found.links and found.missing else None


def describe_state(found: NodePath | None) -> Text:
    """Return `; on Node n /x/y is an empty file (0 bytes)`; empty if what it is explains nothing."""
    if found is None:
        return NO_TEXT
    node, path, last = found.about.within or "", found.about.name or "", found.parts[-1]
    if link := find_dangling_link(found):
        return say("; on Node {node} {link} is a link to {target}, which does not exist", node=node, link=link.path, target=link.target) + (
            _name_nearest(found)
        )
    if found.missing and last.directory and last.empty:
        return say("; on Node {node} directory {directory} is empty", node=node, directory=last.path)
    if found.missing:
        return say("; on Node {node} nothing is at {path}", node=node, path=path) + _name_nearest(found)
    if last.kind == "file" and last.empty:
        return say("; on Node {node} {path} is an empty file (0 bytes)", node=node, path=last.path)
    return NO_TEXT


def _name_nearest(found: NodePath) -> Text:
    return say(" ({name} is there in {directory})", name=found.beside[0], directory=found.parts[-1].path) if found.beside else NO_TEXT


def mend_state(found: NodePath | None, verify: Text) -> tuple[Step, ...]:
    """Return what is to be done about such a path; nothing if what it is explains nothing. verify: how one
    sees that it worked.
    """
    if found is None or not describe_state(found).en:
        return ()
    node, last = found.about.within or "", found.parts[-1]
    where = place_on_node(node)
    if link := find_dangling_link(found):
        return (
            Step(
                say(
                    "point link {link} of Node {node} to an existing path, or restore {target}",
                    link=link.path,
                    node=node,
                    target=link.target,
                ),
                where=where,
                command=command("ls -la {directory} {link}", directory=given.path(last.path), link=given.path(link.path)),
                verify=verify,
            ),
        )
    if found.missing:
        return (
            Step(
                say(
                    "see what is in {directory} of Node {node}, and whether the file system that belongs "
                    "there is mounted; the owner of {path} has to restore it",
                    directory=last.path,
                    node=node,
                    path=found.about.name,
                ),
                where=where,
                command=command("findmnt -T {directory}", directory=given.path(last.path)),
                verify=verify,
            ),
        )
    return (
        Step(
            say("put the content of {path} on Node {node} back, from its owner's source or a backup", path=last.path, node=node),
            where=where,
            command=command("ls -l {path}", path=given.path(last.path)),
            verify=verify,
        ),
    )
