"""The one-shot Pod: no other program can run in it, and leftovers of a killed client are removed by the next
look.
"""

from __future__ import annotations

import io
import subprocess
import time
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.callers import Caller, write_kubeconfig
from tests.e2e.command import UNSTUCK, make_environment, run_unstuck
from tests.e2e.staying import immutable_and_busy
from tests.e2e.test_agent_rights import denied
from tests.e2e.test_ways import ONE_SHOT, deaf

if TYPE_CHECKING:
    from unstuck_lab import Lab, Node

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("release")]
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS = "e2e-one-shot"
GUARD = "nothing else is run in a Pod that looks at a node"


@pytest.fixture(scope="module")
def node(lab: Lab, release: bool) -> Node:
    from unstuck_lab import agent

    lab.wait(lambda: agent.is_ready(lab), 120, "agents Ready")
    return lab.nodes[min(1, len(lab.nodes) - 1)]


@pytest.fixture(scope="module")
def pods(lab: Lab, node: Node) -> Iterator[str]:
    """Create a Namespace with running Pods: one named like a look, one with another name, and some
    undeletable ones.
    """
    with immutable_and_busy(lab, node, NS, "864030"):
        names = ("unstuck-look-e2e", "plain")
        lab.apply(*(objects.make_pod(NS, name, nodeName=node.name) for name in names))
        for name in names:
            steps.wait_running(lab, NS, name)
        yield NS


@pytest.fixture(scope="module")
def admin(lab: Lab) -> Caller:
    return write_kubeconfig(lab, lab.read_token("lab-admin"))


def path(name: str, of: str = NS) -> str:
    return f"/api/v1/namespaces/{of}/pods/{name}"


@pytest.mark.parametrize(
    "what", ["exec?command=id&stdout=true", "attach?stdout=true", "portforward?ports=80"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nobody_comes_into_a_pod_that_looks(admin: Caller, pods: str, method: str, what: str) -> None:
    denied(admin.ask(method, f"{path('unstuck-look-e2e')}/{what}"), GUARD)
    # In another Pod the same fails only because this client does not speak the protocol.
    status, answer = admin.ask(method, f"{path('plain')}/{what}")
    assert status == 400 and "pgrade" in answer["message"], answer


def test_nor_is_another_container_or_image_put_into_it(admin: Caller, lab: Lab, pods: str) -> None:
    for name, expected in (("unstuck-look-e2e", 403), ("plain", 200)):
        pod = lab.request("GET", path(name))
        debug = pod | {
            "spec": pod["spec"] | {"ephemeralContainers": [{"name": "debug", "image": "lab.local/busybox:1"}]}
        }
        other = pod | {
            "spec": pod["spec"]
            | {"containers": [c | {"image": "lab.local/pause:1"} for c in pod["spec"]["containers"]]}
        }
        for where, changed in ((f"{path(name)}/ephemeralcontainers", debug), (path(name), other)):
            answer = admin.ask("PUT", f"{where}?dryRun=All", changed)
            assert answer[0] == expected, answer[1]
            if expected == 403:
                denied(answer, GUARD)
    # Its labels and its deadline grant no rights on a node.
    pod = lab.request("GET", path("unstuck-look-e2e"))
    pod["metadata"]["labels"] = {"changed": "yes"}
    assert admin.ask("PUT", f"{path('unstuck-look-e2e')}?dryRun=All", pod)[0] == 200


def look(lab: Lab, *options: str) -> subprocess.CompletedProcess[str]:
    return run_unstuck(
        "why", "pod/immutable", "-n", NS, "--after", "1s", "--probe", *options, kubeconfig=lab.kubeconfig
    )


def there(lab: Lab) -> dict[str, Any]:
    items = lab.request("GET", f"/api/v1/namespaces/{NS}/pods?labelSelector={ONE_SHOT}")["items"]
    return {p["metadata"]["name"]: p for p in items}


def test_what_a_killed_client_leaves_ends_by_itself_and_goes_with_the_next_look(
    lab: Lab, admin: Caller, node: Node, pods: str
) -> None:
    options = ("--probe-namespace", NS)
    with deaf(node):
        argv = [UNSTUCK, "why", "pod/immutable", "-n", NS, "--after", "1s", "--probe", *options]
        with subprocess.Popen(
            argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=make_environment(lab.kubeconfig)
        ) as child:
            left = lab.wait(lambda: next(iter(there(lab).values()), None), 40, "a one-shot Pod")
            child.kill()
        name, made = left["metadata"]["name"], time.monotonic()
        young = look(lab, *options)
        assert name in there(lab), "it may be somebody's who is waiting for it"
        assert f"{NS}/{name}" not in young.stderr
        lab.wait(
            lambda: there(lab)[name]["status"]["phase"] in ("Succeeded", "Failed"),
            40,
            "it has ended by itself",
        )
        # Its original deadline is 50 s; this test does not wait that long.
        status, answer = admin.ask(
            "PUT",
            path(name),
            there(lab)[name] | {"spec": there(lab)[name]["spec"] | {"activeDeadlineSeconds": 1}},
        )
        assert status == 200, answer
        time.sleep(max(0.0, 33 - (time.monotonic() - made)))
        old = look(lab, *options)
    assert f"deleted what a killed unstuck had left: Pod {NS}/{name}" in old.stderr
    lab.wait(lambda: not there(lab), 10, "all gone")


def test_where_the_usual_namespace_is_not_there_one_must_be_named(lab: Lab, node: Node, pods: str) -> None:
    """By a name that is not there; to take away the real one would end the agents."""
    from unstuck.collect.kube.nodes import probe

    with deaf(node), pytest.MonkeyPatch.context() as patch:
        patch.setattr(probe, "NAMESPACE", "e2e-is-not-there")
        said = _in_process(lab)
    assert "Namespace e2e-is-not-there is not there" in said and "--probe-namespace NS" in said
    assert not lab.run_kubectl("get", "pods", "-A", "-l", ONE_SHOT, "-o", "name").strip()


def _in_process(lab: Lab) -> str:
    """Return the command's output, run in this process, so that its settings can be patched."""
    from unstuck.cli.run import run

    said = io.StringIO()
    argv = [
        "why",
        "pod/immutable",
        "-n",
        NS,
        "--after",
        "1s",
        "--probe",
        "--probe-image",
        "lab.local/unstuck-agent:1",
    ]
    with redirect_stdout(said), redirect_stderr(said):
        run([*argv, "--kubeconfig", str(lab.kubeconfig)], "unstuck")
    return " ".join(said.getvalue().split())
