"""A Pod that cannot go because a file in its emptyDir is immutable (`i`) or append-only (`a`). No fault by itself."""

import contextlib

from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError
from unstuck_lab.faults import _kit


def make(lab: Lab, ns: str, name: str, attribute: str = "i") -> None:
    """The Pod, running, with the file below its volume `d` that carries the attribute."""
    pod = _kit.pod(
        ns,
        name,
        container={"volumeMounts": [{"name": "d", "mountPath": "/d"}]},
        volumes=[{"name": "d", "emptyDir": {}}],
    )
    lab.apply(_kit.namespace(ns), pod)
    file = _kit.volume_dir(_kit.wait_running(lab, ns, name), "d") + "/x"
    lab.node_of(ns, name).check(["sh", "-c", f"echo kept > {file} && chattr +{attribute} {file}"])


def refused(lab: Lab, ns: str, name: str) -> str | None:
    """The kubelet's own line that it could not remove the file of the Pod that is to go."""
    pod = _kit.deleting(lab, ns, name)
    if pod is None:
        return None
    log = lab.node_of(ns, name).kubelet_log.read_text(errors="replace")
    return _kit.log_line(log, "operation not permitted", pod["metadata"]["uid"])


def undo(lab: Lab, ns: str, name: str) -> None:
    """Take the attribute off and remove the Namespace."""
    pod = lab.pod(ns, name)
    if pod is not None:
        # It may never have been given to a node, or that node may have ended.
        with contextlib.suppress(LabError):
            lab.node_of(ns, name).run(["chattr", "-i", "-a", _kit.volume_dir(pod, "d") + "/x"])
    # The kubelet tries again after at most 2 min 2 s.
    _kit.remove_namespace(lab, ns, timeout=150)
