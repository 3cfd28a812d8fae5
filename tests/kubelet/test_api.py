"""The kubelet's API over real TLS: the kept parts of its answers, hanging paths, and the servers that never
get the token.
"""

from __future__ import annotations

import hashlib
import json
import ssl
import threading
import time
import tracemalloc
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest
import trustme

from tests.kube.server import Handler, Script, Server, listening, serving
from unstuck.collect.kubelet.client import KubeletClient
from unstuck.collect.kubelet.facts import kubelet_facts
from unstuck.collect.kubelet.reduce import PodList, Samples
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.kubelet import (
    KubeletConfig,
    KubeletEndpoints,
    KubeletHealth,
    KubeletMetrics,
    KubeletPod,
    KubeletPods,
    Series,
)
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.codec import read_fact, to_json
from unstuck.facts.core import Fact, Ref, Refused

F = TypeVar("F", bound=Fact)
CA = trustme.CA()
PEM = CA.cert_pem.bytes().decode()
OTHER_PEM = trustme.CA().cert_pem.bytes().decode()
UID, GONE = "9e964fdf-58f5-4b22-a3f8-5e5b5b8f7d11", "9e964fdf-58f5-4b22-a3f8-5e5b5b8f7d12"
NODE = Ref("Node", None, "n-1")


def tls(*names: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    CA.issue_cert(*(names or ("127.0.0.1",))).configure_cert(context)
    return context


def pod(uid: str, name: str, **meta: object) -> dict[str, object]:
    container = {"name": "c", "env": [{"name": "PASSWORD", "value": "hunter2"}], "args": ["--token=s3cr3t"]}
    return {
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": uid,
            "annotations": {"kubernetes.io/config.source": "api"},
            **meta,
        },
        "spec": {"containers": [container]},
        "status": {"phase": "Running"},
    }


PODS = {
    "kind": "PodList",
    "metadata": {},
    "items": [
        pod(UID, "web-ü"),
        pod("s", "etcd-n-1", annotations={"kubernetes.io/config.source": "file"}),
        pod("d", "going", deletionTimestamp="2026-11-21T00:00:00Z"),
    ],
}
METRICS = b"""\
# HELP kubelet_working_pods [ALPHA] Number of pods
# TYPE kubelet_working_pods gauge
kubelet_working_pods{config="desired",lifecycle="terminating",static=""} 1
kubelet_working_pods{config="desired",lifecycle="sync",static=""} 0
kubelet_runtime_operations_errors_total{operation_type="stop_podsandbox"} 3
storage_operation_duration_seconds_count{migrated="false",operation_name="volume_unmount",status="fail-unknown",volume_plugin="kubernetes.io/empty-dir"} 12
storage_operation_duration_seconds_bucket{migrated="false",operation_name="volume_unmount",status="fail-unknown",le="0.1"} 12
kubernetes_build_info{git_commit="x",git_version="v1.34.4"} 1
http_requests_total{path="/secret"} 7
"""
HEALTH = b"[+]ping ok\n[+]log ok\n[-]syncloop failed: reason withheld\nhealthz check failed\n"
CONFIG = {
    "kubeletconfig": {
        "cgroupDriver": "systemd",
        "evictionHard": {"nodefs.available": "10%"},
        "imageGCHighThresholdPercent": 85,
    }
}
LOG = f"""\
Nov 21 00:00:01.000001 n-1 kubelet[700]: I1121 00:00:01.000001     700 kubelet.go:2500] "SyncLoop DELETE" source="api" pods=["shop/web"]
Nov 21 00:00:02.000001 n-1 kubelet[700]: E1121 00:00:02.000001     700 nestedpendingoperations.go:348] Operation for \
"{{volumeName:kubernetes.io/empty-dir/{UID}-d podName:{UID} nodeName:}}" failed. No retries permitted until later. Error: \
UnmountVolume.TearDown failed for volume "d" (UniqueName: "kubernetes.io/empty-dir/{UID}-d") pod "{UID}" (UID: "{UID}") : \
unlinkat /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d/x: operation not permitted
"""
LISTING = b'<!doctype html>\n<meta name="viewport">\n<pre>\n<a href="dpkg.log">dpkg.log</a>\n<a href="kubelet.log">kubelet.log</a>\n</pre>\n'


def kubelet(h: Handler, **instead: Script) -> None:
    """Run a kubelet of 1.34; `instead` replaces the answer for a path."""
    name = h.path.split("?")[0].strip("/").split("/")[0]
    if name in instead:
        instead[name](h)
    elif name == "logs":
        h.say(200, LOG.encode(), Content_Type="text/plain")
    elif name == "healthz":
        h.say(500, HEALTH)
    else:
        h.say(200, {"pods": PODS, "configz": CONFIG, "metrics": METRICS}[name])


def hang(h: Handler) -> None:
    h.server.hold.wait(30)
    h.drop()


def ask(
    script: Script,
    deadline: float = 5.0,
    uid: str | None = UID,
    *,
    ca: str = PEM,
    token: str = "T",
    **more: object,
) -> tuple[list[Fact], Server]:
    with serving(script, tls()) as server:
        client = KubeletClient("127.0.0.1", server.port, token, ca, deadline, **more)
        return kubelet_facts(client, "n-1", uid), server


def only(facts: Sequence[Fact], kind: type[F]) -> F:
    (found,) = [f for f in facts if isinstance(f, kind)]
    return found


def refusals(facts: Sequence[Fact]) -> dict[str, tuple[str, str]]:
    return {f.want: (f.why, f.detail) for f in facts if isinstance(f, Refused)}


def test_what_a_kubelet_tells_is_kept_without_environments_and_arguments() -> None:
    facts, server = ask(kubelet)
    assert not refusals(facts)
    pods = only(facts, KubeletPods)
    assert pods.whole and [(i.pod.name, i.phase, i.static, i.deleting is not None) for i in pods.items] == [
        ("etcd-n-1", "Running", True, False),
        ("going", "Running", False, True),
        ("web-ü", "Running", False, False),
    ]
    assert only(facts, KubeletPod) == KubeletPod(
        about=Ref("Pod", "shop", "web-ü", UID), src=only(facts, KubeletPod).src, listed=True, phase="Running"
    )
    health = only(facts, KubeletHealth)
    assert (health.answered, health.ok, dict(health.checks)) == (
        True,
        False,
        {"ping": True, "log": True, "syncloop": False},
    )
    assert only(facts, KubeletConfig).eviction_hard == (("nodefs.available", "10%"),)
    metrics = only(facts, KubeletMetrics).items
    assert {(s.name, s.value) for s in metrics} == {
        ("kubelet_working_pods", 1.0),
        ("kubelet_runtime_operations_errors_total", 3.0),
        ("storage_operation_duration_seconds_count", 12.0),
        ("kubernetes_build_info", 1.0),
    }
    assert (
        Series(
            "kubelet_working_pods", 1.0, (("config", "desired"), ("lifecycle", "terminating"), ("static", ""))
        )
        in metrics
    )
    failure = only(facts, Failure)
    assert (failure.operation, failure.error, failure.about.uid) == ("volume-tear-down", "EPERM", UID)
    text = json.dumps([to_json(f) for f in facts])
    assert "hunter2" not in text and "s3cr3t" not in text and "secret" not in text
    assert [read_fact(to_json(f)) for f in facts] == facts, "they can be saved"
    assert {s.headers["Authorization"] for s in server.seen} == {"Bearer T"}
    assert not [s.path for s in server.seen if "proxy" in s.path]


def test_a_pod_that_the_list_does_not_hold_is_said_only_of_a_whole_list() -> None:
    facts, _ = ask(kubelet, uid=GONE)
    assert not only(facts, KubeletPod).listed and only(facts, KubeletPod).whole

    def cut(h: Handler) -> None:
        data = json.dumps(PODS).encode()
        h.send_response(200)
        h.send_header("Content-Length", str(len(data)))
        h.end_headers()
        h.wfile.write(data[:-200])
        h.drop()

    facts, _ = ask(lambda h: kubelet(h, pods=cut), uid=GONE)
    assert not only(facts, KubeletPods).whole
    assert not [f for f in facts if isinstance(f, KubeletPod)]


def test_with_the_runtime_stopped_metrics_hangs_and_the_rest_answers() -> None:
    facts, _ = ask(lambda h: kubelet(h, metrics=hang), deadline=0.7)
    endpoints = only(facts, KubeletEndpoints)
    silent = {e.path for e in endpoints.items if e.seconds is None}
    assert silent == {"/metrics"} and endpoints.whole
    assert "/metrics no reply in 0.7 s" in endpoints.src.quote
    assert refusals(facts) == {"KubeletMetrics": ("timeout", "no answer in 0.7 s")}
    assert only(facts, KubeletPods).whole and only(facts, KubeletHealth).answered


@pytest.mark.slow
def test_an_answer_that_drips_ends_at_the_deadline() -> None:
    def drip(h: Handler) -> None:
        h.send_response(200)
        h.end_headers()
        while not h.server.hold.wait(0.05):
            h.wfile.write(b"# x\n")

    begun = time.monotonic()
    facts, _ = ask(lambda h: kubelet(h, metrics=drip, logs=drip), deadline=0.7)
    assert time.monotonic() - begun < 20
    assert refusals(facts)["KubeletMetrics"][0] == "timeout" and refusals(facts)["LogSeen"][0] == "timeout"


@pytest.mark.slow
def test_a_kubelet_that_takes_the_connection_and_says_nothing() -> None:
    held: list[object] = []
    with listening(held.append) as port:
        facts = kubelet_facts(KubeletClient("127.0.0.1", port, "T", PEM, 0.5), "n-1", UID)
    assert {e.seconds for e in only(facts, KubeletEndpoints).items} == {None}
    assert {why for why, _ in refusals(facts).values()} == {"timeout"}
    assert len(held) == 1, "it is asked once, not five times"


def test_nothing_listens() -> None:
    with listening(lambda _: None) as port:
        pass
    facts = kubelet_facts(KubeletClient("127.0.0.1", port, "T", PEM, 2.0), "n-1", UID)
    assert {why for why, _ in refusals(facts).values()} == {"unreachable"} and len(facts) == 5


def forbidden(asked: str) -> Script:
    return lambda h: h.say(
        403, f"Forbidden (user=system:serviceaccount:a:b, verb=get, resource=nodes, {asked})\n".encode()
    )


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("subresource(s)=[pods proxy]", "denied"),
        ("subresource(s)=[proxy]", "not-offered"),
        ("subresource=proxy", "not-offered"),
        ("subresource=metrics", "denied"),
    ],
)
def test_too_old_for_fine_grained_permissions_is_another_thing_than_denied(asked: str, why: str) -> None:
    facts, _ = ask(lambda h: kubelet(h, pods=forbidden(asked)))
    assert refusals(facts)["KubeletPods"][0] == why
    assert only(facts, KubeletMetrics).whole


def test_a_token_that_is_not_accepted_is_denied() -> None:
    facts, _ = ask(lambda h: h.say(401, b"Unauthorized"))
    assert {why for why, _ in refusals(facts).values()} == {"denied"} and len(refusals(facts)) == 5


def test_a_directory_listing_is_no_log_and_leads_to_the_file() -> None:
    def files(h: Handler) -> None:
        h.say(200, LOG.encode() if h.path == "/logs/kubelet.log" else LISTING)

    facts, server = ask(lambda h: kubelet(h, logs=files))
    assert only(facts, LogSeen).path == "kubelet /logs/kubelet.log" and only(facts, LogSeen).verbosity == 2
    assert only(facts, Failure).src.at is None, "its zone is not known"
    assert not [s for s in server.seen if "Range" in s.headers], (
        "a kubelet writes what it answers with 206 into its own log"
    )

    def long(h: Handler) -> None:
        if h.path != "/logs/kubelet.log":
            return h.say(200, LISTING)
        h.send_response(200)
        h.send_header("Content-Length", str(1 << 31))
        h.end_headers()
        return None

    facts, _ = ask(lambda h: kubelet(h, logs=long))
    assert refusals(facts)["LogSeen"] == ("not-offered", "an answer of 2147483648 bytes is not read")
    facts, _ = ask(
        lambda h: kubelet(h, logs=lambda h: h.say(200, LISTING.replace(b"kubelet.log", b"other.log")))
    )
    assert refusals(facts)["LogSeen"] == ("not-offered", "a directory listing: this kubelet has no log query")
    facts, _ = ask(lambda h: kubelet(h, logs=lambda h: h.say(405, b"logs endpoint is disabled.")))
    assert refusals(facts)["LogSeen"] == ("not-offered", "logs endpoint is disabled.")


def test_the_token_is_not_sent_to_a_peer_that_nobody_proves() -> None:
    facts, server = ask(kubelet, ca=OTHER_PEM)
    assert {why for why, _ in refusals(facts).values()} == {"denied"} and server.seen == []
    facts, server = ask(kubelet, ca="")
    assert {why for why, _ in refusals(facts).values()} == {"denied"} and server.seen == []
    with serving(kubelet, tls("another.host")) as server:
        facts = kubelet_facts(KubeletClient("127.0.0.1", server.port, "T", PEM, 5.0), "n-1", UID)
        assert server.seen == [] and len(refusals(facts)) == 5, "signed, but for another address"


def test_on_the_very_host_a_self_signed_certificate_will_do() -> None:
    facts, server = ask(kubelet, ca=OTHER_PEM, here=True)
    assert not refusals(facts) and len(server.seen) == 5


def test_a_fingerprint_read_on_the_node_stands_for_an_authority_and_binds_the_host_itself() -> None:
    with serving(kubelet, tls("another.host")) as server:
        right = hashlib.sha256(
            ssl.PEM_cert_to_DER_cert(ssl.get_server_certificate(("127.0.0.1", server.port)))
        ).hexdigest()
        for fingerprint, here, answers in (
            (right, False, True),
            (right.upper(), True, True),
            ("00" * 32, True, False),
        ):
            client = KubeletClient(
                "127.0.0.1", server.port, "T", PEM, 5.0, here=here, fingerprint=fingerprint
            )
            assert bool(refusals(kubelet_facts(client, "n-1", UID))) is not answers


def test_a_line_break_in_a_token_sends_nothing() -> None:
    facts, server = ask(kubelet, token="T\r\nX: 1")
    assert server.seen == [] and len(refusals(facts)) == 5


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"[]",
        b'{"items": 7}',
        b'{"items": [7, null, {"metadata": []}]}',
        b"{" * 9000,
        b"<pre>",
    ],
)
def test_answers_made_to_be_misread_are_refusals(body: bytes) -> None:
    facts, _ = ask(lambda h: h.say(200, body))
    assert not [f for f in facts if isinstance(f, KubeletPod) and f.listed]
    assert {type(f) for f in facts} <= {
        Refused,
        KubeletEndpoints,
        KubeletHealth,
        KubeletMetrics,
        KubeletPods,
        KubeletPod,
        LogSeen,
    }
    if body != b'{"items": [7, null, {"metadata": []}]}':
        assert not [f for f in facts if isinstance(f, KubeletPods)]


def in_parts(take: Callable[[bytes], None], data: bytes, size: int) -> None:
    for at in range(0, len(data), size):
        take(data[at : at + size])


def test_a_list_of_pods_is_the_same_in_whatever_parts_it_comes() -> None:
    data = json.dumps(PODS, ensure_ascii=False).encode()
    found = []
    for size in (1, 7, 1 << 20):
        pods = PodList()
        in_parts(pods.take, data, size)
        assert pods.whole
        found.append(pods.items)
    assert found[0] == found[1] == found[2] and len(found[0]) == 3
    empty = PodList()
    empty.take(b'{"kind":"PodList","items":null}')
    assert empty.whole and not empty.items


def test_long_answers_need_little_memory() -> None:
    pods, samples = PodList(), Samples()
    one = json.dumps(pod(UID, "web", labels={"x": "y" * 20_000})).encode()
    line = b'storage_operation_duration_seconds_bucket{le="0.1",operation_name="x",status="y"} 1\n'
    lines = line * 40_000 + b"x" * 2_000_000 + b"\nkubelet_running_pods 3\n"
    tracemalloc.start()
    pods.take(b'{"items":[')
    for _ in range(110):
        in_parts(pods.take, one + b",", 1 << 14)
    in_parts(samples.take, lines, 1 << 16)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(pods.items) == 110 and [s.name for s in samples.items] == ["kubelet_running_pods"]
    assert peak < 1 << 20


@pytest.mark.slow
def test_no_thread_is_left_behind() -> None:
    before = threading.active_count()
    ask(lambda h: kubelet(h, metrics=hang, pods=hang), deadline=0.4)
    end = time.monotonic() + 20
    while threading.active_count() > before and time.monotonic() < end:
        time.sleep(0.05)
    assert threading.active_count() <= before
