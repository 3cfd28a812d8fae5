"""Advice about a webhook known only from the server's message: its failure, its Service, and the first
look.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.causes.admission import webhook_denies, webhook_unreachable
from unstuck.collect.text import read_text
from unstuck.diagnosis.verdict import Finding
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.told_state import judge_webhook

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
EVENT = """$ kubectl get events -n f
LAST SEEN   TYPE      REASON         OBJECT                     MESSAGE
20s         Warning   FailedCreate   replicaset/rs-6d4cf56db6   Error creating: {told}
"""
CALLED = 'Internal error occurred: failed calling webhook "h.example.com": '
POST = 'Post "https://svc.ns.svc:443/mutate?timeout=10s": '


def found(told: str) -> Finding:
    snap = Snapshot(read_text(EVENT.format(told=told), "paste.txt", NOW).facts, NOW)
    cause = webhook_denies.CAUSE if "denied" in told else webhook_unreachable.CAUSE
    return cause.rule(Ref("ReplicaSet", "f", "rs-6d4cf56db6"), snap).finding()


@pytest.mark.parametrize(
    ("told", "says", "first"),
    [
        (
            f'{POST}no endpoints available for service "svc"',
            "its Service svc has no ready Pod",
            "restore Service ns/svc",
        ),
        (f"{POST}context deadline exceeded", "did not respond", "make Service ns/svc respond in time"),
        (
            f"{POST}dial tcp 10.0.0.9:443: i/o timeout",
            "did not respond",
            "make Service ns/svc respond in time",
        ),
        (
            'an error on the server ("sealed") has prevented it',
            "returned its own error",
            "see in the logs of its backend",
        ),
        (f"{POST}x509: certificate has expired", "rejects its certificate", "renew the certificate"),
    ],
)
def test_how_it_fails_decides_what_is_mended(told: str, says: str, first: str) -> None:
    finding = found(CALLED + told)
    assert says in finding.says.en
    assert [step.says.en.startswith(first) for step in finding.help if step.where == "source"] == [True]


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ("context deadline exceeded", "did not respond"),
        (
            "x509: certificate signed by unknown authority",
            "rejects its certificate: certificate signed by unknown authority",
        ),
    ],
)
def test_so_it_does_where_a_text_shows_somebodys_write_alone(told: str, says: str) -> None:
    text = f'Error from server (InternalError): error when creating "a.yaml": {CALLED}{POST}{told}'
    snap = Snapshot(read_text(text, "paste.txt", NOW).facts, NOW)
    (hook,) = snap.subjects("Webhook")
    assert says in webhook_unreachable.CAUSE.rule(hook, snap).finding().says.en


@pytest.mark.parametrize("quoted", ['"', ""])
def test_the_service_that_was_asked_is_looked_at(quoted: str) -> None:
    finding = found(f"{CALLED}Post {quoted}https://svc.ns.svc:443/mutate?timeout=10s{quoted}: EOF")
    assert finding.help[0].command.line == "kubectl get service/svc endpoints/svc -n ns"


def test_where_only_the_certificate_is_wrong_it_is_not() -> None:
    assert not any(step.command for step in found(f"{CALLED}{POST}x509: certificate has expired").help)


def test_a_webhook_is_no_object_that_could_be_edited() -> None:
    commands = [
        step.command
        for step in found('admission webhook "h.example.com" denied the request: no').help
        if step.command
    ]
    assert [command.argv[:3] for command in commands] == [
        ("kubectl", "get", "validatingwebhookconfigurations,mutatingwebhookconfigurations"),
    ]


OPEN = (
    "W0302 08:11:05.120001       1 dispatcher.go:181] Failed calling webhook, failing open v.guard.example.org: "
    'failed calling webhook "v.guard.example.org": {why}\n'
)
AGAIN = (
    'E0302 08:11:05.120033       1 dispatcher.go:185] failed calling webhook "v.guard.example.org": {why}\n'
)
CLOSED = OPEN.replace("open", "closed")
ANSWER = 'Internal error occurred: failed calling webhook "v.guard.example.org": {why}\n'
WHY = 'Post "https://guard.sec.svc:443/v?timeout=5s": dial tcp 10.3.0.7:443: connect: connection refused'


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        (OPEN, True),
        (OPEN + AGAIN, True),
        (AGAIN + OPEN, True),
        (AGAIN, False),
        (CLOSED, False),
        (ANSWER, False),
        (OPEN + AGAIN + ANSWER, False),
        (OPEN.replace("open v.guard", "open w.guard"), False),
    ],
)
def test_a_write_that_passed_without_the_webhook_is_not_called_refused(text: str, passed: bool) -> None:
    snap = Snapshot(read_text(text.format(why=WHY), "paste.txt", NOW).facts, NOW)
    hook = Ref("Webhook", None, "v.guard.example.org")
    state = judge_webhook(hook, snap)
    assert state is not None
    assert ("passed without it" in state.headline.en, "refused" in state.headline.en) == (passed, not passed)
    finding = webhook_unreachable.CAUSE.rule(hook, snap).finding()
    assert ("failurePolicy Ignore let them through" in finding.says.en) == passed
    assert [one.says.en.rpartition(" ")[2] for one in finding.do_not] == (
        ["called"] if passed else ["permanently"]
    )
