"""Registries of clouds, for which the Nodes bring their own credentials: no pull Secret is at fault there, as
a rule.

Source: the `matchImages` of each cloud's kubelet credential provider (kubernetes/cloud-provider-aws
ecr-credential-provider, kubernetes-sigs/cloud-provider-azure acr-credential-provider,
kubernetes/cloud-provider-gcp auth-provider-gcp); in the kubelet itself up to 1.26
(pkg/credentialprovider/{aws,azure,gcp}).
"""

from __future__ import annotations

import re

from unstuck.causes.image._pull import RETRIES
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import Step
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

say = Messages(__name__)


@record()
class _Cloud(Record):
    """hosts: its registries. needs: the rights that the Nodes' own identity must have there."""

    hosts: re.Pattern[str]
    needs: Text


_CLOUDS = (
    _Cloud(
        regex(r"^\d{12}\.dkr[.-]ecr(?:-fips)?\.[a-z0-9-]{1,40}\.(?:amazonaws\.com(?:\.cn)?|on\.aws)$"),
        say(
            "the nodes' role may read it (AmazonEC2ContainerRegistryPullOnly), the repository's "
            "policy admits that account, and the kubelet runs with ecr-credential-provider; a login "
            "made by hand ends after 12 h"
        ),
    ),
    _Cloud(
        regex(r"^[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,40}\.data)?\.azurecr\.(?:io|cn|us)$"),
        say(
            "the kubelet's managed identity has AcrPull on that registry (`az aks check-acr` tells, `az aks "
            "update --attach-acr` grants)"
        ),
    ),
    _Cloud(
        regex(r"^(?:(?:[a-z]{2,10}\.)?gcr\.io|[a-z0-9-]{1,60}-docker\.pkg\.dev)$"),
        say(
            "the Nodes' service account has Artifact Registry Reader in the image's project, and the Nodes "
            "an access scope that includes it"
        ),
    ),
)


def look_at_nodes(host: str) -> tuple[Step, ...]:
    """Return the first look if the Nodes usually bring the credentials; () for other registries."""
    return tuple(
        Step(
            say("nodes in this cloud usually have their own credentials: check that ") + cloud.needs,
            where="source",
            verify=RETRIES,
        )
        for cloud in _CLOUDS
        if cloud.hosts.match(host)
    )
