"""Answers for a user with few rights, hostile text, and output into pipes: the real command, the real API
server.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.command import UNSTUCK, Terminal, make_environment, read_diagnosis, run_unstuck

if TYPE_CHECKING:
    from unstuck_lab import Lab

pytestmark = pytest.mark.e2e
checks = pytest.importorskip("unstuck_lab.faults._checks", reason="the lab is not installed")
objects = pytest.importorskip("unstuck_lab.faults._objects", reason="the lab is not installed")
steps = pytest.importorskip("unstuck_lab.faults._steps", reason="the lab is not installed")

NS = "e2e-access"
HOSTILE = "bad \x1b[2J\x1b]0;owned\x07\r\u202e\x9b31m end"
RBAC = "rbac.authorization.k8s.io"


def role(name: str, rules: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Grant a Role to the lab's user `reader`."""
    meta = {"name": name, "namespace": NS}
    return (
        {"apiVersion": f"{RBAC}/v1", "kind": "Role", "metadata": meta, "rules": rules},
        {
            "apiVersion": f"{RBAC}/v1",
            "kind": "RoleBinding",
            "metadata": meta,
            "roleRef": {"apiGroup": RBAC, "kind": "Role", "name": name},
            "subjects": [{"kind": "User", "name": "reader", "apiGroup": RBAC}],
        },
    )


def core(resource: str, *verbs: str) -> dict[str, Any]:
    return {"apiGroups": [""], "resources": [resource], "verbs": list(verbs)}


@pytest.fixture(scope="module")
def troubled_pods(lab: Lab) -> Iterator[None]:
    """Create a Pod with a missing ConfigMap, a Pod that exits with hostile output, and a healthy Pod."""
    if lab.existing:
        pytest.skip("an existing cluster has no user `reader`")
    wants = objects.make_pod(
        NS,
        "wants",
        container={"volumeMounts": [{"name": "conf", "mountPath": "/conf"}]},
        volumes=[{"name": "conf", "configMap": {"name": "app-conf"}}],
        terminationGracePeriodSeconds=1,
    )
    say = "printf '%b' \"$SAID\" | tee /dev/termination-log; exit 3"
    said = HOSTILE.replace("\x1b", "\\033").replace("\x07", "\\007").replace("\r", "\\r")
    hostile = objects.make_pod(
        NS, "hostile", container={"command": ["sh", "-c", say], "env": [{"name": "SAID", "value": said}]}
    )
    hostile["metadata"]["annotations"] = {"note": HOSTILE}
    well = objects.make_pod(NS, "well", terminationGracePeriodSeconds=1)
    config_map = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "app-config", "namespace": NS},
        "data": {"a": "1"},
    }
    try:
        lab.apply(
            objects.make_namespace(NS),
            *role("get-pods", [core("pods", "get")]),
            config_map,
            wants,
            hostile,
            well,
        )
        lab.wait(lambda: checks.find_event(lab, NS, "wants", "FailedMount"), 120, "FailedMount of wants")
        lab.wait(lambda: checks.count_restarts(lab, NS, "hostile") or None, 60, "an end of hostile")
        steps.wait_running(lab, NS, "well")
        event_about(lab, "wants", HOSTILE)
        yield
    finally:
        steps.remove_namespace(lab, NS)


def event_about(lab: Lab, pod: str, message: str) -> None:
    """Create an Event in the form of any component with the right to create one."""
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    uid = (lab.get_pod(NS, pod) or {})["metadata"]["uid"]
    body = {
        "metadata": {"generateName": f"{pod}.", "namespace": NS},
        "involvedObject": {"apiVersion": "v1", "kind": "Pod", "namespace": NS, "name": pod, "uid": uid},
        "reason": "FailedMount",
        "type": "Warning",
        "message": f'MountVolume.SetUp failed for volume "conf" : {message}',
        "source": {"component": "kubelet"},
        "firstTimestamp": now,
        "lastTimestamp": now,
        "count": 1,
    }
    lab.request("POST", f"/api/v1/namespaces/{NS}/events", body)


# --- a user with few rights ---------------------------------------------------------------------------------


def test_who_may_only_get_pods_still_gets_an_answer(lab: Lab, troubled_pods: None) -> None:
    done = run_unstuck(
        "why", "pod/wants", "-n", NS, "--after", "1s", "-o", "json", kubeconfig=lab.reader_kubeconfig
    )
    assert (done.returncode, done.stderr) == (2, "")
    found = read_diagnosis(done)
    assert found["state"] == "stuck" and found["causes"] == []
    assert "config.configmap-missing" in [u["id"] for u in found["undecided"]]
    open_ = {(w["fact"], w["about"]["kind"]): w["why_open"] for u in found["undecided"] for w in u["wants"]}
    assert open_["Presence", "ConfigMap"] == "denied"


def test_what_was_not_allowed_is_listed_in_the_servers_words(lab: Lab, troubled_pods: None) -> None:
    done = run_unstuck("why", "pod/wants", "-n", NS, "--after", "1s", kubeconfig=lab.reader_kubeconfig)
    assert done.returncode == 2 and "WHY    not " in done.stdout
    said = " ".join(done.stdout.split())
    assert (
        'configmaps "app-conf" is forbidden' in said
        and "events is forbidden" in said
        and "not allowed" in said
    )


def test_in_the_other_language_too(lab: Lab, troubled_pods: None) -> None:
    done = run_unstuck(
        "why", "pod/wants", "-n", NS, "--after", "1s", "--lang", "zh", kubeconfig=lab.reader_kubeconfig
    )
    assert done.returncode == 2 and 'configmaps "app-conf" is forbidden' in " ".join(done.stdout.split())


def test_what_the_pod_itself_proves_needs_no_more_rights(lab: Lab, troubled_pods: None) -> None:
    done = run_unstuck("why", "pod/hostile", "-n", NS, "-o", "json", kubeconfig=lab.reader_kubeconfig)
    assert done.returncode in (1, 2) and done.stderr == ""
    assert read_diagnosis(done)["state"] == "stuck"


def test_with_events_too_the_cause_is_likely_and_still_not_proven(lab: Lab, troubled_pods: None) -> None:
    events, binding = role("list-events", [core("events", "get", "list")])
    lab.apply(events, binding)
    try:
        done = run_unstuck("why", "pod/wants", "-n", NS, "-o", "json", kubeconfig=lab.reader_kubeconfig)
        assert done.returncode == 1
        told = read_diagnosis(done)["causes"][0]
        assert (told["id"], told["confidence"]) == ("config.configmap-missing", "likely")
    finally:
        lab.run_kubectl("delete", "-n", NS, "role,rolebinding", "list-events")


def test_a_well_pod_is_fine_for_whoever_may_see_it(lab: Lab, troubled_pods: None) -> None:
    assert run_unstuck("why", "pod/well", "-n", NS, kubeconfig=lab.reader_kubeconfig).returncode == 0


@pytest.mark.parametrize(
    "args", ["why pod/x -n default", f"why ns/{NS}", f"why -n {NS}", "scan -A", f"scan -n {NS}"]
)
def test_what_may_not_be_read_at_all_is_one_line(lab: Lab, troubled_pods: None, args: str) -> None:
    done = run_unstuck(*args.split(), kubeconfig=lab.reader_kubeconfig)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1), done
    assert "forbidden" in done.stderr and "reader" in done.stderr and "; " in done.stderr


def test_a_name_that_is_not_there_is_said_without_the_right_to_list(lab: Lab, troubled_pods: None) -> None:
    done = run_unstuck("why", "pod/wantz", "-n", NS, kubeconfig=lab.reader_kubeconfig)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (3, "", 1)
    assert "no Pod 'wantz'" in done.stderr
    assert "nearest: wants" in run_unstuck("why", "pod/wantz", "-n", NS, kubeconfig=lab.kubeconfig).stderr


def test_as_administrator_the_same_question_is_proven(lab: Lab, troubled_pods: None) -> None:
    done = run_unstuck("why", "pod/wants", "-n", NS, "-o", "json", kubeconfig=lab.kubeconfig)
    told = read_diagnosis(done)["causes"][0]
    assert (done.returncode, told["id"], told["confidence"]) == (1, "config.configmap-missing", "proven")


# --- hostile words ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pod", ["hostile", "wants"])
@pytest.mark.parametrize("shape", [[], ["--lang", "zh"], ["--explain"], ["-o", "json"], ["-o", "yaml"]])
def test_no_control_character_comes_through(
    lab: Lab, troubled_pods: None, pod: str, shape: list[str]
) -> None:
    done = run_unstuck("why", f"pod/{pod}", "-n", NS, *shape, kubeconfig=lab.kubeconfig)
    assert done.returncode in (1, 2) and done.stderr == ""
    hidden = {
        c for c in done.stdout if (ord(c) < 0x20 and c != "\n") or 0x7F <= ord(c) < 0xA0 or c == "\u202e"
    }
    assert not hidden, hidden


def test_they_are_shown_for_what_they_are(lab: Lab, troubled_pods: None) -> None:
    def seen() -> bool:
        # The log of the previous run is missing for a moment at each restart of the container.
        done = run_unstuck("why", "pod/hostile", "-n", NS, kubeconfig=lab.kubeconfig)
        return r"bad \x1b[2J\x1b]0;owned\x07" in done.stdout

    lab.wait(seen, 60, "the hostile log in the answer")


def test_a_terminal_gets_our_own_colours_only(lab: Lab, troubled_pods: None) -> None:
    with Terminal("why", "pod/hostile", "-n", NS, kubeconfig=lab.kubeconfig) as terminal:
        assert terminal.finish() in (1, 2)
        shown = terminal.out.partition("✗".encode())[2]
        assert b"\x1b[3" in terminal.out
        assert b"\x1b]" not in shown and b"\x1b[2J" not in shown and b"\x07" not in shown


# --- pipes --------------------------------------------------------------------------------------------------


def test_a_pipe_gets_nothing_but_the_answer(lab: Lab, troubled_pods: None) -> None:
    done = run_unstuck(
        "why",
        "pod/wants",
        "-n",
        NS,
        kubeconfig=lab.kubeconfig,
        env={"TERM": "xterm-256color", "CLICOLOR_FORCE": ""},
    )
    assert done.stderr == "" and "\x1b" not in done.stdout and "\r" not in done.stdout
    assert done.stdout.startswith("✗ Pod e2e-access/wants")
    for shape, load in (("json", json.loads), ("yaml", _yaml)):
        piped = run_unstuck("why", "pod/wants", "-n", NS, "-o", shape, kubeconfig=lab.kubeconfig)
        assert piped.stderr == "" and load(piped.stdout)["schema"] == "unstuck/v1"


def _yaml(text: str) -> Any:
    import yaml

    return yaml.safe_load(text)


def test_no_color_is_heeded_on_a_terminal(lab: Lab, troubled_pods: None) -> None:
    with Terminal("why", "pod/wants", "-n", NS, kubeconfig=lab.kubeconfig, env={"NO_COLOR": "1"}) as terminal:
        assert terminal.finish() == 1
        assert b"\x1b[3" not in terminal.out and b"\x1b[1m" not in terminal.out


def test_a_reader_that_has_gone_is_quiet(lab: Lab, troubled_pods: None) -> None:
    for args in (
        ["why", "pod/wants", "-n", NS],
        ["why", "pod/wants", "-n", NS, "-o", "json"],
        ["scan", "-n", NS],
        ["explain"],
        ["schema"],
    ):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run(
            [UNSTUCK, *args],
            stdout=writing,
            stderr=subprocess.PIPE,
            check=False,
            env=make_environment(lab.kubeconfig),
        )
        os.close(writing)
        assert done.stderr == b"" and done.returncode in (0, 1), (args, done)


def test_head_is_quiet(lab: Lab, troubled_pods: None) -> None:
    script = f"set -o pipefail; {UNSTUCK} why pod/wants -n {NS} --explain | head -1"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, check=False, env=make_environment(lab.kubeconfig)
    )
    assert done.stderr == b"" and done.stdout.count(b"\n") == 1


# --- interrupted --------------------------------------------------------------------------------------------


def test_ctrl_c_while_it_waits_for_a_pod_leaves_at_once(lab: Lab, troubled_pods: None) -> None:
    # The Pod is healthy but not up: no cause would end the waiting.
    takes_time = {"name": "i", "image": objects.BUSYBOX, "command": ["sleep", "1h"]}
    lab.apply(
        objects.make_pod(NS, "takes-time", initContainers=[takes_time], terminationGracePeriodSeconds=0)
    )
    args = ("why", "pod/takes-time", "-n", NS, "--kubeconfig", str(lab.kubeconfig), "--wait", "--after", "1h")
    with Terminal(*args, kubeconfig=None) as terminal:
        before = terminal.modes
        # Between two questions the known facts stand beside the spinner.
        terminal.read_until(b"Init:0/1")
        terminal.child.send_signal(signal.SIGINT)
        assert terminal.finish(5) == 130
        assert terminal.out.endswith(b"\r\x1b[K") and b"Traceback" not in terminal.out
        assert terminal.modes == before


# --- partly broken discovery --------------------------------------------------------------------------------


@pytest.fixture
def dead_group(lab: Lab) -> Iterator[str]:
    """Yield an APIService without a Service: the applied fault's, or else a temporary one."""
    path = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1."
    if lab.get(f"{path}metrics.dead.io") is not None:
        yield "metrics.dead.io/v1beta1"
        return
    group = "e2e.dead.io"
    body = {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": f"v1beta1.{group}"},
        "spec": {
            "group": group,
            "version": "v1beta1",
            "groupPriorityMinimum": 100,
            "versionPriority": 100,
            "insecureSkipTLSVerify": True,
            "service": {"namespace": "default", "name": "not-there"},
        },
    }
    lab.apply(body)
    try:
        lab.wait(_unavailable(lab, f"{path}{group}"), 30, f"APIService of {group} unavailable")
        yield f"{group}/v1beta1"
    finally:
        steps.delete(lab, f"{path}{group}")


def _unavailable(lab: Lab, path: str) -> Callable[[], bool]:
    def look() -> bool:
        conditions = (lab.get(path) or {}).get("status", {}).get("conditions", [])
        return any(c["type"] == "Available" and c["status"] == "False" for c in conditions)

    return look


def test_partly_broken_discovery_is_tolerated(lab: Lab, troubled_pods: None, dead_group: str) -> None:
    done = run_unstuck("why", "pod/wants", "-n", NS, "-o", "json", kubeconfig=lab.kubeconfig)
    assert done.returncode == 1 and read_diagnosis(done)["causes"][0]["id"] == "config.configmap-missing"
    assert run_unstuck("scan", "-n", NS, kubeconfig=lab.kubeconfig).returncode in (1, 2)
    said = run_unstuck("why", "gadget/x", "-n", NS, kubeconfig=lab.kubeconfig)
    assert said.returncode == 3 and said.stderr.count("\n") == 1
    assert (
        "no resource type 'gadget'" in said.stderr
        and "not all is known" in said.stderr
        and dead_group in said.stderr
    )
