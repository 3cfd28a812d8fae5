"""Collects a node's facts in one child with one deadline: the answer comes in time on any node, and lists
missing facts.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unstuck.collect.node.children import current_cpu, one_core, read_lines
from unstuck.collect.node.proc import parse_stat
from unstuck.collect.node.refusal import refuse
from unstuck.collect.node.root import Root
from unstuck.facts.codec import FormatError, format_time, read_fact, to_json
from unstuck.facts.core import Fact, Ref, Refused, Source, Want, WhyOpen
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# The whole command is to end within 5 s, its own start and the end of its children with it.
DEADLINE = 4.5
_CHILD = "unstuck-node"


def _clock() -> datetime:
    return datetime.now(UTC)


@record()
class _ChildAnswer(Record):
    """The child's answer. node, is_node: the node's name and whether it is one, if it got so far. ended:
    it was complete; else why.
    """

    facts: tuple[Fact, ...] = ()
    node: str = ""
    is_node: bool | None = None
    ended: bool = False
    why: WhyOpen = "timeout"
    detail: str = ""


class NodeCollector:
    """Facts of the node that `root` belongs to, read passively.

    root: `/`, a mounted host, a recorded tree, `/proc/PID/root`. node_name: if known (from the Pod's
    spec.nodeName). now: the clock. kubelet_root: the kubelet's --root-dir if no running kubelet shows it.
    since: when the deletion was requested, if the logs of that time matter too. deadline: seconds for each
    question, in all; None: DEADLINE. Nothing here raises or waits longer, in any state of the node.
    """

    def __init__(
        self,
        root: Path = Path("/"),
        node_name: str | None = None,
        now: Callable[[], datetime] = _clock,
        *,
        kubelet_root: str | None = None,
        since: datetime | None = None,
        deadline: float | None = None,
    ) -> None:
        self._root = str(root.absolute())
        self._given_name = node_name
        self._now = now
        self._kubelet_root = kubelet_root
        self._since = since
        self._deadline = DEADLINE if deadline is None else deadline
        self._identity: _ChildAnswer | None = None
        self._cpu = current_cpu()

    @property
    def node(self) -> str:
        """The Node's name: as given, else the kubelet's --hostname-override, else the host's name."""
        return self._given_name or self._identify().node or "localhost"

    @property
    def source(self) -> str:
        """How a Snapshot names this collector."""
        return f"node:{self.node}"

    @property
    def is_node(self) -> bool | None:
        """Whether there is a kubelet, or a kubelet's directory, at all; None if that could not be seen, or
        not in time.
        """
        return self._identify().is_node

    @property
    def unknown(self) -> tuple[WhyOpen, str] | None:
        """Return why the node's name is not known, with words for a person; None if it is known."""
        answer = self._identify()
        return None if self._given_name or answer.node else (answer.why, answer.detail)

    def collect(self, wants: Sequence[Want]) -> list[Fact]:
        """Answer the Wants that cost `node` and leave the others out; each one ends in facts or in a Refused.

        The facts of a Pod come with its failures in the logs.
        """
        mine = list(dict.fromkeys(w for w in wants if w.fact.cost == "node"))
        if not mine:
            return []
        answer = self._ask(
            {"ask": "wants", "wants": [{"fact": w.fact.__name__, "about": _ref(w.about)} for w in mine]}
        )
        return [*answer.facts, *self._refuse_unanswered(mine, answer)]

    def survey(self, pod_uid: str | None) -> list[Fact]:
        """Return all facts of the node about itself, and about one Pod (its uid, in either driver's
        spelling).
        """
        answer = self._ask({"ask": "survey", "pod": pod_uid})
        if answer.ended:
            return list(answer.facts)
        return [
            *answer.facts,
            Refused(
                about=Ref("Node", None, self.node),
                src=Source(self.source),
                want="survey",
                why=answer.why,
                detail=answer.detail,
            ),
        ]

    def touch(self, pod_uid: str | None) -> list[Fact]:
        """Touch the network and FUSE file systems of one Pod, or of the node: only on a person's request.

        A mount that does not answer keeps one process waiting on the node, in D, until it does; it is never
        joined by a second one.
        """
        answer = self._ask({"ask": "touch", "pod": pod_uid})
        if answer.ended:
            return list(answer.facts)
        about = Ref("Node", None, self.node)
        return [
            *answer.facts,
            Refused(
                about=about, src=Source(self.source), want="Touched", why=answer.why, detail=answer.detail
            ),
        ]

    def snapshot(self, pod_uid: str | None) -> Snapshot:
        """Return a survey as a Snapshot, the output of `unstuck node -o json`."""
        return Snapshot(self.survey(pod_uid), self._now(), [self.source])

    def _refuse_unanswered(self, wants: Sequence[Want], answer: _ChildAnswer) -> Iterator[Refused]:
        """Yield a Refused for every Want that the child did not reach before it was cut off."""
        if answer.ended:
            return
        answered = {(type(f), f.about.uid or f.about.name) for f in answer.facts}
        refused = {(f.want, f.about) for f in answer.facts if isinstance(f, Refused)}
        for want in wants:
            keys = {(want.fact, want.about.uid), (want.fact, want.about.name)}
            if not (answered & keys) and (want.fact.__name__, want.about) not in refused:
                yield refuse(want, answer.why, answer.detail, self.node)

    def _identify(self) -> _ChildAnswer:
        if self._identity is None:
            self._identity = self._ask({"ask": "who"})
        return self._identity

    def _ask(self, request: dict[str, Any]) -> _ChildAnswer:
        earlier = _find_hung_child()
        if earlier is not None:
            return _ChildAnswer(
                node=self._given_name or "",
                detail=(
                    f"an earlier look at this node (process {earlier}) has not returned; it waits in the "
                    "kernel"
                ),
            )
        request |= {
            "root": self._root,
            "now": format_time(self._now()),
            "node": self._given_name,
            "kubelet_root": self._kubelet_root,
        }
        request["since"] = format_time(self._since) if self._since else None
        answer = _read(json.dumps(request).encode(), self._deadline, self._cpu)
        # A child that did not get as far as its name is not asked again: the deadline is for both questions.
        if answer.node or self._identity is None:
            self._identity = answer
        return answer


def _ref(ref: Ref) -> dict[str, Any]:
    return {k: v for k, v in to_json(ref).items() if v is not None}


def _read(request: bytes, deadline: float, cpu: int | None) -> _ChildAnswer:
    facts: list[Fact] = []
    head: dict[str, Any] = {}
    ended = False
    why: WhyOpen = "unreachable"
    detail = "the node's reader ended before it had answered"
    # The child needs our own package, and h2 for the runtime's socket, and nothing that site would add; it
    # works from a zip too.
    places = [str(Path(__file__).absolute().parents[3])]
    if (spec := find_spec("h2")) and spec.origin:
        places.append(str(Path(spec.origin).parents[1]))
    env = {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)),
        "LC_ALL": "C.UTF-8",
    }
    try:
        with one_core(cpu):
            for line in read_lines(
                [sys.executable, "-S", "-m", "unstuck.collect.node"], request, seconds=deadline, env=env
            ):
                doc = json.loads(line)
                if "node" in doc and "type" not in doc:
                    head = doc
                elif doc.get("end"):
                    ended = True
                elif fact := read_fact(doc):
                    facts.append(fact)
    except TimeoutError:
        why, detail = (
            "timeout",
            f"the node's answer took longer than {deadline:g} s (--node-timeout gives it more)",
        )
    except (OSError, ValueError, FormatError) as e:
        detail = f"the node's reader failed: {e}"
    return _ChildAnswer(
        tuple(facts), str(head.get("node", "")), _as_bool(head.get("is_node")), ended, why, detail
    )


def _as_bool(value: object) -> bool | None:
    return value if isinstance(value, bool) else None


def _find_hung_child() -> int | None:
    """Return the pid of an earlier child that hangs in D long after its deadline; a second one would only
    hang beside it.
    """
    root = Root("/")
    uptime = float((root.text("/proc/uptime", 64) or "0").split()[0])
    for name in root.names("/proc") or ():
        if name.isdigit() and (root.data(f"/proc/{name}/comm", 32) or b"").strip() == _CHILD.encode():
            stat = parse_stat(root.text(f"/proc/{name}/stat", 4096) or "")
            if (
                stat is not None
                and stat.state == "D"
                and uptime - stat.ticks / os.sysconf("SC_CLK_TCK") > 2 * DEADLINE
            ):
                return stat.pid
    return None
