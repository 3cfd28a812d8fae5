"""Names in a line are found in any context, and none are invented."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.collect.objects.kinds import find_kind
from unstuck.diagnosis.objects_named import find_objects_in_line
from unstuck.facts.core import Ref
from unstuck.knowledge.kind_words import CLUSTER_SCOPED, KIND_WORDS

NAMES = st.from_regex(r"[a-z0-9]{1,8}-[a-z0-9]{1,8}", fullmatch=True)


@pytest.mark.parametrize(("word", "kind"), KIND_WORDS.items())
def test_the_words_are_those_that_kubectl_takes(word: str, kind: str) -> None:
    known = find_kind(word)
    assert known is not None and known.name == kind and known.namespaced is (kind not in CLUSTER_SCOPED)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (
            "job/bookings-migrate-v31 is not complete yet, waiting",
            [Ref("Job", "shop", "bookings-migrate-v31")],
        ),
        (
            "attempting to acquire leader lease tariffs/tariff-operator-lock...",
            [Ref("Lease", "tariffs", "tariff-operator-lock")],
        ),
        (
            "attempting to acquire leader lease  kube-system/op-lock...",
            [Ref("Lease", "kube-system", "op-lock")],
        ),
        ('configmap "app-conf" not found', [Ref("ConfigMap", "shop", "app-conf")]),
        ('secrets "a.b" is forbidden', [Ref("Secret", "shop", "a.b")]),
        ("service tickets/tickets-v2 not found", [Ref("Service", "tickets", "tickets-v2")]),
        ("Job nightly-2026 has failed", [Ref("Job", "shop", "nightly-2026")]),
        ("User system:serviceaccount:op:ctl cannot list", [Ref("ServiceAccount", "op", "ctl")]),
        (
            "not ready: redis session-cache:6379: Connection refused",
            [Ref("Service", "shop", "session-cache")],
        ),
        ('Get "http://auth.users.svc.cluster.local:8080/x": EOF', [Ref("Service", "users", "auth")]),
        # A type of another group, as named by the server and a client; whether it is namespaced is unknown
        # here.
        (
            'TriggerAuthentication.keda.sh "rabbit" not found',
            [Ref("TriggerAuthentication.keda.sh", "shop", "rabbit")],
        ),
        ('issuers.cert-manager.io "tls/ca" is forbidden', [Ref("issuers.cert-manager.io", "tls", "ca")]),
        (
            'services.serving.knative.dev "hello" not found',
            [Ref("services.serving.knative.dev", "shop", "hello")],
        ),
        ('deployments.apps "web" not found', [Ref("Deployment", "shop", "web")]),
        (
            "backend ref to Service berth-prices/prices not permitted",
            [Ref("Service", "berth-prices", "prices")],
        ),
        ('persistentvolume "pv-1" not found', [Ref("PersistentVolume", None, "pv-1")]),
        ("dial tcp 10.96.248.253:8080: i/o timeout", []),
        ("main.go:42 panic at 12:30:15, exit code:2", []),
        ("the service account is missing, and so is the job", []),
        ("https://example.com/pods/list", []),
        ("connecting to localhost:5432", []),
        ("registry.example.com/service/app:1", []),
    ],
)
def test_what_a_line_names(line: str, named: list[Ref]) -> None:
    assert list(find_objects_in_line(line, "shop")) == named


@given(
    st.text(max_size=30),
    NAMES,
    st.sampled_from(["Job", "Service", "ConfigMap", "Lease"]),
    st.text(max_size=30),
)
def test_a_quoted_name_is_found_whatever_stands_around_it(
    before: str, name: str, kind: str, after: str
) -> None:
    assert Ref(kind, "shop", name) in find_objects_in_line(
        f'{before} {kind.lower()} "{name}" {after}', "shop"
    )


@given(st.text(max_size=400))
def test_no_line_is_too_odd(line: str) -> None:
    for ref in find_objects_in_line(line, None):
        assert ref.name and ref.kind in KIND_WORDS.values()


@pytest.mark.parametrize(
    "line",
    [
        "3 node(s) didn't match pod affinity/anti-affinity",
        "a pod mount/unmount went wrong",
        "a pod ready/unready again",
    ],
)
def test_two_words_with_a_slash_are_no_namespace_and_name(line: str) -> None:
    assert find_objects_in_line(line, None) == ()


def test_a_namespace_may_be_called_as_what_is_in_it() -> None:
    assert [ref.name for ref in find_objects_in_line("service web/web and pod web/my-web failed", None)] == [
        "web",
        "my-web",
    ]
