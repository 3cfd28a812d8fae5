"""Runs the steps of a question's author in the cluster, and checks their effect."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable

from scripts.batches.questions import Step

from unstuck.collect.text.objects.yaml_loader import load
from unstuck_lab import Lab
from unstuck_lab.box import Box
from unstuck_lab.errors import CommandFailedError, LabError
from unstuck_lab.node import Node
from unstuck_lab.patience import stretch

# Seconds on the reference host; a step that starts a background process returns at once.
PATIENCE = 90
PAUSE = 2
# Bounds of a step's manifests, far above any author's.
_DEEPEST, _MOST_NODES = 100, 100_000


def perform(lab: Lab, steps: tuple[Step, ...]) -> None:
    """Run the steps in order; `keep` names an output for later steps, as ${NAME}. Raises `LabError`."""
    kept: dict[str, str] = {}
    for step in steps:
        output = _do(lab, _fill(step, kept))
        if "keep" in step:
            kept[step["keep"]] = output.strip()


def find_misfits(lab: Lab, checks: tuple[Step, ...]) -> list[str]:
    """Describe the failed checks; return an empty list if all passed."""
    return [f"{check}: saw {seen[-300:]!r}" for check in checks if (seen := _await(lab, check)) is not None]


def _fill(step: Step, kept: dict[str, str]) -> Step:
    def fill(value: object) -> object:
        if isinstance(value, dict):
            return {key: fill(inner) for key, inner in value.items()}
        if not isinstance(value, str):
            return value
        for name, output in kept.items():
            value = value.replace("${" + name + "}", output)
        return value

    return {key: fill(value) for key, value in step.items()}


def _do(lab: Lab, step: Step) -> str:
    if "sleep" in step:
        time.sleep(step["sleep"])
    elif "apply" in step:
        lab.apply(*(one for one in load(step["apply"], _DEEPEST, _MOST_NODES) if one))
    elif "daemon" in step:
        _control_daemon(
            lab.get_node(step["daemon"]["node"]), **{k: v for k, v in step["daemon"].items() if k != "node"}
        )
    elif "wait" in step:
        if (seen := _await(lab, step["wait"])) is not None:
            raise LabError(f"saw {seen[-300:]!r}", str(step["wait"]), "what was waited for did not come")
    else:
        return _read_output(lab, step)
    return ""


def _read_output(lab: Lab, step: Step) -> str:
    if "kubectl" in step:
        return lab.run_kubectl(*shlex.split(step["kubectl"]))
    box = lab.get_node(step["node"]).box if "node" in step else Box("control", lab.paths)
    return box.check(["sh", "-c", step["sh"] if "node" in step else step["control"]], PATIENCE, None)


def _control_daemon(node: Node, name: str, do: str, may_end: bool = False) -> None:
    stop, start = {
        "kubelet": (node.stop_kubelet, node.start_kubelet),
        "containerd": (node.stop_containerd, node.start_containerd),
    }[name]
    if do in ("stop", "restart"):
        stop()
    if do in ("start", "restart"):
        _begin(start, may_end)


def _begin(start: Callable[[], None], may_end: bool) -> None:
    try:
        start()
    except LabError:
        if not may_end:
            raise


def _await(lab: Lab, check: Step) -> str | None:
    """Wait for a check, and return None once it passes, else its last observation."""
    until = time.monotonic() + stretch(check.get("within", 0))
    while True:
        seen = _observe(lab, check)
        if _is_met(seen, check):
            return None
        if time.monotonic() >= until:
            return seen
        time.sleep(PAUSE)


def _observe(lab: Lab, check: Step) -> str:
    try:
        return _read_output(lab, check)
    except CommandFailedError as error:
        return str(error)


def _is_met(seen: str, check: Step) -> bool:
    if "says_not" in check and check["says_not"] in seen:
        return False
    return check.get("says", "") in seen
