"""A container's termination message file cannot be mounted at its terminationMessagePath

## How it happens

The kubelet makes a file for the last message of each container and has the runtime mount it at
`terminationMessagePath`, by default `/dev/termination-log`. That path must be a file, or one must be
creatable there. This fails if a volume covers it: the Node's `/dev` as a hostPath, a ConfigMap or another
read-only volume. Nor if the path is a directory of the image, because a directory was given for the messages,
nor below `/proc`, where the runtime refuses mounts.

## How to tell

The runtime refuses to start the container: `error mounting ".../pods/UID/containers/NAME/ID" to rootfs at
"PATH"`, and then `read-only file system`, `not a directory`, `no such file or directory` or `cannot be
mounted because it is inside /proc`. The source distinguishes it from a volume that cannot be mounted: below
the kubelet's `containers` lie these files alone. The container's process never ran, so it has no log.

## Known limits

The message does not name the volume that covers the path. A volume of the Pod at the wrong path is another
cause: volume.mount-type-mismatch. crun's words for it are not known.

## References

- Kubernetes pkg/kubelet/kuberuntime/kuberuntime_container.go (makeMounts); runc libcontainer/rootfs_linux.go
- Kubernetes documentation: Customizing the termination message; intel-device-plugins-for-kubernetes pull 261,
  usernetes issue 190
"""

from __future__ import annotations

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import make_container_ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return _starting.make_signs(pod, snap, _is_mine, lambda f: _make_finding(pod, f, snap))


def _is_mine(f: Failure) -> bool:
    return f.error == "message-path-unusable"


def _make_finding(pod: Ref, f: Failure, snap: Facts) -> Finding:
    container, path = f.container or "?", f.key or "?"
    return Finding(
        say(
            "the termination message file of container {container} cannot be mounted at {path}",
            container=container,
            path=path,
        ),
        culprit=make_container_ref(pod, f.container) if f.container else pod,
        blocks=_starting.list_blocked_objects(pod, snap),
        notes=_starting.quote(f),
        help=(
            Step(
                say(
                    (
                        "see terminationMessagePath and volumeMounts of the container: what is mounted at "
                        "{path} or above it"
                    ),
                    path=path,
                ),
                command=command(
                    "kubectl get {pod} {space} -o yaml", pod=given.of(pod), space=given.space(pod)
                ),
            ),
            Step(
                say(
                    "set terminationMessagePath to a file in a writable directory that no volume covers, or "
                    "mount the volume elsewhere"
                ),
                where="source",
                verify=_starting.RETRIES,
            ),
        ),
        do_not=(
            DoNot(
                say("mount the node's /dev writable so that the file can be created there"),
                say(
                    "the container may then change the node's devices, and a file is left behind in the "
                    "node's /dev"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="container.message-path-unusable",
    title=say("a container's termination message file cannot be mounted"),
    subjects=("Pod",),
    stages=_starting.CONTAINERS,
    needs=_starting.may_name_its_fault,
    reads=_starting.READS,
    rule=_rule,
)
