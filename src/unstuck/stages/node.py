"""Tells whether a Node still reports: stages and causes check this before they trust its last report."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from unstuck.diagnosis.sign import Sign, all_of, any_of, some
from unstuck.facts.aspects.cluster import Lease
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts


def is_silent(node: Ref, snap: Facts) -> Sign[Any]:
    """Return yes if the node controller says that the kubelet stopped reporting, or its lease expired; else
    no.

    `Ready=False` is reported by the kubelet itself. Source:
    pkg/controller/nodelifecycle/node_lifecycle_controller.go (sets `Unknown` after the grace period),
    KEP-0009 (a kubelet renews its lease every 10 s, it lasts 40 s).
    """
    unknown = some(
        snap, Conditions, node, lambda f: [c for c in f.items if c.type == "Ready" and c.status == "Unknown"]
    )
    old = some(
        snap,
        Lease,
        node,
        lambda f: (
            [f] if f.renewed is not None and snap.now - f.renewed > timedelta(seconds=f.duration) else []
        ),
    )
    told = any_of([unknown, old])
    return told if told.value else all_of([unknown, old])
