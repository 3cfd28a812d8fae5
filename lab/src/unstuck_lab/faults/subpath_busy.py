"""A process of the host keeps a file open below a container's subPath mount: the kubelet cannot clean that
mount up.
"""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-subpath-busy", "sub-busy"
NODE = "lab-3"
SECONDS = "864002"  # no other process sleeps for this long, so the command line identifies it


def build_holder_command(path: str) -> list[str]:
    # The sleep keeps the file open as descriptor 3.
    return ["sh", "-c", f"exec 3>>{path}/held; exec sleep {SECONDS}"]


def apply(lab: Lab) -> None:
    pod = _objects.make_pod(
        NS,
        NAME,
        container={"volumeMounts": [{"name": "m", "mountPath": "/m", "subPath": "sub"}]},
        volumes=[{"name": "m", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}],
        nodeName=NODE,
    )
    uid = _steps.run(lab, pod)["metadata"]["uid"]
    lab.get_node(NODE).spawn(
        build_holder_command(f"/var/lib/kubelet/pods/{uid}/volume-subpaths/m/c/0"), log="holder"
    )
    lab.wait(lambda: lab.get_node(NODE).find(["sleep", SECONDS]), 10, "the holder of the file")
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _checks.find_deletion_line(lab, NS, NAME, "error cleaning subPath mounts")


def heal(lab: Lab) -> None:
    if lab.get_node(NODE).running:
        lab.get_node(NODE).kill(["sleep", SECONDS])
    # The kubelet retries after 2 min 2 s at most.
    _steps.remove_namespace(lab, NS, timeout=150)


FAULT = Fault(
    name="subpath-busy",
    summary="a Pod stays because a process keeps a file open below a subPath mount",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("volume.subpath-busy",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
