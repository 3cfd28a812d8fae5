"""Two manifests of a Node define the same static Pod

## How it happens

The kubelet reads every file in its directory of static Pods except those whose names begin with a dot,
regardless of the extension. A copy left beside the manifest (`edge.yaml.bak`, `edge.yaml.orig`, the file of
an editor) defines the same Pod again. The kubelet runs one of them: a correction of the other has no effect.

## How to tell

The Pod is a static one and is not ready, and on its Node two files in `staticPodPath` have its name and
Namespace and different definitions.

## Known limits

The one that the kubelet runs is not known: it depends on the order of reading. A fault in the running one is
reported by the cause below. Static Pods from a URL are not looked at.

## References

- Kubernetes pkg/kubelet/config/file.go (extractFromDir), pkg/kubelet/pod_workers.go (allowStaticPodStart),
  1.22–1.34
- Kubernetes documentation: Create static Pods
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, some
from unstuck.diagnosis.text import Messages, same_in_both, who
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kubelet import StaticManifests
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.pod import Containers, Life, Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod, make_container_ref, make_program_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)


@record()
class _Manifests(Record):
    """The files that define one Pod, by their names in a directory."""

    directory: str
    names: tuple[str, ...]


def _rule(pod: Ref, snap: Facts) -> Signs:
    mirror = some(snap, Life, pod, lambda f: [f] if f.mirror else [])
    waits = some(
        snap, Conditions, pod, lambda f: [c for c in f.items if c.type == "Ready" and c.status != "True"]
    )
    node = find_node_of_pod(pod, snap)
    twice: Sign[_Manifests] = Sign(None, wants=() if node else (Want(Placement, pod),))
    if node and all(f.rivals is not None for f in snap.of(StaticManifests, node)):
        twice = some(snap, StaticManifests, node, lambda f: _list_manifests_of(pod, f))
    return Signs(
        applies=mirror,
        necessary={"it is not ready": waits},
        decisive={
            "two files of its Node define it, and differ": twice
            if mirror.value and waits.value
            else Sign(None)
        },
        finding=lambda: _make_finding(pod, node or Ref("Node"), twice.hits[0], snap),
    )


def _list_manifests_of(pod: Ref, f: StaticManifests) -> list[_Manifests]:
    return [
        _Manifests(f.path, one.files)
        for one in f.rivals or ()
        if (one.pod.within, one.pod.name) == (pod.within, pod.name)
    ]


def _copy_of(names: tuple[str, ...]) -> str:
    """Return the file that is a copy by its name, which extends another's; "" if none does."""
    return next((n for n in names for other in names if n != other and n.startswith(other)), "")


def _make_finding(pod: Ref, node: Ref, twice: _Manifests, snap: Facts) -> Finding:
    paths = [f"{twice.directory}/{n}" for n in twice.names]
    copy = _copy_of(twice.names)
    aside = f"/root/{copy}"
    path = f"{twice.directory}/{copy}"
    containers = [c.name for f in snap.of(Containers, pod) for c in f.items]
    keep = Step(
        say(
            (
                "decide which one is intended, and move the others out of {directory}; the Pod then "
                "restarts from the remaining file"
            ),
            directory=twice.directory,
        ),
        where=place_on_node(node.name),
        risk="disrupts",
        verify=say("the kubelet starts the Pod within 20 s"),
    )
    if copy:
        keep = Step(
            say(
                "if {copy} is the copy that its name says, move it out of {directory}; the Pod then ends "
                "and starts as the other file has it",
                copy=copy,
                directory=twice.directory,
            ),
            where=place_on_node(node.name),
            command=command(
                "mv --backup=numbered {path} {aside}", path=given.path(path), aside=given.path(aside)
            ),
            risk="disrupts",
            undo=command("mv {aside} {path}", path=given.path(path), aside=given.path(aside)),
            verify=say("the kubelet starts the Pod within 20 s"),
        )
    return Finding(
        say(
            "{pod} is defined by {n} files on Node {node} that differ: {files}; the kubelet reads all of "
            "them and runs one, so that a correction of another does nothing",
            pod=who(pod),
            n=len(paths),
            node=node.name,
            files=same_in_both(", ".join(paths)),
        ),
        culprit=Ref("File", node.name, path if copy else paths[-1]),
        blocks=(
            pod,
            *(r for c in containers for r in (make_container_ref(pod, c), make_program_ref(pod, c))),
        ),
        help=(
            Step(
                say("see how they differ"),
                where=place_on_node(node.name),
                command=command("diff {one} {other}", one=given.path(paths[0]), other=given.path(paths[1])),
            ),
            keep,
        ),
        do_not=(
            DoNot(
                say("edit or delete the mirror Pod"),
                say(
                    "it only shows what the kubelet runs: a change of it does nothing, and the kubelet "
                    "makes it again"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="kubelet.static-pod-defined-twice",
    title=say("two manifests define the same static Pod"),
    subjects=("Pod",),
    stages=(),
    reads=frozenset({Conditions, Containers, Life, Placement, StaticManifests}),
    rule=_rule,
)
