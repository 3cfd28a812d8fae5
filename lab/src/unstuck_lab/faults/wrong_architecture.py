"""The program is made for a processor that no Node has."""

from unstuck_lab.cluster import Lab
from unstuck_lab.fault import Fault
from unstuck_lab.faults import _kit

NS, NAME = "f-wrong-architecture", "alien"
# An ELF header for SPARC, of 64 bytes: the kernel looks no further.
PROGRAM = "f0VMRgICAQAAAAAAAAAAAAACACsAAAABAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA4AAAAAAAAAAAAAA=="


def apply(lab: Lab) -> None:
    program = _kit.config_map(NS, "program", {}) | {"binaryData": {"app": PROGRAM}}
    volume = {"name": "bin-alien", "configMap": {"name": "program", "defaultMode": 0o755}}
    lab.apply(
        _kit.namespace(NS),
        program,
        _kit.with_volume(NS, NAME, volume, container={"command": ["/bin-alien/app"]}),
    )


def held(lab: Lab) -> str | None:
    ended = _kit.terminated(lab, NS, NAME)
    if ended is None:
        return None
    said = str(ended.get("message", "")) or lab.run_kubectl("logs", "-n", NS, NAME)
    return said if "exec format error" in said else None


FAULT = Fault(
    name="wrong-architecture",
    summary="a container's program is made for another processor",
    scope="pod",
    subject=f"pod/{NAME}",
    namespace=NS,
    accepts=("container.wrong-architecture",),
    with_node="likely",
    without_node="likely",
    needs_node_access=False,
    apply=apply,
    held=held,
    heal=_kit.removing(NS),
    consequences=("container.exits-by-itself",),
    at_most="likely",
)
