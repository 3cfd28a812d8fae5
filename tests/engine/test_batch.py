"""Many Pods at once: the findings about the first are checked for the others, even if only likely."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from tests.contract.support import load_all, load_facts
from unstuck.collect.text import read_text
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.engine import diagnose, discover
from unstuck.engine.batch import OPEN, diagnose_together, make_model, match_model
from unstuck.engine.incidents import group_incidents
from unstuck.facts.aspects.cluster import Claim
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot

MANY = 14
OWNER = (
    "ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: oom-5d, uid: "
    "00000000-0000-4000-8000-0000000000ff, controller: true}]"
)


def _of_one_owner() -> Snapshot:
    case = next(
        c.case for c in load_all() if c.name == "container.out-of-memory: OOMKilled with a limit of 32Mi"
    )
    info, text = case.texts[0]
    pods = [
        text.replace("name: oom,", f"name: oom-5d-{n:02d}, {OWNER},").replace(
            "000000000095", f"0000000000{n:02d}"
        )
        for n in range(MANY)
    ]
    assert case.now is not None
    return Snapshot(load_facts(replace(case, texts=((info, "---\n".join(pods)),))), case.now)


def test_pods_of_one_template_that_likely_fail_alike_are_one_incident_and_one_is_looked_at_in_depth() -> None:
    snap = _of_one_owner()
    found = diagnose_together(snap.subjects("Pod"), snap, discover())
    assert {t.id for d in found for t in d.causes} == {"container.out-of-memory"}
    assert {t.confidence for d in found for t in d.causes} == {"likely"}
    assert sum(bool(d.undecided) for d in found) == 1
    assert [(i.cause, len(i.members)) for i in group_incidents(found, snap)] == [
        ("container.out-of-memory", MANY)
    ]


def _signs(pod: Ref, snap: Snapshot, culprit: Ref, blocked: Ref, reason: str) -> Signs:
    hit = some(snap, Phase, pod, lambda f: [f] if reason in ("", f.reason) else [])
    return Signs(lambda: Finding(Text(reason, reason), culprit, (blocked,)), {"it is so": hit})


def _claim(pod: Ref) -> Ref:
    return Ref("PersistentVolumeClaim", pod.within, pod.name)


def test_what_only_follows_from_another_root_explains_no_other_pod() -> None:
    """The first Pod's claim waits for its class; of the second one only that it waits for a claim was
    found.
    """
    causes = (
        Cause(
            "test.class-missing",
            Text("a", "a"),
            ("Pod",),
            frozenset({Phase}),
            lambda pod, snap: _signs(pod, snap, Ref("StorageClass", None, "x"), _claim(pod), "NoClass"),
        ),
        Cause(
            "test.unbound",
            Text("b", "b"),
            ("Pod",),
            frozenset({Phase}),
            lambda pod, snap: _signs(pod, snap, _claim(pod), pod, ""),
        ),
    )
    first, second = Ref("Pod", "shop", "first", "u1"), Ref("Pod", "shop", "second", "u2")
    src = Source("api")
    facts = [
        Phase(about=first, src=src, phase="Pending", reason="NoClass"),
        Phase(about=second, src=src, phase="Pending"),
    ]
    snap = Snapshot(facts, datetime(2026, 11, 21, tzinfo=UTC))
    model = diagnose(first, snap, causes)
    assert [(t.id, t.consequence_of) for t in model.causes] == [
        ("test.class-missing", None),
        ("test.unbound", 0),
    ]
    assert [t.id for t in diagnose(second, snap, causes).causes] == ["test.unbound"]
    assert (
        match_model(second, make_model([(model.subject, t) for t in model.causes], snap), snap, causes, None)
        is None
    )


def test_of_two_claims_that_look_different_the_second_one_is_asked_about_itself() -> None:
    """Both Pods provably wait for a claim. The first one's has no class to blame; why the other one's
    waits is not known from it.
    """
    unbound = Cause(
        "test.unbound",
        Text("b", "b"),
        ("Pod",),
        frozenset({Phase}),
        lambda pod, snap: _signs(pod, snap, _claim(pod), pod, ""),
    )
    pods = [Ref("Pod", "shop", name, name) for name in ("first", "alike", "other")]
    src, classes = Source("api"), {"first": "", "alike": "", "other": "fast"}
    facts: list[Fact] = [Phase(about=p, src=src, phase="Pending") for p in pods]
    facts += [Phase(about=_claim(p), src=src, phase="Pending") for p in pods]
    facts += [Claim(about=_claim(p), src=src, storage_class=classes[p.name or ""]) for p in pods]
    snap = Snapshot(facts, datetime(2026, 11, 21, tzinfo=UTC))
    first, alike, other = pods
    model = make_model([(first, t) for t in diagnose(first, snap, (unbound,)).causes], snap)
    assert match_model(alike, model, snap, (unbound,), None)
    assert match_model(other, model, snap, (unbound,), None) is None


def _listed(count: int, status: str = "CrashLoopBackOff") -> str:
    rows = [f"shop   web-{n}-abcde   0/1   {status}   4 (2m ago)   12m" for n in range(count)]
    return "\n".join(["NAMESPACE   NAME   READY   STATUS   RESTARTS   AGE", *rows])


def test_where_nothing_is_known_but_rows_of_a_table_a_few_are_looked_at_in_depth() -> None:
    snap = _snap(_listed(OPEN + 15))
    found = diagnose_together(snap.subjects("Pod"), snap, discover())
    assert {d.state.name for d in found} == {"stuck"}
    assert sum(bool(d.undecided) for d in found) == OPEN


def test_one_of_whom_more_is_known_is_looked_at_however_many_came_before() -> None:
    """Its name is the last one; what was said of it is its own."""
    events = """\
NAMESPACE   LAST SEEN   TYPE      REASON   OBJECT              MESSAGE
shop        2m          Warning   Failed   pod/web-99-abcde   Error: configmap "settings" not found
"""
    snap = _snap(f"{_listed(100, 'CreateContainerConfigError')}\n\n{events}")
    told = {
        d.subject.name: [t.id for t in d.causes]
        for d in diagnose_together(snap.subjects("Pod"), snap, discover())
    }
    assert told.pop("web-99-abcde") == ["config.configmap-missing"]
    assert {id_ for ids in told.values() for id_ in ids} == set()


def _snap(text: str) -> Snapshot:
    now = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
    return Snapshot(read_text(text, "paste.txt", now).facts, now)
