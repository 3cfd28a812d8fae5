"""Chooses the access method to a node for a question: cheapest first, one look for all questions about one
Pod there.

Saved facts and this machine come first, then the agent, ssh, and finally a one-shot Pod. If one method fails,
the next is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from unstuck.api.node_methods import AccessByConsent, AccessMethod, AnswersWants, Here, SilentNode
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.engine.manual_commands import find_node_of_want
from unstuck.facts.aspects.objects import Deletion
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Refused, Source, Want, WhyOpen
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.single_wants import KINDS, list_single
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.unasked import make_unasked

# Seconds for one look by access method, and for all looks of one answer.
SECONDS = {"agent": 6.0, "ssh": 10.0, "probe": 25.0}
# The time limit if there is an alternative: a healthy agent answers within a second and a half. It is asked
# again if the others fail.
SOONER = {"agent": 2.5}
TOTAL = 45.0
# Seconds that must be left for a look at a node that is only compared with.
_COMPARE = 8.0
NODES = 4
# The `want` of a `Refused` for the whole look.
SURVEY = "survey"
# Reasons for missing access methods: without a question there is no refusal.
_ABSENT = ("absent", "version", "elsewhere", "not-agreed", "no-image")
_WORST: tuple[WhyOpen, ...] = ("timeout", "unreachable", "denied", "too-large", "not-offered", "not-asked")


# Entered with the clean-up of all objects created in the cluster; left after their deletion.
Guard = Callable[[Callable[[], None]], AbstractContextManager[None]]


@contextmanager
def close_on_error(close: Callable[[], None]) -> Iterator[None]:
    """Call `close` if the block ends with an error, a KeyboardInterrupt included."""
    try:
        yield
    except BaseException:
        close()
        raise


@dataclass
class _NodeProgress:
    """The state of the questions to one node. looked: the Pods asked about, None for the node alone. way: the
    method of the last look; put: the single questions to it.
    """

    facts: list[Fact] = field(default_factory=list)
    looked: set[Ref | None] = field(default_factory=set)
    way: object = None
    put: set[Want] = field(default_factory=set)
    unreached: list[Unreached] = field(default_factory=list)


class NodeAccess:
    """Answers questions about nodes' own evidence. subject: the object of the question. snap: the facts known
    before.

    ways: created at the first question. here: this machine, the first source about itself. guard: as in
    `Nodes`. sources: the nodes that gave facts, in the form of a Snapshot's sources.
    """

    def __init__(
        self,
        subject: Ref,
        snap: Snapshot,
        ways: Callable[[], Sequence[AccessMethod]] = tuple,
        here: Here | None = None,
        offer: Callable[[], AccessByConsent | None] = lambda: None,
        guard: Guard | None = None,
    ) -> None:
        self._subject, self._here, self._make_ways, self._make_offer = subject, here, ways, offer
        self._guard = guard or close_on_error
        self._snap, self._reported = snap, list[Fact]()
        self._ways: Sequence[AccessMethod] | None = None
        self._offer: AccessByConsent | None = None
        self._progress: dict[str, _NodeProgress] = {}
        self._until: float | None = None
        self.sources: list[str] = [here.source] if here and here.source else []

    def hear(self, facts: Iterable[Fact]) -> list[Fact]:
        """Record facts from other sources, which may give a Pod's node, and return them."""
        new = list(facts)
        self._reported += new
        return new

    def collect(self, wants: Sequence[Want]) -> list[Fact]:
        """Return facts, or a `Refused`, for each Want about a node's evidence."""
        snap = self._snap = self._snap.plus(self._reported)
        self._reported.clear()
        by_node: dict[str | None, list[Want]] = {}
        for want in wants:
            ref = find_node_of_want(want, snap)
            by_node.setdefault(ref.name if ref else None, []).append(want)
        facts: list[Fact] = []
        if self._here is not None:
            mine = [*by_node.pop(self._here.node, ()), *by_node.pop(None, ())]
            facts += self._here.collect(mine) if mine else []
        facts += answer_unasked(by_node.pop(None, ()))
        groups = sorted((node, asked) for node, asked in by_node.items() if node)
        if groups:
            with self._guard(self.close):
                facts += self._ask_other_nodes(groups, snap)
        return facts

    def compare(self, wants: Sequence[Want]) -> list[Fact] | None:
        """Return the facts about Nodes that are not in question, through the method that reached another one;
        None without such a method or without time. A failure is no obstacle to the answer.
        """
        way = self._method
        if way is None or (self._until or 0.0) - time.monotonic() < _COMPARE:
            return None
        out = list[Fact]()
        for want in wants:
            node = want.about.name or ""
            progress = self._progress.setdefault(node, _NodeProgress())
            with self._guard(self.close):
                self._look(node, [want], self._snap, (way,))
            out += (f for f in progress.facts if isinstance(f, want.fact) and f.about.name == node)
        return out

    @property
    def _method(self) -> AccessMethod | None:
        """The method of a successful look, unless it needs consent or reaches one host alone."""
        tried = [p.way for p in self._progress.values()]
        return next((way for way in self._ways or () if way in tried and way.any_node), None)

    def close(self) -> None:
        """Remove all objects that the access methods have created in the cluster. Never raises."""
        ways: list[AccessMethod | AccessByConsent] = [*(self._ways or ()), *filter(None, (self._offer,))]
        for way in ways:
            with suppress(Exception):
                way.close()

    # --- other nodes ----------------------------------------------------------------------------------------

    def _ask_other_nodes(self, groups: list[tuple[str, list[Want]]], snap: Snapshot) -> list[Fact]:
        if self._ways is None:
            self._ways, self._until = self._make_ways(), time.monotonic() + TOTAL
        for node, _ in groups:
            self._progress.setdefault(node, self._initial_progress(node))
        run_each(lambda group: self._look(*group, snap, self._ways or ()), groups, NODES)
        run_each(lambda group: self._ask_rest(*group, snap), groups, NODES)
        # A one-shot Pod cannot answer single questions, so they never cause a request for consent.
        unseen = [
            (node, wants)
            for node, wants in groups
            if not self._progress[node].facts and any(w.about.kind not in KINDS for w in wants)
        ]
        if unseen:
            self._last_resort(unseen, snap)
        out: list[Fact] = []
        for node, wants in groups:
            known = self._progress[node]
            seen = [f for f in known.facts if not isinstance(f, Refused)]
            out += [*seen, *_list_obstacles(known), *_list_refusals(wants, known, node, snap)]
            if known.facts and (source := f"node:{node}") not in self.sources:
                self.sources.append(source)
        return out

    def _initial_progress(self, node: str) -> _NodeProgress:
        if self._here is None:
            return _NodeProgress()
        if isinstance(self._here, SilentNode):
            return _NodeProgress(
                unreached=[_make_unreached(node, "here", self._here.why, "unknown", detail=self._here.detail)]
            )
        return _NodeProgress(
            unreached=[_make_unreached(node, "here", "not-offered", "elsewhere", self._here.node)]
        )

    def _look(
        self, node: str, wants: list[Want], snap: Snapshot, ways: Sequence[AccessMethod | AccessByConsent]
    ) -> None:
        """Look once for each Pod in question, through the first responding method."""
        progress = self._progress[node]
        for pod in self._pods(node, wants, progress, snap):
            since = find_deletion_time(pod, snap) if pod else None
            todo = [way for way in ways if not any(u.way == way.name for u in progress.unreached)]
            hurried: list[AccessMethod | AccessByConsent] = []
            while todo or hurried:
                # A method with less than its full time is tried once more at the end.
                again = not todo
                way = hurried.pop(0) if again else todo.pop(0)
                left = (self._until or 0.0) - time.monotonic()
                if left <= 0.5:
                    progress.unreached.append(_make_unreached(node, way.name, "timeout", "deadline"))
                    continue
                seconds = SECONDS.get(way.name, TOTAL)
                sooner = SOONER.get(way.name, seconds) if todo and not again else seconds
                found = way.look(node, pod, min(left, sooner), since)
                why = _failure(found, node, way.name)
                progress.unreached = [u for u in progress.unreached if u.way != way.name]
                if why is None:
                    progress.facts += found
                    progress.looked.add(pod)
                    progress.way = way
                    break
                if why.why == "timeout" and sooner < seconds:
                    hurried.append(way)
                progress.unreached.append(why)

    def _ask_rest(self, node: str, wants: list[Want], snap: Snapshot) -> None:
        """Ask the single questions beyond a look, through the method of the last look."""
        progress = self._progress[node]
        known = snap.plus(f for f in progress.facts if not isinstance(f, Refused))
        rest = list_single([w for w in wants if w not in progress.put and not known.answered(w)])
        left, way = (self._until or 0.0) - time.monotonic(), progress.way
        if rest and left > 1.0 and isinstance(way, AnswersWants):
            progress.put.update(rest)
            told = way.answer(node, rest, min(left, SECONDS.get(way.name, left)))
            progress.facts += (f for f in told if not isinstance(f, Unreached))

    def _pods(
        self, node: str, wants: list[Want], progress: _NodeProgress, snap: Snapshot
    ) -> list[Ref | None]:
        """Choose the Pods to look at: the Pods in question, else the subject if it is a Pod here, else the
        node alone, once.
        """
        pods = {p for w in wants if (p := _find_pod(w.about, snap)) is not None}
        subject = snap.canon(self._subject)
        if (
            not pods
            and subject.kind == "Pod"
            and subject.uid
            and (on := find_node_of_pod(subject, snap))
            and on.name == node
        ):
            pods = {subject}
        if pods:
            return [p for p in sorted(pods, key=lambda p: p.key) if p not in progress.looked]
        return [] if progress.looked else [None]

    def _last_resort(self, groups: list[tuple[str, list[Want]]], snap: Snapshot) -> None:
        """Use the access method with consent for the nodes out of reach of all others."""
        self._offer = self._offer or self._make_offer()
        offer = self._offer
        if offer is None:
            return
        open_ = [
            (n, w) for n, w in groups if not any(u.way == offer.name for u in self._progress[n].unreached)
        ]
        heard = snap.plus(u for n, _ in open_ for u in self._progress[n].unreached)
        nodes, unreached_nodes = offer.split_by_consent([n for n, _ in open_], heard) if open_ else ([], [])
        for unreached in unreached_nodes:
            self._progress[unreached.about.name or ""].unreached.append(unreached)
        run_each(lambda group: self._look(*group, snap, (offer,)), [g for g in open_ if g[0] in nodes], NODES)


def find_deletion_time(subject: Ref, snap: Snapshot) -> datetime | None:
    """Return the time of the subject's deletion request: its deletionTimestamp is the end of the grace
    period.
    """
    deletion = snap.one(Deletion, subject)
    return (
        deletion.due - timedelta(seconds=min(max(deletion.grace or 0, 0), 86_400))
        if deletion and deletion.due
        else None
    )


def _find_pod(about: Ref, snap: Snapshot) -> Ref | None:
    if about.kind == "Container":
        namespace, _, name = (about.within or "").partition("/")
        about = Ref("Pod", namespace, name)
    full = snap.canon(about)
    return full if full.kind == "Pod" and full.uid and full.name and full.within else None


def _failure(found: Sequence[Fact], node: str, way: str) -> Unreached | None:
    """Return the reason for a useless look; None if it gave facts."""
    if any(f.about.kind == "Node" and f.about.name != node for f in found):
        return _make_unreached(node, way, "not-offered", "other-node")
    unreached = next((f for f in found if isinstance(f, Unreached)), None)
    survey = next((f for f in found if isinstance(f, Refused) and f.want == SURVEY), None)
    # A timed-out look may have given facts; a refused look has given none of the requested ones.
    if any(not isinstance(f, Refused | Unreached) for f in found) and not (
        survey and survey.why in ("denied", "not-offered")
    ):
        return None
    if unreached is None and (survey := survey or next((f for f in found if isinstance(f, Refused)), None)):
        return _make_unreached(node, way, survey.why, "", detail=survey.detail)
    return unreached or _make_unreached(node, way, "not-offered", "unreadable")


def _list_obstacles(progress: _NodeProgress) -> list[Fact]:
    """Return the obstacles. A missing agent is worth mentioning only without any other access."""
    return [u for u in progress.unreached if not progress.facts or u.reason not in _ABSENT]


def _list_refusals(wants: Sequence[Want], progress: _NodeProgress, node: str, snap: Snapshot) -> list[Fact]:
    """Return a `Refused` for each unanswered Want, with the node's own reason if it gave one.

    A node's refusals of unrequested facts are ignored.
    """
    answered = snap.plus(f for f in progress.facts if not isinstance(f, Refused))
    open_ = [w for w in wants if not answered.answered(w)]
    tried = [u.why for u in progress.unreached if u.reason not in _ABSENT]
    if not progress.facts and not tried:
        return answer_unasked(open_)
    why: WhyOpen = min(tried, key=_WORST.index) if tried else "not-offered"
    return [
        _refusal(w, node, why, [f for f in progress.facts if isinstance(f, Refused)], snap) for w in open_
    ]


def _refusal(want: Want, node: str, why: WhyOpen, refusals: Sequence[Refused], snap: Snapshot) -> Refused:
    own = next(
        (
            f
            for f in refusals
            if f.want == want.fact.__name__ and snap.canon(f.about) == snap.canon(want.about)
        ),
        None,
    )
    own = own or next((f for f in refusals if f.want == SURVEY), None)
    src, name = Source(f"node:{node}"), want.fact.__name__
    return Refused(
        about=want.about, src=src, want=name, why=own.why if own else why, detail=own.detail if own else ""
    )


def answer_unasked(wants: Iterable[Want]) -> list[Fact]:
    """Answer every question with the `Refused` for an unasked question."""
    return [make_unasked(w.fact, w.about, "nobody") for w in wants]


def _make_unreached(
    node: str, way: str, why: WhyOpen, reason: str, name: str = "", detail: str = ""
) -> Unreached:
    src = Source(f"node:{node}")
    return Unreached(
        about=Ref("Node", None, node), src=src, way=way, why=why, reason=reason, name=name, detail=detail
    )
