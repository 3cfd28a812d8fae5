"""The variable or key with an unreachable address is named, without the rest of its value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_named import SPACE, ask, crashing, service
from tests.kube.small import make_object, make_pod
from unstuck.collect.objects.addresses import find_addresses
from unstuck.facts.aspects.objects import KeyAddress

Err = pytest.CaptureFixture[str]
Doc = dict[str, Any]


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("postgres://app:s3cret@db.data.svc:5432/app?sslmode=off", [("db.data.svc", 5432)]),
        ("http://ledger/v1", [("ledger", 0)]),
        ("a.example.com:9092,b.example.com:9092", [("a.example.com", 9092), ("b.example.com", 9092)]),
        ("http://[fd00::7]:8080/", [("[fd00::7]", 8080)]),
        ("server: 10.0.0.9:3128\nretries: 5\n", [("10.0.0.9", 3128)]),
        ("just a sentence: with words", []),
        ("12:34:56", []),
        ("", []),
    ],
)
def test_of_a_value_only_hosts_and_ports_are_kept(value: str, found: list[tuple[str, int]]) -> None:
    assert find_addresses([("KEY", value)]) == tuple(KeyAddress("KEY", h, p) for h, p in found)


def test_a_bare_host_counts_by_the_name_of_its_variable() -> None:
    pairs = [("DB_HOST", "db"), ("GREETING", "hello"), ("DB_PASSWORD", "hunter2")]
    assert find_addresses(pairs) == (KeyAddress("DB_HOST", "db"),)


def front(**container: Any) -> Doc:
    one = crashing("front-1")
    one["spec"]["containers"][0] |= container
    return one


URL = {"name": "LEDGER_URL", "value": "http://ledger:6379/v1"}
OF_KEY = {"name": "LEDGER_URL", "valueFrom": {"configMapKeyRef": {"name": "conf", "key": "ledger"}}}
CONF = {"ledger": "http://me:s3cret@ledger:6379"}


@pytest.mark.parametrize(
    ("container", "place"),
    [
        ({"env": [URL]}, "variable LEDGER_URL"),
        ({"env": [OF_KEY]}, "key ledger of ConfigMap conf (variable LEDGER_URL)"),
        ({"envFrom": [{"configMapRef": {"name": "conf"}}]}, "key ledger of ConfigMap conf"),
        ({"env": [{"name": "LEDGER_URL", "value": "http://other:6379"}]}, ""),
        ({}, ""),
    ],
)
def test_a_name_that_is_no_service_is_told_with_its_place(
    container: Doc, place: str, tmp_path: Path, capsys: Err
) -> None:
    objects = [
        front(**container),
        make_object("ConfigMap", "conf", SPACE, data=CONF),
        service("ledger-api", app="l"),
    ]
    lines = {"front-1": "Error: getaddrinfo ENOTFOUND ledger"}
    status, answer, _ = ask(objects, tmp_path, capsys, "pod/front-1", lines=lines)
    first = answer["causes"][0]
    assert (status, first["id"]) == (1, "program.cannot-resolve-name")
    assert place in first["says"]["en"] and ("stands in" in first["says"]["en"]) is bool(place)
    helped = [h["says"]["en"] for h in first["help"]]
    where = place or "the program's settings"
    meant = f"set the host in {where} to ledger-api, if that is meant"
    assert [h for h in helped if "ledger-api" in h] == [meant] and "s3cret" not in str(answer)


def test_a_service_without_that_port_is_told_with_the_place_and_its_ports(
    tmp_path: Path, capsys: Err
) -> None:
    there = service("ledger", app="l") | {}
    there["spec"] |= {"clusterIP": "10.96.0.51", "ports": [{"port": 80, "targetPort": 8080}]}
    objects = [front(env=[URL]), there, make_pod("ledger-1", SPACE, labels={"app": "l"})]
    lines = {"front-1": "dial tcp: connect to ledger:6379: i/o timeout"}
    _, answer, _ = ask(objects, tmp_path, capsys, "pod/front-1", lines=lines)
    first = answer["causes"][0]
    assert first["id"] == "program.connection-timed-out" and "variable LEDGER_URL" in first["says"]["en"]
    assert "ask Service ledger at port 80" in first["help"][0]["says"]["en"]


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "https_proxy", "SIDE_PROXY_URL"])
def test_a_proxy_that_refuses_is_told_as_that(variable: str, tmp_path: Path, capsys: Err) -> None:
    objects = [front(env=[{"name": variable, "value": "http://10.222.0.1:3128"}])]
    lines = {
        "front-1": 'Get "http://prices.shop:8080/v1": proxyconnect tcp: dial tcp 10.222.0.1:3128: connect: connection'
        " refused"
    }
    _, answer, _ = ask(objects, tmp_path, capsys, "pod/front-1", lines=lines)
    first = answer["causes"][0]
    assert first["id"] == "program.connection-refused" and f"variable {variable}" in first["says"]["en"]
    assert any("no_proxy" in h["says"]["en"] for h in first["help"]) is (variable != "SIDE_PROXY_URL")
