"""Invariants of every message: the innermost error decides, no exception, no dangerous output."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.wording.clean import LIMIT, clean
from unstuck.wording.match import PATTERNS, find_failures
from unstuck.wording.namespace import is_stale, parse_failed_groups, parse_finalizers, parse_remaining
from unstuck.wording.scheduler import parse_unschedulable

POD = Ref("Pod", "f", "p")
SRC = Source("test")
WORDS = sorted({n for p in PATTERNS for n in p.need} | {e.text for p in PATTERNS for e in p.examples})


def read(text: str, reason: str = "") -> list[Failure]:
    return find_failures(text, about=POD, src=SRC, reason=reason)


def test_the_innermost_error_decides() -> None:
    (told,) = read(
        'error killing pod: failed to "KillPodSandbox" for "u" with KillPodSandboxError: "rpc error: code = DeadlineExceeded desc = '
        'failed to destroy network for sandbox \\"a\\": open /var/lib/cni/x: permission denied"'
    )
    assert (told.operation, told.error, told.path) == ("network-tear-down", "EACCES", "/var/lib/cni/x")


def test_an_aggregate_tells_of_every_object_in_it() -> None:
    told = read('MountVolume.SetUp failed for volume "all" : [configmap "a" not found, secret "b" not found]')
    assert [(f.object, f.volume) for f in told] == [
        (Ref("ConfigMap", "f", "a"), "all"),
        (Ref("Secret", "f", "b"), "all"),
    ]


def test_the_same_error_named_twice_in_one_line_is_one_failure() -> None:
    line = '"Error" err="UnmountVolume.TearDown failed for volume \\"d\\" : remove /x/d: directory not empty"'
    assert len(read(f"{line} {line}")) == 1


def test_the_reason_tells_the_operation_only_where_the_message_does_not() -> None:
    assert read("context deadline exceeded", "FailedMount")[0].operation == "volume-set-up"
    assert read("context deadline exceeded") == []
    assert read('configmap "x" not found', "CreateContainerConfigError")[0].operation == "container-create"
    assert read('Failed to pull image "a/b": i/o timeout', "FailedMount")[0].operation == "image-pull"


def test_a_back_off_is_no_failure_of_its_own() -> None:
    assert read('Back-off pulling image "r.example/a:1"', "BackOff") == []
    assert read("back-off 5m0s restarting failed container=c pod=p_f(u)", "BackOff") == []


def test_count_first_and_reporter_are_passed_on() -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC)
    (told,) = find_failures(
        "PreStopHook failed", about=POD, src=SRC, reporter="kubelet", count=7, first=first
    )
    assert (told.count, told.first, told.reporter, told.about, told.whole) == (
        7,
        first,
        "kubelet",
        POD,
        False,
    )


def test_the_object_lies_in_the_subjects_namespace_unless_the_message_names_one() -> None:
    assert read('configmap "x" not found')[0].object == Ref("ConfigMap", "f", "x")
    assert read("couldn't find key k in Secret g/s")[0].object == Ref("Secret", "g", "s")
    (told,) = find_failures('configmap "x" not found', about=Ref("Pod", uid="u"), src=SRC)
    assert told.object == Ref("ConfigMap", None, "x")


def test_a_long_message_is_cut_and_control_characters_do_no_harm() -> None:
    assert len(clean("x" * 10 * LIMIT)) == LIMIT
    (told,) = read(
        'MountVolume.SetUp failed for volume "\x1b[31mv\x1b[0m" : config\x00map\u202e "x" not found: mkdir /a\x07b: permission denied'
    )
    assert not any(ord(c) < 32 or c == "\u202e" for c in f"{told.volume}{told.message}{told.path}")


@settings(max_examples=scale_examples(300), deadline=None)
@given(
    st.lists(st.one_of(st.sampled_from(WORDS), st.text(max_size=20)), max_size=12).map(" ".join),
    st.sampled_from(["", "Failed", "FailedMount"]),
)
def test_no_message_raises_and_none_is_whole(text: str, reason: str) -> None:
    for told in read(text, reason):
        assert told.operation and told.error
        assert not told.whole
        assert len(told.message) <= 300
    assert parse_unschedulable(text) is None or isinstance(parse_unschedulable(text), tuple)
    assert isinstance(parse_remaining(text), tuple)
    assert isinstance(parse_finalizers(text), tuple)
    assert isinstance(parse_failed_groups(text), tuple)


@pytest.mark.parametrize(
    "sign",
    [
        '"',
        "(",
        "[",
        " ",
        "/",
        ":",
        "a",
        "\\",
        "x509: ",
        "lookup ",
        'failed to "',
        "0/1 nodes are available: 1 a, ",
    ],
)
def test_no_repetition_makes_a_pattern_slow(sign: str) -> None:
    """A pattern that backtracks without bound would not end here within the suite's time-out."""
    text = sign * (LIMIT // len(sign))
    for head in (
        "",
        'MountVolume.SetUp failed for volume "v" : ',
        'Failed to pull image "a": Get "https://x/',
        "Liveness probe failed: ",
    ):
        read(head + text)
        parse_unschedulable(head + text)
        parse_failed_groups(head + text)


def test_what_a_namespace_condition_says() -> None:
    assert parse_remaining(
        "Some resources are remaining: pods. has 1 resource instances, widgets.example.com has 2 resource instances"
    ) == (
        ("pods", 1),
        ("widgets.example.com", 2),
    )
    assert parse_finalizers(
        "Some content in the namespace has finalizers remaining: example.com/guard in 2 resource instances"
    ) == (("example.com/guard", 2),)
    told = parse_failed_groups(
        "Discovery failed for some groups, 2 failing: unable to retrieve the complete list of server APIs: "
        "metrics.dead.io/v1beta1: the server is currently unable to handle the request, a.b/v1: stale GroupVersion discovery: a.b/v1"
    )
    assert told == (
        ("metrics.dead.io/v1beta1", "the server is currently unable to handle the request"),
        ("a.b/v1", "stale GroupVersion discovery: a.b/v1"),
    )
    assert [is_stale(words) for _, words in told] == [False, True]
