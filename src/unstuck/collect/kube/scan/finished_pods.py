"""Finds finished Pods that are being deleted: table rows do not show it, a metadata list by phase does."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping

from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.scan.full_lists import no_list
from unstuck.collect.kube.scan.tables import Metas, metas
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import CACHED, Session
from unstuck.facts.core import Fact
from unstuck.facts.record import Record, record

# With more Namespaces than this, one list of the cluster is cheaper than one for each Namespace with finished
# Pods.
APART = 40
SUCCEEDED, FAILED = "Succeeded", "Failed"
Name = tuple[str, str]


@record()
class Ends(Record):
    """Namespaces and names. leaving: Pods that are being deleted. running: said to have completed, and not in
    that phase.

    unseen: lists that were refused or not answered.
    """

    leaving: frozenset[Name]
    running: tuple[Name, ...]
    unseen: tuple[Fact, ...]


class FinishedPods:
    """Asks each list once. cluster: whether lists of the whole cluster are allowed. spaces: the limit of
    Namespaces to look at.

    Safe for several threads.
    """

    def __init__(self, session: Session, *, cluster: bool, spaces: int, workers: int) -> None:
        self._session, self._cluster, self._workers = session, cluster, workers
        self._together = cluster and spaces > APART
        self._answers: dict[tuple[str, str | None], Metas] = {}
        self._leaving: dict[tuple[str, str | None], frozenset[Name]] = {}
        self._begun: set[str] = set()
        self._lock = threading.Lock()

    def ask_ahead(self, namespace: str, phases: Iterable[str]) -> frozenset[Name]:
        """Ask before all Namespaces are known, for the whole cluster by the first one; return the Pods
        known so far to be deleted.
        """
        leaving: set[Name] = set()
        for phase in phases:
            with self._lock:
                mine = not self._together or phase not in self._begun
                self._begun.add(phase)
            asked = (phase, None if self._together else namespace)
            if mine:
                self._look(asked)
            leaving |= self._leaving.get(asked, frozenset())
        return frozenset(leaving)

    def find(self, ended: Mapping[str, tuple[str, ...]], failed: Iterable[str]) -> Ends:
        """Begin with the tables' results. ended: by Namespace the Pods that are shown as completed. failed:
        Namespaces in which others have ended.
        """
        asked: list[tuple[str, str | None]] = []
        for phase, spaces in ((SUCCEEDED, sorted(ended)), (FAILED, sorted(failed))):
            of_cluster = self._answers.get((phase, None))
            if of_cluster and of_cluster.whole:
                continue
            # A user who may not list the whole cluster may be allowed to list its Namespaces.
            self._answers.pop((phase, None), None)
            self._leaving.pop((phase, None), None)
            rest = [s for s in spaces if (phase, s) not in self._answers]
            together = self._cluster and not of_cluster and len(rest) > APART
            asked += [(phase, None)] if together else [(phase, s) for s in rest]
        run_each(self._look, asked, self._workers)
        found = sorted(self._answers.items(), key=lambda f: (f[0][0], f[0][1] or ""))
        pod = kind_named("Pod")
        unseen = tuple(no_list(pod, space, m.read) for (_, space), m in found if not m.whole)
        seen: dict[str, set[str]] = defaultdict(set)
        for item in (i for (phase, _), m in found if phase == SUCCEEDED for i in m.items):
            seen[item.namespace].add(item.name)
        running = (
            [(s, n) for s, names in ended.items() for n in names if n not in seen[s]] if not unseen else []
        )
        return Ends(frozenset[Name]().union(*self._leaving.values()), tuple(sorted(running)), unseen)

    def _look(self, asked: tuple[str, str | None]) -> None:
        phase, space = asked
        params = {"fieldSelector": f"status.phase={phase}", **CACHED}
        found = metas(self._session, kind_named("Pod"), space, params)
        # Of many thousand few are being deleted: they are looked for once, and before others see the answer.
        self._leaving[asked] = frozenset([(m.namespace, m.name) for m in found.items if m.deletion_timestamp])
        self._answers[asked] = found
