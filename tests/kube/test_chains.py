"""Links from one object to the next: a copy's original, the differences of an object that no controller handles,
the maker of a Secret by its name's form, a kind of the same project, and values quoted in messages.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.kube.cluster import cluster, make_list, make_object
from tests.kube.test_near_miss import asked, discovered, groups
from tests.stages.test_referred import NOW, made
from unstuck.collect.kube.questions.resources import are_groups_akin, find_kind_akin
from unstuck.collect.kube.questions.unlike import find_unlike
from unstuck.collect.objects import facts_of
from unstuck.collect.objects.kinds import Kind
from unstuck.collect.objects.makers import MAKERS
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.references import Mark, Namesakes, References
from unstuck.facts.aspects.reported import Reported, Setting, Unlike
from unstuck.facts.core import Ref, Want

Doc = dict[str, Any]
QUEUE = Kind("Queue", "mq.example.com", "v1", "queues", True)


def test_the_marks_of_a_namesake_are_told_without_those_of_tools() -> None:
    key = "reflector.v1.k8s.emberstack.com/reflection-allowed-namespaces"
    notes = {key: "a,b", "kubectl.kubernetes.io/last-applied-configuration": "{}", "plain": "x"}
    there = make_object("wild", "store", annotations=notes, labels={"helm.sh/chart": "x"})
    pages = {
        "/api/v1/namespaces/shop/secrets": make_list(make_object("wilt", "shop")),
        "/api/v1/secrets": make_list(there),
    }
    found = asked(pages, Want(Namesakes, Ref("Secret", "shop", "wild")))
    assert isinstance(found, Namesakes)
    assert found.refs == (Ref("Secret", "store", "wild"),) and found.near == ("wilt",)
    assert found.marks == (Mark(Ref("Secret", "store", "wild"), key, "a,b"),)


@pytest.mark.parametrize(
    ("one", "other", "akin"),
    [
        ("helm.toolkit.fluxcd.io", "source.toolkit.fluxcd.io", True),
        ("kubevirt.io", "cdi.kubevirt.io", True),
        ("cluster.x-k8s.io", "infrastructure.cluster.x-k8s.io", True),
        ("networking.k8s.io", "storage.k8s.io", False),
        ("kueue.x-k8s.io", "jobset.x-k8s.io", False),
        ("a.example.com", "b.example.org", False),
    ],
)
def test_groups_of_one_project(one: str, other: str, akin: bool) -> None:
    assert are_groups_akin(one, other) is akin


def test_a_kind_of_two_groups_of_a_project_is_none() -> None:
    kinds = [Kind("Cache", f"{g}.mq.example.com", "v1", "caches", True) for g in ("a", "b")]
    assert find_kind_akin("Cache.mq.example.com", kinds[:1]) == kinds[0]
    assert find_kind_akin("Cache.mq.example.com", kinds) is None


def test_a_kind_that_a_sentence_names_is_looked_for_in_the_project() -> None:
    pages = {
        **groups(
            discovered("app.mq.example.com", "v1", ("Client", "clients", "Namespaced")),
            discovered("core.mq.example.com", "v1", ("QueueSet", "queuesets", "Namespaced")),
        ),
        "/apis/core.mq.example.com/v1/namespaces/shop/queuesets/main": {
            "apiVersion": "core.mq.example.com/v1",
            "kind": "QueueSet",
            **make_object("main", "shop", uid="u-1"),
        },
    }
    with cluster(pages) as c:
        found = c.collector.collect([Want(Presence, Ref("QueueSet.app.mq.example.com", "shop", "main"))])
    assert any(isinstance(f, Presence) and f.about.kind == "QueueSet.core.mq.example.com" for f in found)


def queue(name: str, spec: Doc | None = None, **labels: str) -> Doc:
    return {"metadata": {"name": name, "namespace": "shop", "labels": labels}, "spec": spec or {}}


def test_a_label_of_its_project_that_no_heeded_object_has_so() -> None:
    others = [queue("b", **{"mq.example.com/cluster": "main", "app": "x"})]
    own = queue("a", **{"mq.example.com/cluster": "mian", "app": "y"})
    of = Ref("Queue.mq.example.com", "shop", "b")
    assert find_unlike(own, others, QUEUE) == (
        Unlike("metadata.labels[mq.example.com/cluster]", "mian", ("main",), of),
    )
    assert not find_unlike(others[0], others, QUEUE)


def test_a_class_in_the_spec_and_what_the_others_do_not_agree_on() -> None:
    others = [
        queue("b", {"brokerClass": "fast", "owner": "p"}),
        queue("c", {"brokerClass": "fast", "owner": "q"}),
    ]
    found = find_unlike(queue("a", {"owner": "r"}), others, QUEUE)
    assert [(u.field, u.own, u.theirs) for u in found] == [("spec.brokerClass", "", ("fast",))]


@pytest.mark.parametrize(
    ("kind", "own", "name", "makes"),
    [
        ("Cluster.postgresql.cnpg.io", "tax-db", "tax-db-app", True),
        ("Cluster.postgresql.cnpg.io", "tax", "tax-db-app", False),
        ("Elasticsearch.elasticsearch.k8s.elastic.co", "logs", "logs-es-elastic-user", True),
        ("Certificate.cert-manager.io", "shop-tls", "shop-tls", True),
        ("Certificate.cert-manager.io", "shop", "shop-tls", False),
    ],
)
def test_a_made_object_has_the_form_of_its_makers_names(kind: str, own: str, name: str, makes: bool) -> None:
    row = next(r for r in MAKERS if r.kind == kind)
    assert row.makes_named(own, name) is makes


def said(spec: Doc, message: str) -> tuple[Setting, ...]:
    row = {"type": "Ready", "status": "False", "reason": "Bad", "message": message}
    one = made(
        "mq.example.com/v1", "Queue", "a", spec=spec, status={"conditions": [row]}, meta={"generation": 1}
    )
    return next((f.said for f in facts_of(one, "/x", NOW) if isinstance(f, Reported)), ())


def test_a_value_of_the_spec_that_a_sentence_quotes() -> None:
    spec = {"image": {"version": "4.2.*", "name": "rabbit"}, "mode": "ready", "template": {"a": "4.2.*"}}
    assert said(spec, "no 'rabbit' of version 4.2.* is there, it is not ready") == (
        Setting("spec.image.name", "rabbit"),
        Setting("spec.image.version", "4.2.*"),
    )
    assert not said(spec, "it is not ready, for some reason of 14.2.*")


def test_an_object_named_by_its_kind_as_a_field() -> None:
    spec = {"disks": [{"name": "root", "dataVolume": {"name": "erp-root"}}]}
    one = made("vm.example.com/v1", "Machine", "erp", spec=spec, status={"queueSet": "mq/main"})
    named = {r.to: r.field for f in facts_of(one, "/x", NOW) if isinstance(f, References) for r in f.items}
    assert named[Ref("DataVolume.vm.example.com", "shop", "erp-root")] == "spec.disks[0].dataVolume.name"
    assert named[Ref("QueueSet.vm.example.com", "mq", "main")] == "status.queueSet"
