"""Connects to the cluster of a command line, with access to its nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unstuck.facts.record import Record, record

if TYPE_CHECKING:
    from unstuck.api import Overrides
    from unstuck.api.cluster import Cluster
    from unstuck.api.nodes import Nodes
    from unstuck.cli.lang import Lang
    from unstuck.cli.progress import Spinner


@record()
class ClusterOptions(Record):
    """kubectl's options for the cluster; None if not given. overrides: kubectl's other flags."""

    context: str | None = None
    kubeconfig: str | None = None
    namespace: str | None = None
    overrides: Overrides | None = None


@record()
class EvidenceOptions(Record):
    """Permitted evidence beside the API server's. nodes: as typed, without consent; None for --no-node.
    facts: saved facts.

    dry_run, ask_registry: as in `connect`.
    """

    nodes: Nodes | None
    facts: tuple[str, ...] = ()
    dry_run: bool = False
    ask_registry: bool = False


def connect_to(place: ClusterOptions, sight: EvidenceOptions) -> Cluster:
    """Return the cluster; nothing is sent yet. Errors: those of `connect`."""
    from unstuck.api.cluster import connect

    return connect(
        place.context,
        kubeconfig=place.kubeconfig,
        namespace=place.namespace,
        dry_run=sight.dry_run,
        ask_registry=sight.ask_registry,
        overrides=place.overrides,
    )


def with_consent(nodes: Nodes | None, lang: Lang, spinner: Spinner, *, ask: bool) -> Nodes | None:
    """Add consent and cleanup to the access to nodes. ask: whether to ask for consent on the terminal."""
    if nodes is None:
        return None
    from dataclasses import replace

    from unstuck.cli.cleanup import cleanup_on_signal
    from unstuck.cli.consent import TerminalConsent

    consent = TerminalConsent(lang, spinner, agreed=nodes.probe)
    return replace(
        nodes,
        consent=consent if nodes.probe or ask else None,
        tell_left=consent.tell_left,
        guard=cleanup_on_signal,
    )
