"""A Pod's shim is suspended, and the process of its container is killed: the runtime is not notified of its
exit. containerd keeps reporting the container as running, though none of its processes is left; the Pod
stays.
"""

import os
import signal
from contextlib import suppress
from pathlib import Path

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _signals, _steps

NS, NAME = "f-runtime-state-mismatch", "gone-inside"


def _list_processes(uid: str) -> list[int]:
    """Return the host pids of the Pod's processes, except the sandbox's own."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if uid in (entry / "cgroup").read_text() and (entry / "comm").read_text().strip() != "pause":
                found.append(int(entry.name))
    return found


def apply(lab: Lab) -> None:
    uid = _steps.run(lab, _objects.make_pod(NS, NAME, nodeName=_signals.NAME))["metadata"]["uid"]
    shim = _signals.find_shim(uid)
    _signals.stop(shim)
    for pid in _list_processes(uid):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    pod = _checks.find_deleting_pod(lab, NS, NAME)
    if pod is None:
        return None
    uid = pod["metadata"]["uid"]
    listed = (
        lab.get_node(_signals.NAME)
        .check(["ctr", "-n", "k8s.io", "containers", "ls", "-q"], timeout=20)
        .split()
    )
    living = [pid for pid in _list_processes(uid) if _signals.read_state(pid) not in ("Z", "")]
    ids = [
        str(s.get("containerID", "")).rpartition("/")[2]
        for s in pod["status"].get("containerStatuses", [])
        if "running" in s["state"]
    ]
    known = [i for i in ids if i in listed]
    return (
        f"the API says running, containerd keeps {known[0][:12]}, none of its processes is alive"
        if known and not living
        else None
    )


def heal(lab: Lab) -> None:
    pod = lab.get_pod(NS, NAME)
    if pod is not None:
        _signals.resume(_signals.find_shim(pod["metadata"]["uid"]))
    _steps.remove_namespace(lab, NS, timeout=180)


FAULT = Fault(
    name="runtime-state-mismatch",
    summary=(
        "containerd calls a container running of which no process lives: its shim is suspended and tells "
        "nobody"
    ),
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("runtime.shim-hung", "runtime.state-mismatch", "runtime.exit-event-lost"),
    consequences=("process.zombies",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
