"""Leaves out the manifest of a Pod that the API server refused to create: nothing is known of such a Pod but
the refusal.

Source: staging/src/k8s.io/cli-runtime/pkg/resource (`error when creating`), apimachinery pkg/api/errors.
"""

from __future__ import annotations

from collections.abc import Sequence

from unstuck.facts.aspects.objects import Failure, Phase
from unstuck.facts.aspects.pod import ContainerStatuses, Placement
from unstuck.facts.core import Fact
from unstuck.facts.regex import regex

_REFUSED = regex(
    r"error when creating \S{1,400} pods? \"(?P<name>[a-z0-9][a-z0-9.-]{0,252})\" is forbidden: "
)


def leave_out_uncreated(facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts without those of a Pod that was never created; one with a status was."""
    refused = {m["name"] for f in facts if isinstance(f, Failure) and (m := _REFUSED.search(f.src.quote))}
    if not refused:
        return [*facts]
    there = {f.about.name for f in facts if isinstance(f, ContainerStatuses | Phase | Placement) and f.whole}
    left = refused - there
    return [f for f in facts if isinstance(f, Failure) or f.about.kind != "Pod" or f.about.name not in left]
