"""One root, then its consequences; equal culprits are one incident."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, State
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Confidence, Finding
from unstuck.engine import group_incidents
from unstuck.engine.link import link
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, tzinfo=UTC)
POD, NS = Ref("Pod", "shop", "a"), Ref("Namespace", None, "shop")
MOUNT, PROCESS = Ref("Mount", "lab-1", "/h"), Ref("Process", "lab-1", "812")


def told(id_: str, culprit: Ref, *blocks: Ref, confidence: Confidence = "proven") -> CauseMatch:
    return CauseMatch(id_, Text(id_, id_), confidence, Finding(Text(id_, id_), culprit, blocks), ())


def test_a_chain_starts_with_its_root_whatever_was_found_first() -> None:
    chain = link(
        [
            told("namespace.pods-remain", POD, NS),
            told("process.uninterruptible", PROCESS, POD),
            told("volume.network-filesystem-hung", MOUNT, PROCESS, POD),
        ],
        NS,
        Snapshot([], NOW),
    )
    assert [t.id for t in chain] == [
        "volume.network-filesystem-hung",
        "process.uninterruptible",
        "namespace.pods-remain",
    ]
    assert (
        chain[0].consequence_of is None
        and chain[1].consequence_of == 0
        and chain[2].consequence_of is not None
    )
    assert dict(chain[0].reach)["Pod"] == 1


def test_two_that_explain_each_other_end() -> None:
    a, b = Ref("Node", None, "a"), Ref("Node", None, "b")
    both = link([told("x.a", a, b), told("x.b", b, a)], a, Snapshot([], NOW))
    assert len(both) == 2


def test_a_proven_root_comes_before_a_likely_one() -> None:
    both = link(
        [told("a.first", MOUNT, POD, confidence="likely"), told("b.second", PROCESS, POD)],
        POD,
        Snapshot([], NOW),
    )
    assert [t.id for t in both] == ["b.second", "a.first"]


def test_equal_culprits_are_one_incident() -> None:
    registry = Ref("Registry", None, "registry.example.com")
    pods = [Ref("Pod", "shop", f"p{i}") for i in range(3)]
    diagnoses = [
        Diagnosis(
            p, State("stuck", Text("", "")), (), (told("image.registry-unreachable", registry, p),), (), ()
        )
        for p in pods
    ]
    (one,) = group_incidents(diagnoses)
    assert one.members == tuple(pods) and one.culprit == registry and dict(one.reach) == {"Pod": 3}


def test_a_proven_fault_of_the_subject_itself_does_not_follow_from_what_it_holds():
    """Its Pods are not ready, and it sends to a port that they do not have: both are to be fixed."""
    service = Ref("Service", "shop", "web")
    below = told("probe.readiness-failing", Ref("Container", "shop/a", "c"), POD)
    own = told("service.port-mismatch", service)
    both = link([below, own], service, Snapshot([], NOW))
    assert [t.consequence_of for t in both] == [None, None]
    says = told("reported.own-words", service, confidence="likely")
    assert link([below, says], service, Snapshot([], NOW))[1].consequence_of == 0
    explains = told("probe.readiness-failing", Ref("Container", "shop/a", "c"), POD, service)
    assert link([explains, own], service, Snapshot([], NOW))[1].consequence_of == 0


def test_words_of_an_object_follow_from_what_was_found_behind_it():
    """An API says that its Service has no endpoints, and the Pod behind that lacks a Secret."""
    api, pod, scaler = Ref("APIService", None, "v1.x"), POD, Ref("HorizontalPodAutoscaler", "shop", "a")
    secret = replace(told("config.secret-missing", Ref("Secret", "shop", "s"), pod), via=pod)
    words = replace(told("reported.own-words", api, confidence="likely"), via=api)
    apart = link([secret, words], scaler, Snapshot([], NOW))
    assert [t.consequence_of for t in apart] == [None, None]
    linked = link([secret, words], scaler, Snapshot([], NOW), below={api: frozenset({pod})})
    assert [(t.id, t.consequence_of) for t in linked] == [
        ("config.secret-missing", None),
        ("reported.own-words", 0),
    ]


def test_what_the_subject_does_to_others_comes_before_what_is_done_to_others_by_a_third() -> None:
    """A limit refuses one workload, a quota another: asked about the limit, its own refusal is the root."""
    limit, quota = Ref("LimitRange", "shop", "bounds"), Ref("ResourceQuota", "shop", "all")
    big, many = Ref("Deployment", "shop", "big"), Ref("Deployment", "shop", "many")
    by_quota = replace(told("admission.exceeded", quota, many), via=many)
    by_limit = replace(told("admission.limited", limit, big), via=big)
    found = link([by_quota, by_limit], limit, Snapshot([], NOW))
    assert (found[0].id, found[0].consequence_of) == ("admission.limited", None)


def test_what_is_found_on_the_subject_explains_what_it_does_to_others() -> None:
    """A claim without its class keeps a Pod from starting: the class is the root of both."""
    claim, kind = Ref("PersistentVolumeClaim", "shop", "data"), Ref("StorageClass", None, "fast")
    unbound = replace(told("storage.claim-unbound", claim, POD), via=POD)
    found = link([unbound, told("storage.class-missing", kind, claim)], claim, Snapshot([], NOW))
    assert [(t.id, t.consequence_of) for t in found] == [
        ("storage.class-missing", None),
        ("storage.claim-unbound", 0),
    ]
