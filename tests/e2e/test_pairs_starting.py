"""Two containers of one Pod with different faults: the answer has the right causes and no others, with and
without the node's evidence.

Both are reported, at any stage; among equally sure ones, an image problem comes first, since it holds the Pod
earliest. All Pods are created together and asked about after a second failure.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unstuck_lab import Lab

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS = "e2e-two-containers"
BROKEN: dict[str, tuple[str, dict[str, Any]]] = {
    "never-pulled": ("image.never-pull", {"image": "lab.local/never-built:1", "imagePullPolicy": "Never"}),
    "unreachable": ("image.registry-unreachable", {"image": "127.0.0.1:5999/nope:1"}),
    "no-config": ("config.configmap-missing", {"envFrom": [{"configMapRef": {"name": "app-conf"}}]}),
    "no-command": ("container.command-not-found", {"command": ["/app/server"]}),
    "as-root": ("security.run-as-non-root", {"securityContext": {"runAsNonRoot": True}}),
    "no-such-host": ("image.registry-dns-failed", {"image": "registry.nowhere.example/app:1"}),
    "no-name": ("image.name-invalid", {"image": "lab.local/App:1"}),
    "no-secret": ("config.secret-missing", {"envFrom": [{"secretRef": {"name": "app-login"}}]}),
    "no-key": (
        "config.key-missing",
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "there", "key": "nope"}}}]},
    ),
    "no-program": ("container.not-executable", {"command": ["/etc/passwd"]}),
    "ends": ("container.exits-by-itself", {"command": ["sh", "-c", "echo no database; exit 3"]}),
    "hook-fails": (
        "container.post-start-failing",
        {"lifecycle": {"postStart": {"exec": {"command": ["sh", "-c", "exit 4"]}}}},
    ),
}
IMAGES = ("never-pulled", "unreachable", "no-such-host", "no-name")
PAIRS = (
    ("never-pulled", "unreachable"),
    ("no-config", "no-command"),
    ("no-config", "as-root"),
    ("no-command", "as-root"),
    ("never-pulled", "no-config"),
    ("unreachable", "no-command"),
    ("no-such-host", "no-key"),
    ("no-name", "ends"),
    ("no-secret", "no-program"),
    ("no-key", "ends"),
    ("no-program", "hook-fails"),
    ("no-such-host", "hook-fails"),
)
# The kubelet retries after some ten seconds; a repeated message makes the answer sure.
TRIED = 45


def named(pair: tuple[str, str]) -> str:
    return "-and-".join(pair)


def pod(pair: tuple[str, str]) -> dict[str, Any]:
    made: dict[str, Any] = objects.make_pod(NS, named(pair))
    (healthy,) = made["spec"]["containers"]
    made["spec"]["containers"] = [healthy | BROKEN[kind][1] | {"name": kind} for kind in pair]
    return made


@pytest.fixture(scope="module")
def answers(lab: Lab) -> Iterator[dict[tuple[tuple[str, str], str], dict[str, Any]]]:
    """Return the answers by pair and by source: `node` or `api`."""
    if lab.existing:
        pytest.skip("needs nodes that can be entered")
    from unstuck_lab import asking, shell

    def ask(pair: tuple[str, str], how: str) -> dict[str, Any]:
        argv = [asking.UNSTUCK, "why", f"pod/{named(pair)}", "-n", NS, "-o", "json"]
        if how == "node":
            found = lab.get_pod(NS, named(pair))
            node = next(n for n in lab.nodes if n.name == found["spec"]["nodeName"])
            said = node.run(
                [*argv, "--here", f"--kubeconfig={asking.provide_inner_kubeconfig(lab)}"], timeout=60
            ).stdout
        else:
            said = shell.attempt([*argv, f"--kubeconfig={lab.kubeconfig}"]).stdout
        told: dict[str, Any] = json.loads(said)["diagnoses"][0]
        return told

    try:
        lab.apply(
            objects.make_namespace(NS),
            objects.make_config_map(NS, "there", {"a": "b"}),
            *(pod(pair) for pair in PAIRS),
        )

        def tried() -> bool:
            items = lab.request("GET", f"/api/v1/namespaces/{NS}/pods")["items"]
            waits = [
                s["state"].get("waiting", s.get("lastState"))
                for i in items
                for s in i["status"].get("containerStatuses", [])
            ]
            return len(waits) == 2 * len(PAIRS) and all(waits)

        lab.wait(tried, 120, "both containers of each Pod have failed")
        time.sleep(TRIED)
        yield {(pair, how): ask(pair, how) for pair in PAIRS for how in ("node", "api")}
    finally:
        steps.remove_namespace(lab, NS)


@pytest.mark.parametrize("how", ["node", "api"])
@pytest.mark.parametrize("pair", PAIRS, ids=named)
def test_what_is_wrong_with_each_container_is_found(
    pair: tuple[str, str], how: str, answers: dict[tuple[tuple[str, str], str], dict[str, Any]]
) -> None:
    causes = [c for c in answers[pair, how]["causes"] if c["confidence"] in ("likely", "proven")]
    told = [(c["id"], c["consequence_of"]) for c in causes]
    wrong = [BROKEN[kind][0] for kind in pair]
    assert sorted(told) == sorted((id_, None) for id_ in wrong), told
    if pair[0] in IMAGES and pair[1] not in IMAGES and causes[0]["confidence"] == causes[1]["confidence"]:
        assert told[0] == (wrong[0], None), told
