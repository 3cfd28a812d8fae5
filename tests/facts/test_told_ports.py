"""The ports on which a program says that it listens."""

from __future__ import annotations

import pytest

from unstuck.facts.derive.told_ports import find_told_ports


@pytest.mark.parametrize(
    ("line", "ports"),
    [
        ("I1121 03:00:01 main.go:41] serving webhooks on :8443", (8443,)),
        ("Tomcat started on port(s): 9090 (http) with context path ''", (9090,)),
        ("Server listening on port 3000", (3000,)),
        ("listening on [::]:9104", (9104,)),
        ("Server running at http://localhost:3333/", (3333,)),
        ("could not listen on port 5671: no certificate", ()),
        ("started on 2026-11-21 at 03:00:01", ()),
        ("connected to db:5432", ()),
    ],
)
def test_the_ports_in_a_line(line, ports):
    assert find_told_ports([line, line]) == ports
