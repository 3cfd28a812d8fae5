"""Messages about a token, a key or a login lead to its Secret, and to the Secret's writer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import SPACE, ask
from tests.kube import small as server
from tests.kube.small import LONG_AGO, make_object

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]
GROUP = "post.example.org/v1"
KINDS = {
    "letters": ("Letter", GROUP, True),
    "offices": ("Office", GROUP, True),
    "secrets": ("Secret", "v1", True),
    "challenges": ("Challenge", "acme.cert-manager.io/v1", True),
    "issuers": ("Issuer", "cert-manager.io/v1", True),
    "sealedsecrets": ("SealedSecret", "bitnami.com/v1alpha1", True),
}


@pytest.fixture(autouse=True)
def _more_kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for plural, kind in KINDS.items():
        monkeypatch.setitem(server.KINDS, plural, kind)


def letter(message: str, **spec: Any) -> Doc:
    ready = {"type": "Ready", "status": "False", "reason": "Refused", "message": message}
    status = {"conditions": [{**ready, "lastTransitionTime": LONG_AGO}]}
    return make_object("Letter", "thanks", SPACE, spec=spec, status=status)


def secret(name: str, **meta: Any) -> Doc:
    rows = [
        {
            "manager": "kubectl-create",
            "operation": "Update",
            "time": LONG_AGO,
            "fieldsV1": {"f:data": {"f:token": {}}},
        }
    ]
    return make_object("Secret", name, SPACE, meta={"managedFields": rows, **meta}, data={"token": "eA=="})


def office(**spec: Any) -> Doc:
    well = {"type": "Ready", "status": "True", "reason": "Open", "lastTransitionTime": LONG_AGO}
    return make_object("Office", "main", SPACE, spec=spec, status={"conditions": [well]})


TO_OFFICE = {"officeRef": {"kind": "Office", "name": "main"}}
KEY = {"name": "post-login", "key": "token"}


@pytest.mark.parametrize(
    ("message", "spec", "others", "says"),
    [
        (
            "401 Unauthorized",
            {"auth": {"apiTokenSecretRef": KEY}},
            [],
            "key token of Secret default/post-login",
        ),
        (
            "the access key is not known",
            TO_OFFICE,
            [{"auth": {"tokenSecretRef": KEY}}],
            "spec.auth.tokenSecretRef of Office",
        ),
        (
            "the password is wrong",
            {"loginSecretRef": {"name": "post-login"}},
            [],
            "last written by kubectl-create",
        ),
        ("the scale is out of paper", {"auth": {"apiTokenSecretRef": KEY}}, [], ""),
        (
            "401 Unauthorized",
            {"auth": {"apiTokenSecretRef": KEY, "backupSecretRef": {"name": "other"}}},
            [],
            "",
        ),
        ("401 Unauthorized", {"privateKeySecretRef": {"name": "post-login"}}, [], ""),
    ],
)
def test_the_secret_is_named(
    message: str, spec: Doc, others: list[Doc], says: str, tmp_path: Path, capsys: Err
) -> None:
    objects = [letter(message, **spec), secret("post-login"), secret("other"), *(office(**o) for o in others)]
    status, answer, cluster = ask(objects, tmp_path, capsys, "letter/thanks")
    first = answer["causes"][0]
    assert (status, first["id"]) == (1, "reported.own-words") and len(cluster.asked) <= 20
    assert ("credentials" in first["says"]["en"]) is bool(says) and says in first["says"]["en"]
    assert ("put valid credentials" in first["help"][0]["says"]["en"]) is bool(says)


def test_what_writes_the_secret_is_to_be_corrected(tmp_path: Path, capsys: Err) -> None:
    owner = {
        "apiVersion": "bitnami.com/v1alpha1",
        "kind": "SealedSecret",
        "name": "post-login",
        "uid": "u-1",
        "controller": True,
    }
    objects = [
        letter("401 Unauthorized", auth={"apiTokenSecretRef": KEY}),
        secret("post-login", ownerReferences=[owner]),
    ]
    _, answer, _ = ask(objects, tmp_path, capsys, "letter/thanks")
    first = answer["causes"][0]
    assert "which SealedSecret.bitnami.com default/post-login writes" in first["says"]["en"]
    assert "takes them from" in first["help"][0]["says"]["en"]


def test_a_challenge_refers_to_the_issuer_of_the_other_group(tmp_path: Path, capsys: Err) -> None:
    solver = {"dns01": {"cloudflare": {"apiTokenSecretRef": {"name": "post-login", "key": "token"}}}}
    challenge = make_object(
        "Challenge",
        "c-1",
        SPACE,
        spec={"issuerRef": {"kind": "Issuer", "name": "dns"}, "solver": solver},
        status={"state": "errored", "reason": "error presenting challenge: 9109: Invalid access token"},
    )
    issuer = make_object("Issuer", "dns", SPACE, spec={"acme": {}}, status={})
    _, answer, cluster = ask([challenge, issuer, secret("post-login")], tmp_path, capsys, "challenge/c-1")
    assert "key token of Secret default/post-login" in answer["causes"][0]["says"]["en"]
    assert any("/apis/cert-manager.io/v1/" in path for path, _ in cluster.asked)
