"""The runtime cannot get the image of the sandbox itself

## How it happens

Every Pod's sandbox is created from a small image, the pause image, which the runtime's configuration names.
Where it is not on the Node the runtime pulls it, with the Node's means alone: no pull Secret takes part. A
Node without a way to that registry, a configuration with a wrong registry or tag, or a clean-up that removed
the image from a Node without network then keep every new Pod of the Node from starting, regardless of its own
images.

## How to tell

The Pod stays ContainerCreating and never reads ImagePullBackOff: its event FailedCreatePodSandBox says
`failed to get sandbox image "x"` (containerd), `failed pulling image "x"` (docker), or `creating pod sandbox
… initializing source docker://x` (CRI-O), repeatedly.

## Known limits

The reason is in the same message and is reported as a note; it is not looked into any further, for the
registry of the sandbox's image is seldom that of the Pod's. Pods that run already have their sandbox and are
not touched.

## References

- containerd internal/cri/server/podsandbox/sandbox_run.go (ensureImageExists), docs/cri/config.md
  (sandbox_image); Kubernetes pkg/kubelet/dockershim/helpers.go (up to 1.23); field notes
"""

from __future__ import annotations

from unstuck.causes._commands import runs_docker
from unstuck.causes.image._pull import make_image_ref, name_image, place_on_its_node
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import NO_COMMAND, Command, command
from unstuck.diagnosis.sign import Sign, hearsay, some, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord, Operation

say = Messages(__name__)

_MINE: Operation = "sandbox-image-pull"
_SANDBOX: tuple[Operation, ...] = (_MINE, "sandbox-create", "network-set-up")
_TWICE = 2
_WHY: dict[ErrorWord, Text] = {
    "connection-refused": say("its registry refuses the connection"),
    "timeout": say("its registry does not answer"),
    "EHOSTUNREACH": say("there is no route to its registry"),
    "ENETUNREACH": say("there is no route to its registry"),
    "no-such-host": say("the node cannot resolve its registry's name"),
    "certificate-untrusted": say("the certificate of its registry is not accepted"),
    "plain-http": say("its registry serves plain HTTP"),
    "not-found": say("its registry has no such image"),
    "not-found-or-denied": say("it does not exist, or its registry requires credentials"),
    "no-credentials": say("its registry requires credentials"),
    "unauthorized": say("its registry requires credentials"),
    "name-invalid": say("the name configured in the kubelet or the runtime is invalid"),
    "rate-limited": say("its registry rate-limits pulls"),
}


def _rule(pod: Ref, snap: Facts) -> Signs:
    tried = tuple(f for f in snap.of(Failure, pod) if f.operation in _SANDBOX)
    last = tuple(f for f in tried if not _is_outdated(f, tried))
    mine = hearsay(snap, Failure, pod, lambda f: [f] if f in last and f.operation == _MINE else [])
    waiting = some(
        snap,
        ContainerStatuses,
        pod,
        lambda f: [s.name for s in f.items if s.state in ("waiting", "none") and not s.container_id],
    )
    return Signs(
        decisive={
            "no container runs yet, and the last attempts to make a sandbox found no image for it": _repeats(
                mine, waiting
            )
        },
        supporting={"a message says so": mine},
        finding=lambda: _make_finding(pod, mine.hits[0], snap),
    )


def _is_outdated(failure: Failure, tried: tuple[Failure, ...]) -> bool:
    """Tell whether a later attempt ended otherwise."""
    at = failure.src.at
    return at is not None and any(
        f.operation != failure.operation and (f.src.at is None or f.src.at > at) for f in tried
    )


def _repeats(mine: Sign[Failure], waiting: Sign[str]) -> Sign[Failure]:
    found = tuple(f for f in mine.hits if f.reporter.startswith("kubelet"))
    if not mine.value or not waiting.value or sum(f.count for f in found) < _TWICE:
        return Sign(None, found, found, waiting.wants)
    return Sign(True, found, unique((*found, *waiting.seen)), sure=mine.sure)


def _make_finding(pod: Ref, failure: Failure, snap: Facts) -> Finding:
    name, where, node = name_image(failure), place_on_its_node(pod, snap), find_node_of_pod(pod, snap)
    on = say("Node {node}", node=node.name) if node else say("the Node")
    why = _WHY.get(failure.error)
    says = say(
        "the runtime of {on} cannot get {name}, the sandbox (pause) image of every Pod", on=on, name=name
    )
    return Finding(
        says + (say(": ") + why if why else NO_TEXT),
        culprit=make_image_ref(failure),
        blocks=(pod,),
        notes=(say("the pull failed: {message}", message=failure.message),),
        help=(
            Step(
                say("try it by hand on that node"),
                where=where,
                command=_pull(pod, snap, name) if name != "?" else NO_COMMAND,
            ),
            Step(
                say(
                    "if the node cannot reach that registry: load the image from a file (containerd: ctr -n "
                    "k8s.io images import), under this exact name"
                ),
                where=where,
                verify=say("the kubelet creates the sandbox at its next retry"),
            ),
            Step(
                say(
                    "for all nodes: configure the runtime with an image they can get (sandbox_image for "
                    "containerd, pause_image for CRI-O), and protect it from cleanup"
                ),
                where=where,
            ),
        ),
        do_not=(
            DoNot(
                say("drain or reboot the node, or delete its running Pods"),
                say("running Pods have their sandbox; once gone it cannot be recreated there"),
            ),
        ),
    )


def _pull(pod: Ref, snap: Facts, name: str) -> Command:
    reference = given.image(name)
    return (
        command("docker pull {image}", image=reference)
        if runs_docker(pod, snap)
        else command("crictl pull {image}", image=reference)
    )


CAUSE = Cause(
    id="runtime.sandbox-image-unavailable",
    title=say("the runtime cannot get the sandbox (pause) image"),
    subjects=("Pod",),
    stages=("sandbox-and-network",),
    reads=frozenset({Failure, ContainerStatuses, NodeInfo, Placement}),
    rule=_rule,
)
