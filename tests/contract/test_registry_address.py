"""The address in the advice about an unreachable registry is the one used by the runtime."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.causes.image.registry_unreachable import CAUSE
from unstuck.collect.text import read_text
from unstuck.facts.core import Ref
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
EVENT = """$ kubectl get events -n f
LAST SEEN   TYPE      REASON   OBJECT   MESSAGE
20s         Warning   Failed   pod/p    Failed to pull image "{image}": failed to do request: {asked}: connect: connection refused
"""


@pytest.mark.parametrize(
    ("image", "asked", "url"),
    [
        (
            "r.example:5000/a:1",
            'Head "http://r.example:5000/v2/a/manifests/1": dial tcp 10.0.0.9:5000',
            "http://r.example:5000/v2/",
        ),
        (
            "r.example:5000/a:1",
            'Head "https://r.example:5000/v2/a/manifests/1": dial tcp 10.0.0.9:5000',
            "https://r.example:5000/v2/",
        ),
        (
            "r.example/a:1",
            'Head "http://r.example/v2/a/manifests/1": dial tcp 10.0.0.9:80',
            "http://r.example:80/v2/",
        ),
        ("r.example/a:1", 'Get "https://r.example/v2/": dial tcp 10.0.0.9:443', "https://r.example:443/v2/"),
        # docker.io itself serves pages; the registry behind that name is another host.
        ("shop/a:1", "dial tcp 10.0.0.9:443", "https://registry-1.docker.io:443/v2/"),
    ],
)
def test_the_registry_is_asked_as_the_runtime_asked_it(image: str, asked: str, url: str) -> None:
    snap = Snapshot(read_text(EVENT.format(image=image, asked=asked), "paste.txt", NOW).facts, NOW)
    assert CAUSE.rule(Ref("Pod", "f", "p"), snap).finding().help[0].command.argv[-1] == url


def test_where_the_proxy_is_out_of_reach_the_proxy_is_asked() -> None:
    asked = 'Head "https://r.example/v2/a/manifests/1": proxyconnect tcp: dial tcp 127.0.0.1:1082'
    snap = Snapshot(read_text(EVENT.format(image="r.example/a:1", asked=asked), "paste.txt", NOW).facts, NOW)
    command = CAUSE.rule(Ref("Pod", "f", "p"), snap).finding().help[0].command.argv
    assert command[-2:] == ("--proxy=http://127.0.0.1:1082", "https://r.example:443/v2/")
