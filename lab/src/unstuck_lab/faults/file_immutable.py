"""An immutable file in an emptyDir: the kubelet cannot empty the volume, says so in
its own log only, and the Pod stays.
"""

import contextlib

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-file-immutable", "ed-immut"
FILE = "/var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~empty-dir/d/x"


def apply(lab: Lab) -> None:
    pod = _kit.pod(
        NS,
        NAME,
        container={"volumeMounts": [{"name": "d", "mountPath": "/d"}]},
        volumes=[{"name": "d", "emptyDir": {}}],
    )
    lab.apply(_kit.namespace(NS), pod)
    uid = _kit.wait_running(lab, NS, NAME)["metadata"]["uid"]
    file = FILE.format(uid=uid)
    node = lab.node_of(NS, NAME)
    node.check(["sh", "-c", f"echo kept > {file} && chattr +i {file}"])
    _kit.delete_pod(lab, NS, NAME, grace=1)


def held(lab: Lab) -> str | None:
    pod = lab.pod(NS, NAME)
    if not pod or "deletionTimestamp" not in pod["metadata"]:
        return None
    log = lab.node_of(NS, NAME).kubelet_log.read_text(errors="replace")
    return _kit.log_line(log, "operation not permitted", pod["metadata"]["uid"])


def heal(lab: Lab) -> None:
    pod = lab.pod(NS, NAME)
    if pod is not None:
        file = FILE.format(uid=pod["metadata"]["uid"])
        # It may never have been given to a node, or that node may have ended.
        with contextlib.suppress(LabError):
            lab.node_of(NS, NAME).run(["chattr", "-i", file])
    # The kubelet tries again after at most 2 min 2 s.
    _kit.remove_namespace(lab, NS, timeout=150)


FAULT = Fault(
    name="file-immutable",
    summary="a Pod stays because a file in its emptyDir is immutable",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("file.immutable",),
    consequences=(),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    held=held,
    heal=heal,
)
