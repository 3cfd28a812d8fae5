"""The volume of the Pod's spec behind a path in a program's message, with its limiting value.

The path is in the container; the fix is in the Secret, claim or directory of the Node mounted there.
"""

from __future__ import annotations

from unstuck.causes import _node_state
from unstuck.causes._node_state import PathState, explains, find_path
from unstuck.causes.volume._on_node import find_volume_path
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.pod import Placement, PodVolume, Volumes
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import KINDS_OF_KEYS, find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.quantity import format_amount
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Claim, Placement, Volumes}) | _node_state.READS
# An absolute path; not the text after `http:/` or within a word.
_PATH = regex(r"(?<![\w./:-])/(?:[\w@+-][\w.@+-]{0,100}/){0,16}[\w@+.-]{1,100}")
_PATHS = 4


def tell_place(pod: Ref, container: str | None, line: str, snap: Facts, path: str = "") -> Text:
    """Return `; /cache lies in emptyDir hot, in memory, sizeLimit 2Mi`; empty if no path of the line is known
    to lie in a volume.

    path: the subject of the line, if known.
    """
    for named in (path,) if path else find_paths(line):
        volume = find_volume(pod, container, named, snap)
        if volume is not None:
            return say("; {path} lies in {volume}", path=named, volume=name_volume(pod, volume, snap))
    return NO_TEXT


def tell_state(
    pod: Ref, container: str | None, line: str, snap: Facts, path: str = ""
) -> tuple[PathState | None, tuple[Want, ...]]:
    """Return the Node's entry behind the line's paths in hostPaths, preferably one that explains the line,
    and the open questions.

    path: the subject of the line, if known.
    """
    named = unique((*((path,) if path else ()), *find_paths(line)))
    looks = [find_path(pod, container, one, snap, line) for one in named]
    seen = [behind for behind, _ in looks if behind]
    told = next((behind for behind in seen if explains(behind).value), seen[0] if seen else None)
    return told, unique(want for _, wants in looks for want in wants)


def find_paths(line: str) -> tuple[str, ...]:
    """Return the first absolute paths that a line names, each once."""
    return unique(_PATH.findall(line)[:_PATHS])


def find_volume(pod: Ref, container: str | None, path: str, snap: Facts) -> PodVolume | None:
    """Return the volume of the Pod's spec with a path in the container; None for a path of its image, or if
    that is unknown.
    """
    at = find_volume_path(pod, container, path, snap)
    return next(
        (v for f in snap.of(Volumes, pod) for v in f.items if at and v.name == at.volume and v.type), None
    )


def name_volume(pod: Ref, volume: PodVolume, snap: Facts) -> Text:
    """Return the object behind a volume: `Secret shop-tls (volume tls)`, `hostPath /run/x (volume x) on
    Node n`.
    """
    name, what = volume.name, volume.what
    if volume.type == "emptyDir":
        return _name_empty_dir(volume)
    if volume.type == "hostPath" and what:
        node = find_node_of_pod(pod, snap)
        if node and node.name:
            return say("hostPath {path} of Node {node} (volume {name})", path=what, node=node.name, name=name)
        return say("hostPath {path} (volume {name})", path=what, name=name)
    if volume.type == "persistentVolumeClaim" and what:
        claim = Ref("PersistentVolumeClaim", pod.within, what)
        size = next((f.capacity for f in snap.of(Claim, claim) if f.capacity), None)
        has = say(" of {size}", size=format_amount("storage", size)) if size else NO_TEXT
        return say("the volume of PVC {claim}", claim=what) + has
    kind = KINDS_OF_KEYS.get(volume.type, volume.type)
    if not what:
        return say("volume {name} ({kind})", kind=kind, name=name)
    return say("{kind} {what} (volume {name})", kind=kind, what=what, name=name)


def _name_empty_dir(volume: PodVolume) -> Text:
    memory = say(", in memory") if volume.what == "Memory" else NO_TEXT
    limit = say(", sizeLimit {limit}", limit=volume.size_limit) if volume.size_limit else NO_TEXT
    return say("emptyDir {name}", name=volume.name) + memory + limit
