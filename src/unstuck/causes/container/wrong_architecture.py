"""The container's program is built for another CPU architecture

## How it happens

The image was built for one architecture and runs on another: an image built on an arm64 laptop for amd64
Nodes, a manifest that names an `-amd64` image on a cluster with arm64 Nodes, a single-architecture base in a
multi-architecture tag, a binary copied into the wrong stage.

## How to tell

The kernel refuses the program with ENOEXEC: `exec format error`, as the runtime's word in the container's
status, or as the only thing that its log holds, written by the runtime before the program came to run. The
Node's architecture is in its label `kubernetes.io/arch`.

## Known limits

The kernel gives the same answer for a text file without a `#!` line and for an empty file: where the file has
a script's name that is container.not-executable. Only the program's own header settles it, so this is likely
at most.

## References

- execve(2) ENOEXEC; runc libcontainer/standard_init_linux.go
- opencontainers/image-spec config.md (architecture), image-index.md (platform)
"""

from __future__ import annotations

from unstuck.causes._node_contents import READS as _CONTENT_READS
from unstuck.causes._node_contents import tell_program
from unstuck.causes._told_by_node import NodeWords
from unstuck.causes.container._ends import STAGES, name_container
from unstuck.causes.container._refused import (
    Refusal,
    is_script,
    left_only_runtime_words,
    pick_first,
    start_refusals,
)
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, only_yes
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeShape
from unstuck.facts.aspects.objects import Events, Failure
from unstuck.facts.aspects.pod import Containers, ContainerStatuses, LastLines, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.events import find_only_image
from unstuck.facts.derive.pods import find_container_spec, find_node_of_pod, make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_STARTS = say("the container starts")


def _rule(pod: Ref, snap: Facts) -> Signs:
    said, mine = start_refusals(pod, snap, _fits)
    logged = left_only_runtime_words(pod, snap, _fits)
    # The file's header cannot be read from here: a refusal makes it likely, and no refusal at all is a no.
    settled: Sign[Refusal] = (
        Sign(False, seen=mine.seen)
        if mine.value is False and not logged.wants
        else Sign(None, wants=logged.wants)
    )

    return Signs(
        decisive={
            "the program's header names another processor": settled if not logged.value else Sign(None)
        },
        supporting={
            "the runtime could not execute it": only_yes(said),
            "its log contains only the runtime's refusal": only_yes(logged),
        },
        finding=lambda: _make_finding(pod, pick_first(mine, said, logged), snap),
    )


def _fits(refusal: Refusal) -> bool:
    return refusal.error == "exec-format" and not is_script(refusal)


def _make_finding(pod: Ref, refusal: Refusal, snap: Facts) -> Finding:
    name = refusal.container
    who, what = name_container(name), refusal.path or ""
    spec = find_container_spec(pod, name, snap)
    node = find_node_of_pod(pod, snap)
    labels = dict(next((f.labels for f in snap.of(NodeShape, node)), ())) if node else {}
    arch = labels.get("kubernetes.io/arch", "")
    of = same_in_both(f" {what}") if what else NO_TEXT
    image = (spec.image if spec else "") or find_only_image(pod, snap)
    notes = [say("the Node's architecture is {arch}", arch=arch)] if arch else []
    notes.append(say("a text file without a #! line gives the same error"))
    built = (
        say(": image {image} is not built for its node's CPU architecture", image=image)
        if image
        else say(": it is not built for its node's CPU architecture")
    )
    says = say("{who} cannot run its program", who=who) + of
    told = tell_program(pod, name, what, snap, _STARTS)
    if told.replaces:
        return _make_finding_of_node(pod, name, says, told, notes)
    return Finding(
        says + built,
        culprit=Ref("Image", None, spec.image) if spec else make_container_ref(pod, name),
        blocks=(make_container_ref(pod, name), pod) if spec else (pod,),
        notes=tuple(notes),
        help=(
            Step(
                say("see which architectures the image supports, and which the nodes have"),
                command=command("kubectl get nodes -L kubernetes.io/arch"),
            ),
            Step(
                say(
                    "build or choose an image for that architecture, or restrict the Pods to suitable nodes "
                    "with nodeSelector kubernetes.io/arch"
                ),
                where="source",
                verify=_STARTS,
            ),
        ),
        do_not=(
            DoNot(
                say("install an emulator for all programs on the nodes"),
                say("it runs many times slower, and affects every Pod on the node"),
            ),
        ),
    )


def _make_finding_of_node(
    pod: Ref, container: str | None, says: Text, told: NodeWords, notes: list[Text]
) -> Finding:
    """Return the finding for a program that comes from the Node, and not from the image."""
    own = Step(
        say("put a build of it for the node's processor at that path"),
        where="source",
        verify=_STARTS,
    )
    return Finding(
        says + told.says,
        culprit=make_container_ref(pod, container),
        blocks=(make_container_ref(pod, container), pod),
        notes=tuple(notes),
        help=told.help or (own,),
        enrich=told.wants,
        seen=told.seen,
    )


CAUSE = Cause(
    id="container.wrong-architecture",
    title=say("the container's program is built for another CPU architecture"),
    subjects=("Pod",),
    stages=(*STAGES, "containers-created"),
    reads=frozenset({Events, Failure, ContainerStatuses, Containers, LastLines, Placement, NodeShape})
    | _CONTENT_READS,
    rule=_rule,
)
