"""A process of the host works in a memory-backed emptyDir: the kubelet cannot unmount it."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-mount-busy", "ed-busy"
SECONDS = "864001"  # no other process sleeps for this long, so the command line identifies it


def build_holder_command(directory: str) -> list[str]:
    # `env -C` becomes the sleep itself, with this working directory.
    return ["env", "-C", directory, "sleep", SECONDS]


def apply(lab: Lab) -> None:
    pod = _steps.run(
        lab,
        _objects.make_pod_with_volume(
            NS, NAME, {"name": "d", "emptyDir": {"medium": "Memory", "sizeLimit": "1Mi"}}
        ),
    )
    lab.find_pod_node(NS, NAME).spawn(
        build_holder_command(_objects.locate_volume_dir(pod, "d")), log="holder"
    )
    _steps.delete_pod(lab, NS, NAME, grace=1)


def observe(lab: Lab) -> str | None:
    return _checks.find_deletion_line(lab, NS, NAME, "TearDown failed", "unmount failed")


def heal(lab: Lab) -> None:
    for node in lab.nodes:
        if node.running:
            node.kill(["sleep", SECONDS])
    # The kubelet retries after 2 min 2 s at most.
    _steps.remove_namespace(lab, NS, timeout=150)


FAULT = Fault(
    name="mount-busy",
    summary="a Pod stays because a process works in its memory-backed emptyDir",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("mount.busy",),
    with_node="proven",
    without_node="undecided",
    needs_node_access=True,
    apply=apply,
    observe=observe,
    heal=heal,
)
