"""The cluster that is meant, and the way to it. Imported before all that judges: a scan's first requests do not wait for that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from unstuck.collect.kube.parallel import Begun
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.record import Record, record

if TYPE_CHECKING:
    from unstuck.cli.ask import Sight
    from unstuck.cli.lang import Lang
    from unstuck.cli.progress import Spinner
    from unstuck.cli.ways import Offer, Way


class Cluster(Protocol):
    """What this module needs of a cluster's reader."""

    source: str

    def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
        """The object as the server names it, and what it tells. Errors: those of `unstuck.errors`."""

    def collect(self, wants: Sequence[Want]) -> Iterable[Fact]:
        """Facts, or a `Refused`, for each question."""

    def list_unhealthy(self, namespace: str | None) -> tuple[list[Ref], list[Fact]]:
        """What is not plainly healthy in a Namespace, or in the whole cluster for None. Errors: those of `unstuck.errors`."""

    def on_progress(self, tell: Callable[[int, int], None]) -> None:
        """Tells from now on how many Pods were looked at, and how many of them look ill."""

    def so_far(self) -> Iterable[Fact]:
        """What `list_unhealthy` has found, while it is still at work."""


@record()
class Place(Record):
    """Which cluster, as kubectl has it; None where not given."""

    context: str | None = None
    kubeconfig: str | None = None
    namespace: str | None = None


class Reach(Protocol):
    """The ways to nodes that go through the cluster or the network."""

    def ways(self) -> Sequence[Way]:
        """Those that may be gone without asking, the cheapest first."""

    def offer(self, spinner: Spinner) -> Offer | None:
        """The one that must be agreed to, None where nobody can be asked."""


@record()
class Connection(Record):
    """One cluster. namespace: the one that is meant. fresh: a reader of this moment; each remembers what it was told.

    reach: the ways to its nodes, for a sight and a language.
    """

    namespace: str
    fresh: Callable[[], Cluster]
    reach: Callable[[Sight, Lang, bool], Reach | None] = lambda *_: None


def connect(place: Place, *, dry_run: bool = False, ask_registry: bool = False, qps: float | None = None) -> Connection:
    """The cluster that is meant; nothing is sent yet. Errors: those of `unstuck.errors`, one line each.

    dry_run, ask_registry: as in `Sight`. qps: at most so many requests a second.
    """
    from unstuck.collect.kube.client import load_client  # noqa: PLC0415 - with HTTP and TLS: `read` and saved facts need none
    from unstuck.collect.kube.collector import KubeCollector  # noqa: PLC0415 - as above

    client = load_client(place.context, place.kubeconfig, place.namespace)
    if qps:
        client.pace(qps)

    def reach(sight: Sight, lang: Lang, ask: bool) -> Reach:
        from unstuck.cli.reach import ClusterReach  # noqa: PLC0415 - only where a node is asked

        return ClusterReach(client, sight, lang, ask)

    return Connection(client.namespace, lambda: KubeCollector(client, dry_run=dry_run, ask_registry=ask_registry), reach)


class Surveying:
    """What is not plainly healthy, as it is being read from this moment on. within: the Namespace, None for the whole cluster."""

    def __init__(self, cluster: Cluster, within: str | None) -> None:
        self.cluster, self.within = cluster, within
        self._begun = Begun(lambda: cluster.list_unhealthy(within)[1])

    def facts(self) -> list[Fact]:
        """All of it, once it is there. Errors: those of `unstuck.errors`."""
        return self._begun.told()
