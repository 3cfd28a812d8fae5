"""If a cloud's Nodes have the credentials for its own registry, the answer reports that before proposing a
Secret.
"""

from __future__ import annotations

import pytest

from unstuck.causes.image._cloud import look_at_nodes


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("602401143452.dkr.ecr.us-west-2.amazonaws.com", "ecr-credential-provider"),
        ("602401143452.dkr.ecr.cn-north-1.amazonaws.com.cn", "ecr-credential-provider"),
        ("shop.azurecr.io", "AcrPull"),
        ("gcr.io", "Artifact Registry Reader"),
        ("europe-west2-docker.pkg.dev", "Artifact Registry Reader"),
    ],
)
def test_the_nodes_own_credentials_are_named(host: str, names: str) -> None:
    steps = look_at_nodes(host)
    assert [names in step.says.en and names in step.says.zh for step in steps] == [True]


@pytest.mark.parametrize(
    "host", ["docker.io", "registry.example:5000", "gcr.io.example", "ghcr.io", "azurecr.io.example", "?"]
)
def test_other_registries_are_left_alone(host: str) -> None:
    assert look_at_nodes(host) == ()
