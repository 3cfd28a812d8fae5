"""Refused requests of a finalizer's owner, by the last lines of the owner's log."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from unstuck.collect.kube.questions.finalizers import finalizer_owners
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.questions.owner_logs import LINES, list_owned_pods, list_running, read_log
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import ApiRead, Session, make_unanswered
from unstuck.collect.masking import mask
from unstuck.collect.objects.kinds import ref_of
from unstuck.facts.aspects.cluster import FinalizerOwner
from unstuck.facts.aspects.refusals import Refusal, Refusals
from unstuck.facts.codec import parse_time
from unstuck.facts.core import Fact, Ref, Want
from unstuck.wording.etcd import is_storage_full
from unstuck.wording.refused import parse_refusals

_SERVERS = 4
_SYSTEM = "kube-system"
# As kubeadm labels its static Pods (cmd/kubeadm/app/phases/controlplane). Only one of them leads and writes
# of its work.
_MANAGERS, _LEADERS = ("kube-system", "component=kube-controller-manager"), 3
_JOBS = "batch.kubernetes.io/job-tracking"


def owners_refused(session: Session, want: Want) -> list[Fact]:
    """Return one Refusals of all owners' logs: a list of Pods for each owner (two at most), and a log for
    each Pod (two at most).

    Of the Cluster: of the logs of its API servers and etcd.
    """
    if want.about.kind == "Cluster":
        return _list_control_plane(session, want)
    owners = [f for f in finalizer_owners(session, want) if isinstance(f, FinalizerOwner)]
    pods = [pod for _, pod in list_owned_pods(session, (c for f in owners for c in f.candidates))]
    if any(f.finalizer == _JOBS for f in owners):
        # For finalizers of the job controller read the logs of kube-controller-manager, if it runs in Pods.
        pods += list_running(session, *_MANAGERS)[:_LEADERS]
    if not pods:
        return [
            make_unanswered(want, "not-offered", "no running Pod of an owner was found whose log could tell")
        ]
    found: list[Refusal] = []
    read_ok: list[ApiRead] = []
    for pod, read in zip(pods, run_each(lambda p: read_log(session, p), pods), strict=True):
        if read.reply.ok:
            read_ok.append(read)
            found += _parse_refusals(read.reply.text, want.about.name or "", pod)
    if not read_ok:
        return [make_unanswered(want, "denied", "the logs of its owners may not be read")]
    latest = _keep_latest(found)
    shown = f"{latest[0].error}: {latest[0].why}" if latest else f"no refusal in the last {LINES} lines"
    return [
        Refusals(
            about=want.about, src=read_ok[0].src(shown[:300]), items=latest, logs=tuple(pods), whole=False
        )
    ]


def _list_control_plane(session: Session, want: Want) -> list[Fact]:
    """Return the messages in the control plane's logs about writes that etcd refuses, if it runs as Pods
    (kubeadm and the like).
    """
    session.looked_up.add(kind_named("Pod").path(_SYSTEM))
    found = session.listing(
        kind_named("Pod"),
        _SYSTEM,
        {"labelSelector": "component in (etcd, kube-apiserver)"},
        metadata=True,
        most=1,
    )
    pods = [ref for p in found.items if (ref := ref_of(p))][:_SERVERS]
    if not pods:
        return [make_unanswered(want, "not-offered", f"no etcd and no API server runs as a Pod of {_SYSTEM}")]
    logs = [
        (pod, read)
        for pod, read in zip(pods, run_each(lambda p: read_log(session, p), pods), strict=True)
        if read.reply.ok
    ]
    if not logs:
        return [make_unanswered(want, "denied", "the logs of the control plane may not be read")]
    lines = [
        (line, pod) for pod, read in logs for line in read.reply.text.split("\n") if is_storage_full(line)
    ]
    told = _keep_latest(_full(line, pod) for line, pod in lines)
    shown = told[0].why if told else f"no write was refused in the last {LINES} lines"
    return [
        Refusals(
            about=want.about,
            src=logs[0][1].src(shown),
            items=told,
            logs=tuple(p for p, _ in logs),
            whole=False,
        )
    ]


def _full(line: str, pod: Ref) -> Refusal:
    stamp, _, said = line.partition(" ")
    return Refusal("storage-full", None, pod, mask(said)[:300], _time(stamp))


def _parse_refusals(text: str, name: str, pod: Ref) -> Iterator[Refusal]:
    """Yield the refusals on lines that name the object as messages do: quoted, or after a `/`, `=` or `:`."""
    named = re.compile(rf"""["'/=:]{re.escape(name)}(?![\w.-])""")
    for line in text.split("\n"):
        if not named.search(line):
            continue
        stamp, _, words = line.partition(" ")
        for error, kind, by, why in parse_refusals(words):
            yield Refusal(error, Ref(kind, None, by) if kind else None, pod, mask(why)[:300], _time(stamp))


def _time(stamp: str) -> datetime | None:
    at = parse_time(stamp)
    return at.replace(microsecond=0) if at else None


def _keep_latest(found: Iterable[Refusal]) -> tuple[Refusal, ...]:
    """Return only the last one of the same refusal, newest first."""
    last = {(r.error, r.by, r.to): r for r in found}
    return tuple(
        sorted(last.values(), key=lambda r: (r.at is None, -(r.at.timestamp() if r.at else 0), str(r.by)))[
            :10
        ]
    )
