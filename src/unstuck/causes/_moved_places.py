"""A usual place of a node that is missing or empty there, and where this Node keeps the same."""

from __future__ import annotations

from unstuck.causes import _node_config
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_config import tell_config
from unstuck.causes._node_place import READS as _PLACE_READS
from unstuck.causes._node_place import list_mounted_places
from unstuck.causes._told_by_node import NodeWords, join_words
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.paths import is_at_or_below
from unstuck.facts.regex import regex
from unstuck.knowledge.moved_places import MOVED_PLACES, MovedPlace

say = Messages(__name__)

READS: frozenset[type[Fact]] = _PLACE_READS | _node_config.READS
_MISSED = regex(
    r"(?i)no such file|not found|does(?:n't| not) exist|ENOENT|cannot (?:open|find|connect)"
    r"|can't (?:open|find)|no \S+ (?:\S+ )?(?:files? )?(?:found )?(?:in|at|under|below) /|nothing to"
    r"|missing|failed to (?:open|connect)|unable to|is the \S+ (?:daemon|service) running|\bempty\b"
)
_JOURNAL = "Storage"


def tell_moved(pod: Ref, container: str | None, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return where the Node keeps what the program misses at its usual place; empty for other messages."""
    named = [place for place in MOVED_PLACES if _is_named(place, line)]
    node = find_node(pod, snap) if named and pod.kind == "Pod" else None
    if node is None or not node.name or not _MISSED.search(line):
        return NodeWords()
    mounted = [p.path.name or "" for p in list_mounted_places(pod, container, snap)]
    place = next((place for place in named if _is_seen(place, mounted)), None)
    return _tell(place, node, snap, verify) if place else NodeWords()


def _is_named(place: MovedPlace, line: str) -> bool:
    """Tell whether the line names the place."""
    at = line.find(place.usual)
    end = at + len(place.usual)
    return at >= 0 and not line[end : end + 1].isalnum()


def _is_seen(place: MovedPlace, mounted: list[str]) -> bool:
    """Tell whether the container sees the Node's."""
    return place.usual.startswith("/sys/") or any(
        is_at_or_below(place.usual, top) or _same(place.usual, top) for top in mounted
    )


def _same(usual: str, top: str) -> bool:
    """Tell whether it is at or below a directory that has two names: /var/run is a link to /run."""
    return is_at_or_below(usual.removeprefix("/var"), top.removeprefix("/var")) and "/run/" in usual


def _tell(place: MovedPlace, node: Ref, snap: Facts, verify: Text) -> NodeWords:
    name = node.name or ""
    usual = Ref("File", node.name, place.usual)
    asked = [usual, *(Ref("File", node.name, path) for path in place.others)]
    wants = tuple(w for ref in asked if not snap.answered(w := Want(NodePath, ref)))
    here = next((f for f in snap.of(NodePath, usual) if f.whole), None)
    there = next(
        (
            f
            for ref in asked[1:]
            for f in snap.of(NodePath, ref)
            if f.parts and not f.missing and not f.parts[-1].empty
        ),
        None,
    )
    if here is None or there is None or not (here.missing or (here.parts and here.parts[-1].empty)):
        return NodeWords(wants=wants)
    path = there.about.name or ""
    says = (
        say("; on Node {node} there is no {usual}, but {path}", node=name, usual=place.usual, path=path)
        if here.missing
        else say(
            "; on Node {node} {usual} is empty, and {path} is not", node=name, usual=place.usual, path=path
        )
    )
    told = NodeWords(
        says + _explain(place, path),
        (
            Step(_advise(place, path), where="source", verify=verify),
            *_change(place, name),
        ),
        unique((here, there)),
        wants,
        decides=True,
        replaces=True,
    )
    if place.reason != "journal":
        return told
    return join_words(told, tell_config(node, (_JOURNAL,), snap, verify))


def _advise(place: MovedPlace, path: str) -> Text:
    if place.reason == "runtime" and path.endswith(".sock"):
        return say(
            "let the program use that runtime's own interface at {path}: it does not speak the same "
            "protocol; or run it on nodes that have {usual}",
            path=path,
            usual=place.usual,
        )
    if place.reason == "cgroup":
        return say(
            "take a version of the program, or its setting, for control groups of version {version}; or have "
            "the node start with the other version, if nothing there needs this one",
            version=_find_version(path),
        )
    return say("mount and read {path} in place of {usual} on such nodes", path=path, usual=place.usual)


def _explain(place: MovedPlace, path: str) -> Text:
    return {
        "journal": say(": journald keeps its journal in memory there"),
        "runtime": say(": its container runtime is another"),
        "cgroup": say(": it runs version {version} of control groups", version=_find_version(path)),
        "distribution": say(": its system keeps that there"),
    }[place.reason]


def _find_version(path: str) -> int:
    """Return the version of control groups that has this path."""
    return 2 if path.endswith("/cgroup.controllers") else 1


def _change(place: MovedPlace, node: str) -> tuple[Step, ...]:
    if place.reason != "journal":
        return ()
    return (
        Step(
            say("or have journald write to disk: Storage=persistent in journald.conf, and restart it"),
            where=place_on_node(node),
            command=command("ls {usual} /run/log/journal", usual=given.path(place.usual)),
        ),
    )
