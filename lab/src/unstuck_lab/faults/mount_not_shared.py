"""A privileged container uses bidirectional mount propagation, like a storage driver, on a directory whose
mounts are private.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps
from unstuck_lab.faults._plugin import NODE

NS, NAME = "f-mount-not-shared", "passes-mounts-on"
_DIR = f"/run/{NS}"


def apply(lab: Lab) -> None:
    make = (
        f"mkdir -p {_DIR} && {{ mountpoint -q {_DIR} || mount -t tmpfs -o size=1m {NS} {_DIR}; }} && mount "
        f"--make-private {_DIR}"
    )
    lab.get_node(NODE).check(["sh", "-c", make])
    mount = {"name": "v", "mountPath": "/v", "mountPropagation": "Bidirectional"}
    container = {"securityContext": {"privileged": True}, "volumeMounts": [mount]}
    volume = {"name": "v", "hostPath": {"path": _DIR, "type": "Directory"}}
    lab.apply(
        _objects.make_namespace(NS),
        _objects.make_pod(NS, NAME, container=container, volumes=[volume], nodeName=NODE),
    )


def heal(lab: Lab) -> None:
    _steps.remove_namespace(lab, NS)
    lab.get_node(NODE).run(["sh", "-c", f"umount {_DIR}; rmdir {_DIR}"])


FAULT = Fault(
    name="mount-not-shared",
    summary="a container does not start because the mount that it has to propagate is private",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.kubelet-root-moved",),
    with_node="proven",
    without_node="likely",
    needs_node_access=True,
    apply=apply,
    observe=lambda lab: _checks.find_event(lab, NS, NAME, "Failed", "not a shared mount"),
    heal=heal,
)
