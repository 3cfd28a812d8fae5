"""The record of a fault, and the catalogue: one file per fault."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from unstuck_lab import faults
from unstuck_lab.cluster import Lab
from unstuck_lab.errors import LabError, TimedOutError
from unstuck_lab.existing import VARIABLE

Scope = Literal["pod", "node", "cluster"]
Answer = Literal["proven", "likely", "undecided", "fine"]
# The longest time until a troubled object counts as stuck (a claim, a Namespace): 60 s.
RIPE = 65
# For a Pod that waits for a Node, or whose deletion is overdue: 30 s, after a grace period of a few seconds.
POD_RIPE = 40


@dataclass(frozen=True)
class Fault:
    """A real fault and its expected answer. `accepts` is written before the first actual answer."""

    name: str  # as in `unstuck-lab fault NAME`; the file name has `_` for `-`
    summary: str  # one line for people
    scope: Scope  # the affected scope: objects in its own Namespace, a node, the cluster
    subject: str  # the object to ask about, such as "pod/ed-immut"
    namespace: str | None  # of the subject
    accepts: tuple[str, ...]  # cause ids that are right as the first answer
    with_node: Answer  # least acceptable answer with node evidence
    without_node: Answer  # and without
    needs_node_access: bool  # whether it cannot be applied or observed through the API alone
    apply: Callable[[Lab], None]
    observe: Callable[[Lab], str | None]  # the observation of its effect, independent of the product, or None
    heal: Callable[[Lab], None]
    consequences: tuple[str, ...] = ()  # ids allowed below the root
    node: str = ""  # the affected node, for the scope "node"
    settle: float = 60  # seconds allowed until it is observed
    also: tuple[str, ...] = ()  # further subjects with the same expected answer
    at_most: Answer = "proven"  # whether a better answer would be an unfounded claim
    ripe: float = RIPE  # seconds from its application until the blocked object counts as stuck
    since: int = 0  # the first minor version of Kubernetes that serves its objects
    # For the scope "cluster": faults with the same word are independent and applied together.
    beside: str = ""


def list_faults() -> list[Fault]:
    """List the faults, by name: the `FAULT` of each module in `unstuck_lab.faults`.

    Raises `LabError` for a file without a fault, or with a fault under another name.
    """
    found = []
    for module in pkgutil.iter_modules(faults.__path__):
        if module.name.startswith("_"):
            continue
        fault = getattr(importlib.import_module(f"{faults.__name__}.{module.name}"), "FAULT", None)
        if not isinstance(fault, Fault) or fault.name != module.name.replace("_", "-"):
            raise LabError("has no FAULT of its own name", f"faults/{module.name}.py", "define it")
        found.append(fault)
    return sorted(found, key=lambda fault: fault.name)


def find(name: str) -> Fault:
    """Return a fault by name, with `-` or `_`. Raises `LabError` listing all."""
    faults_by_name = {fault.name: fault for fault in list_faults()}
    fault = faults_by_name.get(name.replace("_", "-"))
    if fault is None:
        raise LabError("no such fault", name, "there are: " + ", ".join(faults_by_name))
    return fault


def list_applied(lab: Lab) -> list[Fault]:
    """List the applied faults in the order of healing: faults of the cluster first, because they prevent
    others from healing.
    """
    order: dict[Scope, int] = {"cluster": 0, "node": 1, "pod": 2}
    record = lab.applied
    found = [fault for fault in list_faults() if (record / fault.name).exists()]
    return sorted(found, key=lambda fault: order[fault.scope])


def inflict(lab: Lab, fault: Fault) -> None:
    """Record the fault as applied, and apply it without waiting: see `wait_held`.

    Raises `LabError` for a node's fault if no node can be entered.
    """
    if lab.existing and fault.needs_node_access:
        raise LabError(
            f"needs access to a node, which {VARIABLE} does not give",
            f"fault {fault.name}",
            "unset it to use the lab",
        )
    record = lab.applied
    record.mkdir(parents=True, exist_ok=True)
    (record / fault.name).touch()
    fault.apply(lab)


def ensure(lab: Lab, fault: Fault) -> bool:
    """Apply the fault unless it is already effective; then return False. A partly applied fault is healed
    first. Raises `LabError`.
    """
    if (lab.applied / fault.name).exists():
        if fault.observe(lab):
            return False
        heal(lab, fault)
    inflict(lab, fault)
    return True


def wait_held(lab: Lab, fault: Fault) -> str:
    """Wait until the fault has taken effect, and return the observation. Raises `TimedOutError`."""
    try:
        return lab.wait(lambda: fault.observe(lab), fault.settle, f"fault {fault.name}")
    except TimedOutError as error:
        raise TimedOutError("has not taken hold", f"fault {fault.name}") from error


def heal(lab: Lab, fault: Fault) -> None:
    """Undo the fault, and remove its record."""
    if lab.existing and fault.needs_node_access:
        raise LabError(
            f"needs access to a node, which {VARIABLE} does not give",
            f"fault {fault.name}",
            "unset it to use the lab",
        )
    record = lab.applied
    fault.heal(lab)
    (record / fault.name).unlink(missing_ok=True)
