"""The logs of the workloads that work on an object: their running Pods, and the lines that name it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from unstuck.collect.kube.questions.below import label_selector
from unstuck.collect.kube.questions.finalizers import finalizer_owners
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.questions.written import type_status
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import ApiRead, Session, make_unanswered
from unstuck.collect.masking import mask
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import ref_of
from unstuck.facts.aspects.cluster import Candidate, FinalizerOwner
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.reported import ControllerLine, ControllerLines, TypeStatus
from unstuck.facts.core import Fact, Ref, Want

LINES = 300
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet")
_BYTES = 256 * 1024
_OWNERS, _PODS, _TOLD = 2, 2, 3
_LONGEST = 2000


def controller_lines(session: Session, want: Want) -> list[Fact]:
    """Return the lines about an object that report trouble, in the logs of the workloads that work on its
    type or should clear its finalizers: at most two workloads with two Pods each.
    """
    pods = list_owned_pods(session, _list_candidates(session, want))
    if not pods:
        return [make_unanswered(want, "not-offered", "no running Pod of its controller is known")]
    logs = [
        (by, read)
        for (by, _), read in zip(pods, run_each(lambda p: read_log(session, p[1]), pods), strict=True)
        if read.reply.ok
    ]
    if not logs:
        return [make_unanswered(want, "denied", "the logs of its controller may not be read")]
    items = tuple(
        dict.fromkeys(ControllerLine(by, line) for by, read in logs for line in _list_lines(read, want.about))
    )
    quote = items[-1].line[:200] if items else f"no line about it in the last {LINES}"
    return [ControllerLines(about=want.about, src=logs[0][1].src(quote), items=items, whole=False)]


def _list_candidates(session: Session, want: Want) -> Iterator[Candidate]:
    deleted = False
    for fact in finalizer_owners(session, want):
        deleted = deleted or isinstance(fact, Deletion)
        if isinstance(fact, FinalizerOwner):
            yield from fact.candidates
    if not deleted:
        for fact in type_status(session, want):
            yield from fact.controllers if isinstance(fact, TypeStatus) else ()


def _list_lines(read: ApiRead, about: Ref) -> tuple[str, ...]:
    """Return the last lines that report trouble with an object of this name."""
    from unstuck.wording.program.trouble import find_trouble_lines  # as of a lost log: logs.py

    named = re.compile(rf"""["'/=: ]{re.escape(about.name or "")}(?![\w.-])""")
    lines = (line.partition(" ")[2] for line in read.reply.text.split("\n"))
    own = [mask(line[:_LONGEST]) for line in lines if named.search(line)]
    space = [line for line in own if about.within and about.within in line]
    return find_trouble_lines(space or own)[-_TOLD:]


def list_owned_pods(session: Session, candidates: Iterable[Candidate]) -> list[tuple[Ref, Ref]]:
    """Return the first running Pods of the first ready workloads, each with its workload."""
    ready = dict.fromkeys(c.ref for c in candidates if c.ready and c.ref.kind in _WORKLOADS)
    return [(ref, pod) for ref in list(ready)[:_OWNERS] for pod in _list_pods(session, ref)]


def _list_pods(session: Session, owner: Ref) -> list[Ref]:
    kind = kind_named(owner.kind)
    read = session.object(kind, owner)
    selector = (
        label_selector(doc.section(read.reply.doc, "spec", "selector"), owner.kind) if read.reply.ok else ""
    )
    if not selector:
        return []
    return list_running(session, owner.within, selector)[:_PODS]


def list_running(session: Session, namespace: str | None, selector: str) -> list[Ref]:
    """Return the running Pods with these labels."""
    session.looked_up.add(kind_named("Pod").path(namespace))
    found = session.listing(kind_named("Pod"), namespace, {"labelSelector": selector}, most=1)
    return [ref for p in found.items if doc.text(p, "status", "phase") == "Running" and (ref := ref_of(p))]


def read_log(session: Session, pod: Ref) -> ApiRead:
    """Return the last lines of a Pod's log, each with its time."""
    path = f"{kind_named('Pod').path(pod.within, pod.name)}/log"
    session.looked_up.add(path)
    return session.get(
        path, {"tailLines": LINES, "limitBytes": _BYTES, "timestamps": "true"}, accept="*/*", retries=0
    )
