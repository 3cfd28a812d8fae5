"""The server's answers in place of an object: not found, forbidden, unreadable, not written."""

from __future__ import annotations

import pytest

from tests.text.support import YAML, pick, read_facts
from unstuck.facts.aspects.objects import Presence
from unstuck.facts.aspects.refusals import Refusals
from unstuck.facts.aspects.stored import Unreadable
from unstuck.facts.core import Ref, Refused


def test_not_found_below_its_command_is_the_servers_answer() -> None:
    (told,) = pick(
        read_facts('$ kubectl get cm x -n f\nError from server (NotFound): configmaps "x" not found\n'),
        Presence,
    )
    assert (told.about, told.exists, told.whole) == (Ref("ConfigMap", "f", "x"), False, True)


@pytest.mark.parametrize(
    "text",
    [
        'Error from server (NotFound): configmaps "x" not found\n',
        '$ kubectl logs web -n f\nError from server (NotFound): configmaps "x" not found\n',
        '$ kubectl get cm y -n f\nError from server (NotFound): configmaps "x" not found\n',
    ],
)
def test_not_found_without_its_command_says_nothing(text: str) -> None:
    assert pick(read_facts(text), Presence) == []


def test_not_found_without_a_namespace_is_whole_only_where_the_text_tells_the_namespace() -> None:
    asked = '$ kubectl get cm x\nError from server (NotFound): configmaps "x" not found\n'
    (unsure,) = pick(read_facts(asked), Presence)
    assert unsure.about.within is None and not unsure.whole
    told = read_facts("$ kubectl get pod p -o yaml\n" + YAML + asked)
    assert (
        Presence(
            about=Ref("ConfigMap", "f", "x"),
            src=next(f.src for f in pick(told, Presence) if not f.exists),
            exists=False,
        )
        in told
    )


def test_forbidden_is_a_refusal() -> None:
    told = read_facts(
        '$ kubectl get secrets -n f\nError from server (Forbidden): secrets is forbidden: User "a" cannot list resource "secrets"\n'
    )
    assert [(f.about, f.why) for f in pick(told, Refused)] == [(Ref("Secret", "f"), "denied")]


@pytest.mark.parametrize(
    ("text", "about", "error"),
    [
        (
            "$ kubectl get secret db -n f\nError from server (InternalError): Internal error occurred: no matching prefix found\n",
            Ref("Secret", "f", "db"),
            "untransformable",
        ),
        (
            "$ kubectl get secrets -n f\nError from server (InternalError): Internal error occurred: "
            'unable to transform key "/registry/secrets/f/db": invalid padding on input\n',
            Ref("Secret", "f", "db"),
            "untransformable",
        ),
        (
            "$ kubectl delete cm/x -n f\nError from server: couldn't get version/kind; json parse error: json: cannot unmarshal string\n",
            Ref("ConfigMap", "f", "x"),
            "undecodable",
        ),
    ],
)
def test_an_object_that_the_server_cannot_read_is_told_by_its_answer(text, about, error):
    (told,) = pick(read_facts(text), Unreadable)
    assert (told.about, told.error, told.whole) == (about, error, True)


def test_the_storages_words_in_a_log_are_no_answer_of_the_server():
    text = "$ kubectl logs web -n f\nError from server (InternalError): Internal error occurred: no matching prefix found\n"
    assert pick(read_facts(text), Unreadable) == []


@pytest.mark.parametrize(
    ("command", "about"),
    [("delete pod web -n f", Ref("Pod", "f", "web")), ("apply -f x.yaml", Ref("Cluster"))],
)
def test_a_write_that_etcd_did_not_take_is_told_of_what_was_written(command, about):
    (told,) = pick(
        read_facts(f"$ kubectl {command}\nError from server: etcdserver: mvcc: database space exceeded\n"),
        Refusals,
    )
    assert (told.about, [r.error for r in told.items]) == (about, ["storage-full"])
