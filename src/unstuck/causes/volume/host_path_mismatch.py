"""What a hostPath names is not there on the Node, or is of another type

## How it happens

A hostPath volume with a type (`Directory`, `File`, `Socket`, `CharDevice`, `BlockDevice`) is mounted only where the Node has just that at
this path. The distribution keeps it elsewhere (the kubelet's root directory of microk8s, k0s or RKE, the runtime's socket of k3s), a kernel
module that makes the device is not loaded, a package is not installed, or a runtime once made an empty directory in its place.

## How to tell

`FailedMount` repeats `hostPath type check failed: PATH is not a directory` (or `a file`, `a socket file`, `a character device`, `a block
device`). The kubelet says the same where nothing is there and where something else is.

## Known limits

What the Node has there instead is not seen from here. A hostPath without a type is not checked: a runtime then makes an empty directory,
and the container finds that.

## References

- Kubernetes pkg/volume/hostpath/host_path.go (checkTypeInternal, 1.8–1.34); Kubernetes documentation: hostPath volume types
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

_KINDS = {
    "directory": say("directory"),
    "file": say("file"),
    "socket file": say("socket file"),
    "character device": say("character device"),
    "block device": say("block device"),
}
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
    return _starting.signs(subject, snap, _is_match, lambda f: _finding(subject, f, snap))


def _is_match(f: Failure) -> bool:
    return f.operation == "volume-set-up" and f.error == "host-path-mismatch"


def _finding(subject: Ref, f: Failure, snap: Facts) -> Finding:
    path = f.path or "?"
    kind = _KINDS.get(f.key or "", same_in_both(f.key or "?"))
    name = _starting.volume(f)
    return Finding(
        say("{path} of {name} is not a {kind} there, or does not exist", path=path, name=name, kind=kind) + _starting.on(subject, snap),
        culprit=Ref("File", _starting.node_name(subject, snap), path),
        blocks=_starting.blocked_objects(subject, snap),
        notes=_note_on_distributions(path),
        help=(
            Step(
                say("see what is there"),
                where=_starting.where(subject, snap),
                command=command("ls -ld {path}", path=given.path(path)),
            ),
            Step(
                say(
                    "if nothing is there: use the path where this node has it, or restrict the Pod to nodes that have it; the missing "
                    "path should be created by its owner (a package, a kernel module, another DaemonSet)"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
            Step(
                say(
                    "if something else is there: a hostPath without a type has made a directory before its owner began; give that Pod the "
                    "type {kind}, move what is there elsewhere, and have its owner recreate {path}",
                    kind=kind,
                    path=path,
                ),
                where=_starting.where(subject, snap),
            ),
        ),
        do_not=(
            DoNot(
                say("create an empty file or directory there, or use DirectoryOrCreate, as a workaround"),
                say("the Pod then runs without the real path: a driver registers where no kubelet looks"),
            ),
        ),
    )


def _note_on_distributions(path: str) -> tuple[Text, ...]:
    if not path.startswith(_MOVED):
        return ()
    return (
        say(
            "not every distribution has it there: microk8s below /var/snap/microk8s/common, k0s below /var/lib/k0s, k3s and RKE2 "
            "below /var/lib/rancher and /run/k3s"
        ),
    )


CAUSE = Cause(
    id="volume.host-path-mismatch",
    title=say("a hostPath does not exist, or has another type"),
    subjects=("Pod",),
    stages=_starting.VOLUMES,
    reads=_starting.READS,
    rule=_rule,
)
