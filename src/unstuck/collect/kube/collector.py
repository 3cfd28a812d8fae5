"""The live cluster as a source of facts: first about the subject, then for each Want that a cause puts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from threading import Lock
from types import MappingProxyType

from unstuck.collect.kube.observables import API_OBSERVABLES
from unstuck.collect.kube.questions.objects import present_together, read_together
from unstuck.collect.kube.questions.resources import kind_of_word
from unstuck.collect.kube.questions.subject import first_facts
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, is_answered, make_unanswered
from unstuck.collect.objects.kinds import Kind
from unstuck.facts.aspects import objects
from unstuck.facts.core import Fact, Ref, Refused, Want

Answerer = Callable[[Session, Want], list[Fact]]
# Threads that import the same modules in another order may each wait for the other, which Python ends with an
# error.
_importing = Lock()


def _import_later(module: str, name: str) -> Answerer:
    """Wrap an answerer of `questions` that is imported at its first call: most commands need few of them,
    and imports take time.
    """

    def answer(session: Session, want: Want) -> list[Fact]:
        with _importing:
            answerer: Answerer = getattr(import_module(f"unstuck.collect.kube.questions.{module}"), name)
        return answerer(session, want)

    return answer


_ANSWERERS: Mapping[type[Fact], Answerer] = MappingProxyType(
    {o.fact: _import_later(*o.reader.split(".")) for o in API_OBSERVABLES}
)


class KubeCollector:
    """Facts from one API server at one moment; ask a new collector for a later moment.

    source: the name in the Snapshot, `live:CONTEXT`. namespace: the one for names without one. dry_run:
    whether a write may be tried if its refusal decides, as a dry run, which writes nothing. ask_registry:
    whether registries may be asked.
    """

    def __init__(
        self,
        client: Client,
        namespace: str | None = None,
        *,
        dry_run: bool = False,
        ask_registry: bool = False,
    ) -> None:
        self.client = client
        self.namespace = namespace or client.namespace
        self.source = f"live:{client.context}"
        self._session = Session(client, self.namespace, dry_run, ask_registry)
        self._tell: Callable[[int, int], None] = lambda *_: None
        self._counted: tuple[int, int] | None = None
        self._so_far: list[Fact] = []

    def start(self, subject: Ref) -> tuple[Ref, list[Fact]]:
        """Return the subject as the server names it, and the first facts about it.

        subject: its kind as a person types it (`po`, `deploy`, `Widget`), its name, and a namespace or None
        for the current one. Errors: NotFound (kind, Namespace or name, with the nearest ones that exist),
        AccessError, Unreachable.
        """
        kind = self.resolve(subject.kind)
        within = (subject.within or self.namespace) if kind.namespaced else None
        return first_facts(self._session, kind, Ref(kind.ref_kind, within, subject.name, subject.uid))

    def resolve(self, word: str) -> Kind:
        """Return the resource type for a word; discovery is read only for words that are not Kubernetes'
        own. Errors: NotFound.
        """
        return kind_of_word(self._session, word)

    def select(
        self, word: str, labels: str, fields: str, namespace: str | None
    ) -> tuple[list[Ref], list[Fact]]:
        """Return every object of a kind that the selectors match, and its facts. namespace: None for all.

        Errors: UsageError (a selector that the server does not accept), NotFound (kind, Namespace),
        AccessError, Unreachable.
        """
        from unstuck.collect.kube.questions.selecting import TypedSelector, select

        return select(self._session, self.resolve(word), TypedSelector(namespace, labels, fields))

    def version(self) -> str:
        """Return the server's version, as `v1.34.1`. Errors: AccessError, Unreachable."""
        from unstuck.collect.kube.questions.selecting import server_version

        return server_version(self._session)

    def find_named(self, name: str, namespace: str) -> list[list[Ref]]:
        """Return the objects with this name: Pods, then workloads, then the rest. Errors: NotFound,
        AccessError, Unreachable.
        """
        from unstuck.collect.kube.questions.selecting import find_by_name

        return find_by_name(self._session, name, namespace)

    def collect(self, wants: Sequence[Want]) -> Iterable[Fact]:
        """Return an answer to each Want: facts, or a `Refused` that says why it stays open. Never raises.

        Questions about the same object share one request; up to four are under way at a time.
        """
        asked = list(dict.fromkeys(wants))
        read_together(self._session, [w.about for w in asked if w.fact is objects.Events])
        told = present_together(self._session, asked)
        facts = run_each(self._answer, [w for w in asked if w not in told])
        return list(dict.fromkeys((*told.values(), *(f for fs in facts for f in fs))))

    def survey(self, namespace: str | None) -> list[Fact]:
        """Return the facts about objects that are not plainly healthy in a Namespace, or with None in the
        whole cluster.

        Pods, claims, workloads; for the cluster also Nodes and Namespaces, for one Namespace also itself. A
        list that is not permitted is a `Refused`. Errors: AccessError, Unreachable if nothing could be read;
        NotFound for a Namespace that does not exist.
        """
        return self.list_unhealthy(namespace)[1]

    def list_unhealthy(self, namespace: str | None) -> tuple[list[Ref], list[Fact]]:
        """Return the unhealthy objects, and the facts that `survey` returns about them."""
        from unstuck.collect.kube.scan.survey import find_unhealthy  # `why` on one object never scans

        return find_unhealthy(self._session, namespace, self._count, self._so_far)

    def on_progress(self, tell: Callable[[int, int], None]) -> None:
        """Report now and on each change the number of Pods that a scan has looked at, and of those that look
        ill.
        """
        self._tell = tell
        # The progress callback may have been set after the last of them was counted.
        if self._counted:
            tell(*self._counted)

    def _count(self, pods: int, ill: int) -> None:
        self._counted = (pods, ill)
        self._tell(pods, ill)

    def so_far(self) -> Iterable[Fact]:
        """Return a running scan's results so far."""
        return list(self._so_far)

    @property
    def owner_lookups(self) -> list[str]:
        """The requests of `client.requests` that only looked for owners of finalizers, counted separately."""
        return [r for r in self.client.requests if r.partition("?")[0] in self._session.looked_up]

    def _answer(self, want: Want) -> list[Fact]:
        answerer = _ANSWERERS.get(want.fact)
        if answerer is None:
            return [make_unanswered(want, "not-asked", "the API does not tell this")]
        facts = answerer(self._session, want)
        settled = is_answered(facts, want) or any(
            isinstance(f, Refused) and f.want == want.fact.__name__ for f in facts
        )
        return (
            facts
            if settled
            else [*facts, make_unanswered(want, "not-offered", "the server's answer does not tell this")]
        )
