"""A hostPath does not exist on the Node, or has another type

## How it happens

A hostPath volume with a type (`Directory`, `File`, `Socket`, `CharDevice`, `BlockDevice`) is mounted only
where the Node has just that at this path. The distribution keeps it elsewhere (the kubelet's root directory
of microk8s, k0s or RKE, the runtime's socket of k3s), a kernel module that makes the device is not loaded, a
package is not installed, or a runtime once made an empty directory in its place.

## How to tell

`FailedMount` repeats `hostPath type check failed: PATH is not a directory` (or `a file`, `a socket file`, `a
character device`, `a block device`). The kubelet's message is the same for a missing path, another type, and
a dangling symbolic link: a look at the node distinguishes them.

## Known limits

The actual object is known only from a look at the node. A hostPath without a type is not checked: a runtime
then makes an empty directory, and the container finds that.

## References

- Kubernetes pkg/volume/hostpath/host_path.go (checkTypeInternal, 1.8–1.34); Kubernetes documentation:
  hostPath volume types
"""

from __future__ import annotations

from unstuck.causes import _node_state, _starting
from unstuck.causes._commands import place_on_node
from unstuck.causes._node_state import PathState
from unstuck.causes._node_state_help import mend_state
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KINDS = {
    "directory": say("directory"),
    "file": say("file"),
    "socket file": say("socket file"),
    "character device": say("character device"),
    "block device": say("block device"),
}
_KEYS = {"socket": "socket file"}
_FOUND = {
    "directory": say("directory"),
    "file": say("file"),
    "socket": say("socket file"),
    "fifo": say("named pipe"),
    "character device": say("character device"),
    "block device": say("block device"),
}
_NO_SUBSTITUTE = DoNot(
    say("create an empty file or directory there, or use DirectoryOrCreate, as a workaround"),
    say("the Pod then runs without the real path: a driver registers in a place that no kubelet reads"),
)
# Where a distribution has another root directory for its kubelet, or another socket for its runtime.
_MOVED = (
    "/var/lib/kubelet",
    "/run/containerd/",
    "/var/run/containerd/",
    "/var/run/docker",
    "/run/docker",
    "/var/lib/docker",
    "/etc/cni",
    "/opt/cni",
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(subject, snap, _is_match, lambda f: _make_finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error == "host-path-mismatch"


def _make_finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    path = f.path or "?"
    kind = _KINDS.get(f.key or "", same_in_both(f.key or "?"))
    name = _starting.say_volume(f)
    file = Ref("File", _starting.find_node_name(subject, snap), path)
    want = Want(NodePath, file)
    if seen := _look_up(file, f.key or "", snap):
        return _make_seen_finding(subject, snap, seen, path, name, kind)
    return Finding(
        say("{path} of {name} is not a {kind} there, or does not exist", path=path, name=name, kind=kind)
        + _starting.say_on_node(subject, snap),
        culprit=file,
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_note_on_distributions(path),
        help=(
            Step(
                say("check what exists there"),
                where=_starting.place_step(subject, snap),
                command=command("ls -ld {path}", path=given.path(path)),
            ),
            Step(
                say(
                    "if nothing is there: use this node's own path, or restrict the Pod to nodes that have "
                    "the path; the missing path should be created by its owner (a package, a kernel module, "
                    "another DaemonSet)"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
            Step(
                say(
                    "if something else exists there: a hostPath without a type created a directory before "
                    "its owner started; set the type {kind} in that Pod, move the directory away, and let "
                    "its owner recreate {path}",
                    kind=kind,
                    path=path,
                ),
                where=_starting.place_step(subject, snap),
            ),
        ),
        do_not=(_NO_SUBSTITUTE,),
        enrich=() if not file.within or snap.answered(want) else (want,),
    )


def _look_up(file: Ref, wanted: str, snap: Facts) -> NodePath | None:
    """Return the Node's entry there, unless it is the wanted one by now: the kubelet tries again."""
    seen = _node_state.look_up(file, snap) if file.within else None
    return (
        None
        if seen
        and seen.whole
        and not seen.missing
        and _KEYS.get(seen.parts[-1].kind, seen.parts[-1].kind) == wanted
        else seen
    )


def _make_seen_finding(
    subject: Ref, snap: Facts, seen: NodePath, path: str, name: Text, kind: Text
) -> Finding:
    """Return the finding with the Node's entry there: a dangling link, a missing entry, or one of another
    kind.
    """
    node, last = seen.about.within or "", seen.parts[-1]
    steps = mend_state(PathState(seen), _starting.RETRIES)
    if seen.missing or not seen.whole:
        says = say("{path} of {name} is not a {kind}", path=path, name=name, kind=kind)
        says += _node_state.describe_state(PathState(seen))
    else:
        has = _FOUND.get(last.kind, same_in_both(last.kind or "?"))
        says = say(
            "{path} of {name} is not a {kind}: on Node {node} it is a {has}",
            path=path,
            name=name,
            kind=kind,
            node=node,
            has=has,
        )
        if seen.links:
            says += say(
                "; {link} is a link to {target}", link=seen.links[-1].path, target=seen.links[-1].target
            )
        steps = (
            Step(
                say(
                    "give the volume the type that fits, or bring there what belongs there: a hostPath "
                    "without a type makes a directory before its owner begins"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
            Step(
                say("see what is in it"),
                where=place_on_node(node),
                command=command("ls -la {path}", path=given.path(path)),
            ),
        )
    return Finding(
        says,
        culprit=Ref("File", node, path),
        blocks=_starting.list_blocked_objects(subject, snap),
        notes=_note_on_distributions(path),
        help=steps,
        do_not=(_NO_SUBSTITUTE,),
    )


def _note_on_distributions(path: str) -> tuple[Text, ...]:
    if not path.startswith(_MOVED):
        return ()
    return (
        say(
            "not every distribution has it there: microk8s below /var/snap/microk8s/common, k0s below "
            "/var/lib/k0s, k3s and RKE2 below /var/lib/rancher and /run/k3s"
        ),
    )


CAUSE = Cause(
    id="volume.host-path-mismatch",
    title=say("a hostPath does not exist, or has another type"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS | _node_state.READS,
    rule=_rule,
)
