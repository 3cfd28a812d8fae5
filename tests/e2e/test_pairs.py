"""Thirty pairs of faults on one node: both are found, roots first, with their consequences below.

All are applied together and asked about once: two faults of one Pod through that Pod, faults of two Pods
through their Namespace.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from unstuck_lab import Lab
    from unstuck_lab.node import Node

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(900)]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

CAUSE = {
    "immutable": "file.immutable",
    "busy": "mount.busy",
    "bind": "mount.busy",
    "frozen": "process.frozen",
    "left": "cgroup.left-behind",
    "finalizer": "finalizer.unknown-owner",
    "refused": "admission.kubelet-write-refused",
}
# The valid consequences of the faults.
FOLLOWS = {
    "namespace.pods-remain",
    "namespace.content-remains",
    "cgroup.left-behind",
    "process.uninterruptible",
}
IN_ONE_POD = [
    *combinations(("immutable", "busy", "bind"), 2),
    *((one, "finalizer") for one in ("immutable", "busy", "bind", "frozen", "left", "refused")),
]
IN_TWO_PODS = [*combinations(CAUSE, 2)]
ONE, SECONDS, LEFT = "e2e-pair", "864017", ["/bin/sleep", "864018"]
SOURCE = "/var/log/unstuck-pairs-bind"  # not a tmpfs, which is unmounted like a volume in memory
PODS = "/api/v1/pods?labelSelector=unstuck-pairs%3Dyes"
RIPE = 65


@dataclass(frozen=True)
class Pair:
    faults: tuple[str, str]
    in_one: bool

    @property
    def namespace(self) -> str:
        return f"{ONE}-{'one' if self.in_one else 'two'}-{'-'.join(self.faults)}"

    @property
    def subject(self) -> str:
        return "pod/both" if self.in_one else f"ns/{self.namespace}"

    @property
    def pods(self) -> dict[str, tuple[str, ...]]:
        """Return the pair's Pods with the faults of each."""
        return {"both": self.faults} if self.in_one else {f: (f,) for f in self.faults}


PAIRS = [*(Pair(p, True) for p in IN_ONE_POD), *(Pair(p, False) for p in IN_TWO_PODS)]


def pod(pair: Pair, name: str, faults: tuple[str, ...], node: Node) -> dict[str, Any]:
    disks = {"immutable": {}, "busy": {"medium": "Memory", "sizeLimit": "1Mi"}, "bind": {}}
    volumes = [{"name": f, "emptyDir": disks[f]} for f in faults if f in disks]
    mounts = [{"name": f, "mountPath": f"/{f}"} for f in faults if f in disks]
    made: dict[str, Any] = objects.make_pod(
        pair.namespace, name, container={"volumeMounts": mounts}, volumes=volumes, nodeName=node.name
    )
    made["metadata"]["labels"] = {"unstuck-pairs": "yes"}
    if "finalizer" in faults:
        made["metadata"]["finalizers"] = ["example.com/hold"]
    return made


class Spoiler:
    """Applies the faults to running Pods, and undoes them."""

    def __init__(self, lab: Lab, node: Node) -> None:
        self.lab, self.node = lab, node
        self.groups: list[Path] = []

    def spoil(self, pair: Pair, fault: str, running: dict[str, Any]) -> None:
        from unstuck_lab.faults import _admission, _cgroups

        uid = running["metadata"]["uid"]
        directory = objects.locate_volume_dir(running, fault)
        if fault == "immutable":
            self.node.check(["sh", "-c", f"echo kept > {directory}/x && chattr +i {directory}/x"])
        elif fault == "busy":
            self.node.spawn(["env", "-C", directory, "sleep", SECONDS], log="pairs")
        elif fault == "bind":
            self.node.check(["sh", "-ec", f"mkdir -p {SOURCE} && mount --bind {SOURCE} {directory}"])
        elif fault == "frozen":
            group = _cgroups.find_pod_group(self.node, uid)
            assert group is not None
            self.groups.append(group)
            _cgroups.set_state(group, "FROZEN")
        elif fault == "left":
            group = _cgroups.find_pod_group(self.node, uid, "pids")
            assert group is not None
            _cgroups.make_child(group, self.lab.nodes[1].spawn(LEFT, log="pairs"))
        elif fault == "refused":
            _admission.refuse_nodes(self.lab, pair.namespace, "pods", "DELETE")

    def heal(self) -> None:
        from unstuck_lab.faults import _admission, _cgroups

        for group in self.groups:
            with suppress(OSError):
                _cgroups.set_state(group, "THAWED")
        while self.node.kill(["sleep", SECONDS]) or self.lab.nodes[1].kill(LEFT):
            time.sleep(0.05)
        flags = "chattr -i /var/lib/kubelet/pods/*/volumes/kubernetes.io~empty-dir/immutable/x 2>/dev/null"
        mounts = "awk '$4 ~ \"unstuck-pairs-bind$\" { print $5 }' /proc/self/mountinfo | xargs -r -n1 umount"
        self.node.run(["sh", "-c", f"{flags}; {mounts}; rm -rf {SOURCE}"])
        for pair in PAIRS:
            _admission.forget(self.lab, pair.namespace)
        for found in self.lab.request("GET", PODS)["items"]:
            where = found["metadata"]
            steps.clear_finalizers(self.lab, f"/api/v1/namespaces/{where['namespace']}/pods/{where['name']}")
        # A restarted kubelet retries at once, not after two minutes.
        self.node.stop_kubelet()
        self.node.start_kubelet()
        together(lambda pair: steps.delete(self.lab, f"/api/v1/namespaces/{pair.namespace}"), PAIRS)
        together(lambda pair: steps.remove_namespace(self.lab, pair.namespace, timeout=240), PAIRS, 8)


def together(do: Callable[[Any], Any], items: list[Any], workers: int = 4) -> list[Any]:
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(do, items))


def answer(lab: Lab, node: Node, pair: Pair) -> dict[str, Any]:
    """Return the answer on the node. If its look there ran out of time, as on a busy machine, the question is
    repeated.
    """
    from unstuck_lab import asking

    place = ("-n", pair.namespace) if pair.in_one else ()
    argv = [
        asking.UNSTUCK,
        "why",
        pair.subject,
        *place,
        "--here",
        "-o",
        "json",
        f"--kubeconfig={asking.provide_inner_kubeconfig(lab)}",
    ]
    for _ in range(3):
        found: dict[str, Any] = json.loads(node.run(argv, timeout=60).stdout)["diagnoses"][0]
        if not any(want["why_open"] == "timeout" for cause in found["undecided"] for want in cause["wants"]):
            break
    return found


@pytest.fixture(scope="module")
def answers(lab: Lab) -> Iterator[dict[Pair, dict[str, Any]]]:
    if lab.existing or len(lab.nodes) < 2:
        pytest.skip("needs two nodes that can be entered")
    node = lab.nodes[0]
    spoiler = Spoiler(lab, node)
    try:
        lab.apply(*(objects.make_namespace(pair.namespace) for pair in PAIRS))
        lab.apply(*(pod(pair, name, faults, node) for pair in PAIRS for name, faults in pair.pods.items()))
        wanted = sum(len(pair.pods) for pair in PAIRS)

        def running() -> list[dict[str, Any]] | None:
            items = lab.request("GET", PODS)["items"]
            up = [
                i
                for i in items
                if any(
                    c["type"] == "Ready" and c["status"] == "True" for c in i["status"].get("conditions", [])
                )
            ]
            return up if len(up) == wanted else None

        found = {
            (i["metadata"]["namespace"], i["metadata"]["name"]): i
            for i in lab.wait(running, 240, "all Pods of the pairs")
        }
        work = [(p, f, found[p.namespace, n]) for p in PAIRS for n, faults in p.pods.items() for f in faults]
        together(lambda one: spoiler.spoil(*one), work)
        for where in found:
            steps.delete_pod(lab, *where, grace=1)
        together(
            lambda pair: steps.delete(lab, f"/api/v1/namespaces/{pair.namespace}"),
            [p for p in PAIRS if not p.in_one],
        )
        time.sleep(RIPE)
        yield dict(zip(PAIRS, [answer(lab, node, pair) for pair in PAIRS], strict=True))
    finally:
        spoiler.heal()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair.namespace.removeprefix(f"{ONE}-"))
def test_both_are_found_in_the_right_order(pair: Pair, answers: dict[Pair, dict[str, Any]]) -> None:
    causes = [c for c in answers[pair]["causes"] if c["confidence"] in ("likely", "proven")]
    seen = [(c["id"], c["confidence"], c["consequence_of"]) for c in causes]
    wanted = Counter(CAUSE[f] for f in pair.faults)
    if pair.in_one and pair.faults == ("busy", "bind"):
        # Two holders of one Pod's mounts: one answer that names both.
        wanted = Counter(["mount.busy"])
        assert {step["command"][0] for step in causes[0]["help"]} == {"kill", "umount"}, causes[0]
    roots = Counter(c["id"] for c in causes if c["consequence_of"] is None)
    assert roots == wanted, seen
    below = {c["id"] for c in causes if c["consequence_of"] is not None}
    assert below <= FOLLOWS, seen
    assert pair.in_one or "namespace.pods-remain" in below, seen
    assert all(c["consequence_of"] < at for at, c in enumerate(causes) if c["consequence_of"] is not None), (
        seen
    )
