"""The one-shot Pod: its rights, the cases without one, and its removal after any end of the look."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.kube.server import Handler, serving
from tests.kube.test_agent import HOST, NODE, POD, report, status
from unstuck.collect.kube.nodes.probe import ProbeWay
from unstuck.collect.kube.nodes.probe_pod import Plan, manifest
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.facts.aspects.unreached import Unreached

# Each test has a server, and waits of seconds.
pytestmark = pytest.mark.slow


IMAGE = "registry.example/unstuck-agent:1"
ENDED = {"status": {"phase": "Succeeded"}}
UID = "7e7f0f1e-0000-4000-8000-000000000001"


def as_made(status: dict[str, Any], uid: str = UID, image: str = IMAGE) -> dict[str, Any]:
    """Return the Pod in the server's form: as created, with its uid."""
    return {"metadata": {"uid": uid}, "spec": {"containers": [{"name": "look", "image": image}]}, **status}


PULLING = {"status": {"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff"}}}]}}


def stamp(seconds_ago: float) -> str:
    return (datetime.now(UTC) - timedelta(seconds=seconds_ago)).strftime("%Y-%m-%dT%H:%M:%SZ")


def log(text: str | None = None) -> bytes:
    answer = report(HOST)["facts"] if text is None else text
    return f"unstuck-look-begin\n{answer}\nunstuck-look-end\n".encode()


class Cluster:
    """A healthy node, and one-shot Pods that exist from POST to DELETE; a test adds further answers."""

    def __init__(self, **answers: Callable[[Handler], None]) -> None:
        self.answers = answers
        self.there: set[str] = set()
        self.made: list[dict[str, Any]] = []

    def __call__(self, h: Handler) -> None:
        path = h.path.partition("?")[0]
        name = path.split("/")[6] if path.count("/") >= 6 and "/pods/" in path else ""
        kind = "left" if "labelSelector" in h.path else self.kind(path, h.command)
        if kind == "post":
            self.made.append(json.loads(h.body))
            self.there.add(self.made[-1]["metadata"]["name"])
        if kind == "delete":
            self.there.discard(name)
        usual: dict[str, Callable[[Handler], None]] = {
            "node": lambda h: h.say(200, {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}),
            "lease": lambda h: h.say(200, {"spec": {"renewTime": stamp(3)}}),
            "pods": lambda h: h.say(200, {"items": []}),
            "daemonset": lambda h: h.say(
                200, {"spec": {"template": {"spec": {"containers": [{"image": IMAGE}]}}}}
            ),
            "namespace": lambda h: h.say(200, {"status": {"phase": "Active"}}),
            "post": lambda h: h.say(201, as_made({})),
            "get": lambda h: (
                h.say(200, as_made(ENDED)) if name in self.there else status(404, "gone", name)(h)
            ),
            "delete": lambda h: h.say(200, {}),
            "log": lambda h: h.say(200, log()),
            "events": items(),
            "left": items(),
            "policy": status(404, "no"),
            "binding": status(404, "no"),
        }
        self.answers.get(kind, usual[kind])(h)

    @staticmethod
    def kind(path: str, command: str) -> str:
        parts = {
            "/nodes/": "node",
            "/leases/": "lease",
            "/daemonsets/": "daemonset",
            "/events": "events",
            "/validatingadmissionpolicies": "policy",
        }
        parts |= {"/validatingadmissionpolicybindings": "binding"}
        found = next((k for part, k in parts.items() if part in path), None)
        if found or path == "/api/v1/pods":
            return found or "pods"
        if path.endswith("/log"):
            return "log"
        return command.lower() if "/pods" in path else "namespace"


def way(url: str, **more: Any) -> ProbeWay:
    return ProbeWay(Client(Access("test", url, "shop"), 5, env={}), **more)


def looked(cluster: Cluster, seconds: float = 30.0, **more: Any) -> list[Any]:
    with serving(cluster) as server:
        probe = way(server.url, **more)
        plan = probe.plan(NODE)
        return [plan] if isinstance(plan, Unreached) else probe.look(NODE, POD, seconds)


def test_it_is_made_read_and_taken_away() -> None:
    cluster = Cluster()
    assert looked(cluster) == [HOST] and not cluster.there
    (made,) = cluster.made
    assert made["metadata"]["namespace"] == "unstuck-system" and made["spec"]["nodeName"] == NODE


def test_what_it_may_do_is_what_was_said_and_no_more() -> None:
    spec = manifest(Plan(NODE, "ns", IMAGE), "x", POD, 25, apparmor=True)["spec"]
    (container,) = spec["containers"]
    security = container["securityContext"]
    assert security["capabilities"] == {"drop": ["ALL"], "add": ["SYS_PTRACE", "DAC_READ_SEARCH", "SYSLOG"]}
    assert (
        security["privileged"] is security["allowPrivilegeEscalation"] is False
        and security["readOnlyRootFilesystem"] is True
    )
    assert spec["automountServiceAccountToken"] is False and not {
        "hostPID",
        "hostNetwork",
        "hostIPC",
        "serviceAccountName",
    } & set(spec)
    assert [v["hostPath"]["path"] for v in spec["volumes"]] == ["/proc"]
    assert all(
        m["readOnly"] and m["mountPropagation"] == "HostToContainer" for m in container["volumeMounts"]
    )
    assert (
        spec["activeDeadlineSeconds"] <= 25
        and spec["terminationGracePeriodSeconds"] <= 2
        and spec["restartPolicy"] == "Never"
    )
    assert spec["tolerations"] == [{"operator": "Exists"}]
    assert json.loads(container["command"][-1])["pod"] == {
        "namespace": "shop",
        "name": "web-0",
        "uid": POD.uid,
    }


def test_it_goes_into_the_namespace_that_was_given_or_that_there_is() -> None:
    with serving(Cluster()) as server:
        plan = way(server.url, image="i", namespace="tools").plan(NODE)
        assert isinstance(plan, Plan) and (plan.namespace, plan.image) == ("tools", "i")
    with serving(Cluster(namespace=status(403, "you may not see Namespaces"))) as server:
        plan = way(server.url, image="i").plan(NODE)
        assert isinstance(plan, Plan) and plan.namespace == "unstuck-system"


@pytest.mark.parametrize(
    "missing",
    [status(404, "no", "unstuck-system"), lambda h: h.say(200, {"status": {"phase": "Terminating"}})],
    ids=["absent", "going"],
)
def test_it_goes_into_no_namespace_that_nobody_named(missing: Callable[[Handler], None]) -> None:
    """Never into the one that the kubeconfig happens to name: whoever may run commands in its Pods would
    have the Pod's rights.
    """
    cluster = Cluster(namespace=missing)
    (found,) = looked(cluster, image="i")
    assert (
        isinstance(found, Unreached)
        and (found.reason, found.name) == ("no-namespace", "unstuck-system")
        and not cluster.made
    )
    assert looked(Cluster(namespace=missing), image="i", namespace="tools") == [HOST]


# --- leftovers of a killed client ---------------------------------------------------------------------------


def look_pod(name: str, age: float, **more: Any) -> dict[str, Any]:
    """Return a one-shot Pod on the server. age: seconds by the server's clock."""
    pod = manifest(Plan(NODE, "unstuck-system", IMAGE), name, POD, 20, apparmor=True)
    pod["metadata"] |= {"uid": f"uid-of-{name}", "creationTimestamp": stamp(age - SKEW)} | more
    return pod


# The server's clock is an hour ahead of ours.
SKEW = 3600.0


def look_with(
    *pods: dict[str, Any], delete: Callable[[Handler], None] | None = None
) -> tuple[list[Any], list[tuple[str, Any]]]:
    """Return the reported leftover Pods, and each deleted (name, body) besides the look's own."""
    deleted: list[tuple[str, Any]] = []

    def taken(h: Handler) -> None:
        name = h.path.rpartition("/")[2]
        if name not in {m["metadata"]["name"] for m in cluster.made}:
            deleted.append((name, json.loads(h.body)))
            if delete:
                delete(h)
                return
        h.say(200, {})

    cluster = Cluster(
        left=lambda h: h.say(200, {"items": list(pods)}),
        post=lambda h: h.say(
            201, as_made({}) | {"metadata": {"uid": UID, "creationTimestamp": stamp(-SKEW)}}
        ),
        delete=taken,
    )
    with serving(cluster) as server:
        probe = way(server.url)
        assert isinstance(probe.plan(NODE), Plan) and probe.look(NODE, POD, 30.0) == [HOST]
        listed = [s.path for s in server.seen if "labelSelector" in s.path]
        assert listed == [
            "/api/v1/namespaces/unstuck-system/pods?labelSelector=unstuck.dev%2Fone-shot%3Dtrue&limit=500"
        ]
        told = [(one.name, one.why) for one in probe.take_leftovers()]
        assert probe.take_leftovers() == []
    return told, deleted


def test_what_a_killed_client_left_is_deleted_and_told() -> None:
    told, deleted = look_with(
        look_pod("unstuck-look-old", 60),
        look_pod("unstuck-look-stays", 600, deletionTimestamp=stamp(500 - SKEW)),
    )
    assert told == [("unstuck-look-old", ""), ("unstuck-look-stays", "")]
    assert [(name, body["gracePeriodSeconds"], body["preconditions"]["uid"]) for name, body in deleted] == [
        ("unstuck-look-old", 1, "uid-of-unstuck-look-old"),
        ("unstuck-look-stays", 0, "uid-of-unstuck-look-stays"),
    ]


def test_what_may_still_be_of_use_or_is_not_ours_is_left_alone() -> None:
    other = look_pod("unstuck-look-other", 600)
    other["spec"]["containers"][0]["name"] = "web"
    endless = look_pod("unstuck-look-endless", 600)
    del endless["spec"]["activeDeadlineSeconds"]
    told, deleted = look_with(look_pod("unstuck-look-new", 40), look_pod("web-0", 600), other, endless)
    assert told == [] and deleted == []


def test_what_cannot_be_deleted_is_told() -> None:
    told, _ = look_with(look_pod("unstuck-look-old", 60), delete=status(403, "you may not delete"))
    assert told == [("unstuck-look-old", "you may not delete")]


# Created on request: the tests may have been collected minutes ago.
Made = Callable[[], dict[str, Any]]


def running(name: str, *, deleted: float | None = None) -> Made:
    def pod() -> dict[str, Any]:
        meta = {} if deleted is None else {"deletionTimestamp": stamp(deleted)}
        status = {"containerStatuses": [{"name": "c", "state": {"running": {"x": 1}}}]}
        return {"metadata": {"namespace": "n", "name": name, **meta}, "status": status}

    return pod


def waiting(name: str, seconds: float) -> Made:
    def pod() -> dict[str, Any]:
        conditions = [
            {"type": "PodScheduled", "status": "True", "lastTransitionTime": stamp(seconds)},
            {"type": "PodReadyToStartContainers", "status": "False"},
        ]
        return {
            "metadata": {"namespace": "n", "name": name},
            "status": {"phase": "Pending", "conditions": conditions},
        }

    return pod


def items(*made: Made) -> Callable[[Handler], None]:
    return lambda h: h.say(200, {"items": [one() for one in made]})


def event(reason: str) -> Made:
    return lambda: {"reason": reason}


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ({"daemonset": status(404, "no")}, "no-image"),
        ({"node": status(403, "you may not")}, "unknown"),
        ({"pods": status(403, "you may not")}, "unknown"),
        (
            {
                "node": lambda h: h.say(
                    200, {"status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}
                )
            },
            "node-suspect",
        ),
        ({"node": lambda h: h.say(200, {})}, "node-suspect"),
        ({"lease": lambda h: h.say(200, {"spec": {"renewTime": stamp(90)}})}, "node-suspect"),
        ({"pods": items(waiting("a", 200), waiting("b", 200))}, "runtime-suspect"),
        (
            {
                "pods": items(waiting("a", 200), running("b")),
                "events": items(event("FailedCreatePodSandBox")),
            },
            "runtime-suspect",
        ),
        ({"pods": items(running("a")), "log": status(500, "context deadline exceeded")}, "runtime-suspect"),
        (
            {
                "pods": items(running("a")),
                "log": lambda h: h.say(200, b"unable to retrieve container logs for containerd://3d67"),
            },
            "runtime-suspect",
        ),
        ({"pods": items(running("a", deleted=60)), "log": status(403, "no")}, "runtime-suspect"),
    ],
)
def test_it_is_not_made_where_it_could_get_stuck_itself(answers: dict[str, Any], reason: str) -> None:
    cluster = Cluster(**answers)
    (found,) = looked(cluster)
    assert (
        isinstance(found, Unreached) and (found.way, found.reason) == ("probe", reason) and not cluster.made
    )


@pytest.mark.parametrize(
    "pods",
    [
        (waiting("young", 5),),
        (running("a", deleted=60),),
        (waiting("wants-a-volume", 200), running("b")),
    ],
)
def test_a_runtime_that_answers_for_another_pod_is_no_suspect(pods: tuple[Made, ...]) -> None:
    assert looked(Cluster(pods=items(*pods), events=items(event("FailedMount")))) == [HOST]


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (
            {
                "post": status(
                    403, 'pods "x" is forbidden: violates PodSecurity "restricted:latest": hostPath'
                )
            },
            "security",
        ),
        ({"post": status(403, "forbidden: User cannot create")}, "refused"),
        pytest.param(
            {"get": lambda h: h.say(200, as_made({"status": {"phase": "Pending"}}))},
            "not-started",
            marks=pytest.mark.slow,
        ),
        pytest.param(
            {"get": lambda h: h.say(200, as_made(PULLING))},
            "not-started",
            marks=pytest.mark.slow,
        ),
        # Another Pod of its name, and its own with another program in it.
        ({"get": lambda h: h.say(200, as_made(ENDED, uid="another"))}, "replaced"),
        ({"get": lambda h: h.say(200, as_made(ENDED, image="registry.example/liar:1"))}, "replaced"),
        ({"log": status(403, "pods/log is forbidden")}, "silent"),
        ({"log": lambda h: h.say(200, b"Traceback")}, "silent"),
        ({"log": lambda h: h.say(200, log()[:-20])}, "silent"),
        ({"log": lambda h: h.say(200, log("{"))}, "unreadable"),
        ({"log": lambda h: h.say(200, log("x" * 300_000))}, "unreadable"),
    ],
)
def test_however_it_ends_it_is_taken_away(
    answers: dict[str, Any], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("unstuck.collect.kube.nodes.probe.GRACE", 0)
    cluster = Cluster(**answers)
    (found,) = looked(cluster, 6.0)
    assert isinstance(found, Unreached) and found.reason == reason
    assert "get" in answers or not cluster.there


def test_a_log_that_may_be_another_pods_is_not_read() -> None:
    """It is asked for by name: replaced between the last look and the log, or while the log is read."""
    looks: list[str] = []

    def replaced(h: Handler) -> None:
        looks.append(h.path)
        h.say(200, as_made(ENDED, uid=UID if len(looks) == 1 else "another"))

    cluster = Cluster(get=replaced)
    (found,) = looked(cluster, 6.0)
    assert isinstance(found, Unreached) and found.reason == "replaced"


def test_only_the_pod_that_was_made_is_deleted() -> None:
    bodies: list[Any] = []

    def deleted(h: Handler) -> None:
        bodies.append(json.loads(h.body))
        h.say(200, {})

    assert looked(Cluster(delete=deleted)) == [HOST]
    assert [body["preconditions"] for body in bodies] == [{"uid": UID}]


@pytest.mark.slow
def test_one_that_does_not_go_is_deleted_by_force(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unstuck.collect.kube.nodes.probe.GRACE", 0.1)
    asked: list[float] = []
    cluster = Cluster()

    def stays(h: Handler) -> None:
        asked.append(json.loads(h.body)["gracePeriodSeconds"])
        if asked[-1]:
            cluster.there |= {m["metadata"]["name"] for m in cluster.made}
        h.say(200, {})

    cluster.answers["delete"] = stays
    assert looked(cluster) == [HOST]
    assert asked[-1] == 0 and asked[0] > 0 and not cluster.there


def test_leaving_takes_it_away_while_it_is_waited_for() -> None:
    waited = threading.Event()

    def pending(h: Handler) -> None:
        waited.set()
        name = h.path.rpartition("/")[2]
        h.say(200, {"status": {"phase": "Pending"}}) if name in cluster.there else status(404, "gone", name)(
            h
        )

    cluster = Cluster(get=pending)
    with serving(cluster) as server:
        probe = way(server.url)
        assert isinstance(probe.plan(NODE), Plan)
        looking = threading.Thread(target=probe.look, args=(NODE, POD, 30.0))
        looking.start()
        assert waited.wait(5)
        began = time.monotonic()
        probe.close()
        assert not cluster.there and time.monotonic() - began < 10
        looking.join(10)
        assert not looking.is_alive() and probe.look(NODE, POD, 30.0)[0].reason == "not-agreed"
