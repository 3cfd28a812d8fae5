"""The program is built for a processor that no Node has."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _checks, _objects, _steps

NS, NAME = "f-wrong-architecture", "alien"
# A 64-byte ELF header for SPARC: the kernel reads no further.
PROGRAM = "f0VMRgICAQAAAAAAAAAAAAACACsAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA4AAAAAAAAAAAAAA=="


def apply(lab: Lab) -> None:
    program = _objects.make_config_map(NS, "program", {}) | {"binaryData": {"app": PROGRAM}}
    volume = {"name": "bin-alien", "configMap": {"name": "program", "defaultMode": 0o755}}
    lab.apply(
        _objects.make_namespace(NS),
        program,
        _objects.make_pod_with_volume(NS, NAME, volume, container={"command": ["/bin-alien/app"]}),
    )


def observe(lab: Lab) -> str | None:
    ended = _checks.find_termination(lab, NS, NAME)
    if ended is None:
        return None
    said = str(ended.get("message", "")) or lab.run_kubectl("logs", "-n", NS, NAME)
    return said if "exec format error" in said else None


FAULT = Fault(
    name="wrong-architecture",
    summary="a container's program is built for another processor",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.wrong-architecture",),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    observe=observe,
    heal=_steps.make_heal(NS),
    consequences=("container.exits-by-itself",),
    at_most="likely",
)
