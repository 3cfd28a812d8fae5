"""Stored but unreadable objects, and impossible writes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from tests.kube.cluster import CLUSTER, DISCOVERY, SHOP, ask, cluster, make_list, make_object, pick
from unstuck.errors import Unreachable
from unstuck.facts.aspects.cluster import Contents
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.aspects.stored import LastWrite, Unreadable
from unstuck.facts.core import Ref, Want
from unstuck.wording.stored import find_unread_keys, find_unread_object

NO_KEY = "identity transformer tried to read encrypted data"


def unread(words: str) -> tuple[int, object]:
    return 500, {"kind": "Status", "reason": "InternalError", "message": f"Internal error occurred: {words}"}


def test_an_object_that_the_server_cannot_read_is_an_answer_and_no_error():
    with cluster({f"{SHOP}/secrets/db": unread(NO_KEY)}) as c:
        ref, facts = c.collector.start(Ref("secret", "k-try", "db"))
        assert [(f.about, f.error, f.whole) for f in pick(facts, Unreadable)] == [
            (ref, "untransformable", True)
        ]
        assert pick(ask(c, Want(Presence, ref)), Unreadable) == pick(facts, Unreadable)
        assert [(f.about, f.exists) for f in pick(facts, Presence)] == [(ref, True)]


def test_another_error_of_the_server_is_none_of_the_storage():
    with (
        cluster({f"{SHOP}/secrets/db": unread("etcdserver: request timed out")}) as c,
        pytest.raises(Unreachable, match="timed out"),
    ):
        c.collector.start(Ref("secret", "k-try", "db"))


@pytest.mark.parametrize(
    ("reply", "about"),
    [
        (
            unread(f'unable to transform key "/registry/configmaps/k-try/settings": {NO_KEY}'),
            Ref("ConfigMap", "k-try", "settings"),
        ),
        (
            unread("couldn't get version/kind; json parse error: invalid character 'g'"),
            Ref("ConfigMapList", "k-try"),
        ),
        (
            (500, {"kind": "Status", "message": "illegal base64 data at input byte 4"}),
            Ref("ConfigMapList", "k-try"),
        ),
        (
            (
                500,
                {
                    "kind": "Status",
                    "reason": "StoreReadError",
                    "message": "failed to read one or more configmaps from the storage",
                    "details": {
                        "causes": [
                            {
                                "message": "StorageError: corrupt object, Code: 6, Key: "
                                "/registry/configmaps/k-try/settings, "
                                "ResourceVersion: 0, AdditionalErrorMsg: data from the storage is not "
                                f"transformable revision=0: {NO_KEY}"
                            }
                        ]
                    },
                },
            ),
            Ref("ConfigMap", "k-try", "settings"),
        ),
    ],
    ids=["key named", "no key named", "no reason named", "from 1.32 on"],
)
def test_a_list_that_cannot_be_read_names_what_it_can(reply, about):
    with cluster({**DISCOVERY, f"{SHOP}/pods": make_list(), f"{SHOP}/configmaps": reply}) as c:
        facts = ask(c, Want(Contents, Ref("Namespace", None, "k-try")))
        assert [f.about for f in pick(facts, Unreadable)] == [about]
        assert "configmaps" in dict(pick(facts, Contents)[0].unlisted)


LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


def lease(name: str, space: str, renewed: str) -> dict[str, object]:
    return {**make_object(name, space), "spec": {"renewTime": renewed}}


def test_the_youngest_lease_tells_when_anything_was_written_last():
    pages = {
        LEASES.format("kube-system"): make_list(lease("old", "kube-system", "2026-11-20T00:00:00.123456Z")),
        LEASES.format("kube-node-lease"): make_list(
            lease("n-1", "kube-node-lease", "2026-11-20T00:01:00.5Z")
        ),
    }
    with cluster(pages) as c:
        (fact,) = pick(ask(c, Want(LastWrite, CLUSTER)), LastWrite)
        assert (str(fact.renewed), fact.lease and fact.lease.name) == ("2026-11-20 00:01:00+00:00", "n-1")


def test_nothing_more_is_asked_where_a_lease_is_young():
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    with cluster({LEASES.format("kube-system"): make_list(lease("a", "kube-system", now))}) as c:
        ask(c, Want(LastWrite, CLUSTER))
        assert c.asked() == [LEASES.format("kube-system")]


def test_what_etcd_refuses_is_read_from_the_control_planes_logs():
    system = "/api/v1/namespaces/kube-system/pods"
    log = (
        '2026-11-21T00:00:01.5Z {"level":"warn","msg":"alarm raised","alarm":"NOSPACE"}\n'
        '2026-11-21T00:00:09.5Z {"msg":"failed to apply request","error":"etcdserver: no space"}\n'
        '2026-11-21T00:00:10.5Z {"msg":"took too long"}\n'
    )
    with cluster(
        {
            system: make_list(make_object("etcd-cp-1", "kube-system")),
            f"{system}/etcd-cp-1/log": (200, log.encode()),
        }
    ) as c:
        (fact,) = pick(ask(c, Want(Refusals, CLUSTER)), Refusals)
        assert [(r.error, str(r.at), r.to and r.to.name) for r in fact.items] == [
            ("storage-full", "2026-11-21 00:00:09+00:00", "etcd-cp-1")
        ]


def test_an_object_that_its_conversion_webhook_fails_to_convert_is_none_that_the_storage_cannot_read():
    # The wording of kube-apiserver 1.37 in a Namespace's condition.
    said = (
        "failed to read one or more gears.convert.example.com from the storage: StorageError: corrupt object, Code: 7, "
        "Key: /registry/convert.example.com/gears/shop/g1, ResourceVersion: 0, AdditionalErrorMsg: object not decodable "
        'revision=295: conversion webhook for convert.example.com/v1, Kind=Gear failed: Post "https://converter.shop.svc:443/": '
        'service "converter" not found'
    )
    assert not list(find_unread_keys(said))
    assert find_unread_object(said) is None
