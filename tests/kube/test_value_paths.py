"""Paths are read from values, and nothing else of them."""

from __future__ import annotations

import pytest

from unstuck.collect.objects.value_paths import find_paths_in, name_arguments


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ("/etc/tls/server.crt", ["/etc/tls/server.crt"]),
        (
            'tls_cert_file = "/vault/tls/vault.crt"\nlog = /var/log/v.log',
            ["/vault/tls/vault.crt", "/var/log/v.log"],
        ),
        ("-javaagent:/agent/trace.jar", ["/agent/trace.jar"]),
        ("/sockets/acme:eu:claims", ["/sockets/acme:eu:claims"]),
        ("see /etc/app/a.conf.", ["/etc/app/a.conf"]),
        ("https://shop.example/a/b", []),
        ("postgres://u:pa/ss/w@db/x", []),
        ("amqp://u:/q7/Zw@queue/jobs", []),
        ("and/or", []),
        ("/", []),
    ],
)
def test_the_paths_of_a_value(value: str, paths: list[str]) -> None:
    assert [p.path for p in find_paths_in([("k", value)])] == paths


def test_an_argument_belongs_to_the_option_before_it_and_a_script_to_none() -> None:
    words = ["shopd", "--config=/etc/a/b.yml", "--log", "/var/log/x", "/etc/c/d", "cat /etc/passwd/x"]
    assert [(p.key, p.path) for p in find_paths_in(name_arguments(words))] == [
        ("--config", "/etc/a/b.yml"),
        ("--log", "/var/log/x"),
        ("", "/etc/c/d"),
    ]
