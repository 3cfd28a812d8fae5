"""Asks a node: one child, one deadline. Whatever the node does, the answer comes in time, and what is missing says why."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from unstuck.collect.node.children import current_cpu, lines_of, one_core
from unstuck.collect.node.proc import parse_stat
from unstuck.collect.node.refusal import refuse
from unstuck.collect.node.root import Root
from unstuck.facts.codec import FormatError, fact_from_json, format_time, to_json
from unstuck.facts.core import Fact, Ref, Refused, Source, Want, WhyOpen
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# The whole command is to end within 5 s, its own start and the end of its children with it.
DEADLINE = 4.5
_CHILD = "unstuck-node"


def _clock() -> datetime:
    return datetime.now(UTC)


@record()
class _ToldBefore(Record):
    """What the child said. node, is_node: which it is, and whether it is one, as long as it came to say so; ended: whether it came to its
    end, and if not, why not.
    """

    facts: tuple[Fact, ...] = ()
    node: str = ""
    is_node: bool | None = None
    ended: bool = False
    why: WhyOpen = "timeout"
    detail: str = ""


class NodeCollector:
    """Facts of the node that `root` belongs to, read passively.

    root: `/`, a mounted host, a recorded tree, `/proc/PID/root`. node_name: where it is known (from the Pod's spec.nodeName).
    now: the clock. kubelet_root: the kubelet's --root-dir where no kubelet runs that would tell. since: when the deletion was
    asked for, if the logs of that time matter too. deadline: seconds for each question, in all; None: DEADLINE. Nothing here raises or
    waits longer, whatever state the node is in.
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
        self._given = node_name
        self._now = now
        self._kubelet_root = kubelet_root
        self._since = since
        self._deadline = DEADLINE if deadline is None else deadline
        self._who: _ToldBefore | None = None
        self._cpu = current_cpu()

    @property
    def node(self) -> str:
        """The Node's name: as given, else the kubelet's --hostname-override, else the host's name."""
        return self._given or self._known().node or "localhost"

    @property
    def source(self) -> str:
        """How a Snapshot names this collector."""
        return f"node:{self.node}"

    @property
    def is_node(self) -> bool | None:
        """Whether a kubelet, or a kubelet's directory, is here at all; None where that could not be seen, or not in time."""
        return self._known().is_node

    @property
    def unknown(self) -> tuple[WhyOpen, str] | None:
        """Return why it is not known which node this is, with words for a person; None where it is known."""
        told = self._known()
        return None if self._given or told.node else (told.why, told.detail)

    def collect(self, wants: Sequence[Want]) -> list[Fact]:
        """Answer the Wants that cost `node` and leave the others out; each one ends in facts or in a Refused.

        The facts of a Pod come with what the logs say failed for it.
        """
        mine = list(dict.fromkeys(w for w in wants if w.fact.cost == "node"))
        if not mine:
            return []
        told = self._ask({"ask": "wants", "wants": [{"fact": w.fact.__name__, "about": _ref(w.about)} for w in mine]})
        return [*told.facts, *self._missing(mine, told)]

    def survey(self, pod_uid: str | None) -> list[Fact]:
        """Return all that the node tells about itself, and about one Pod (its uid, in either driver's spelling)."""
        told = self._ask({"ask": "survey", "pod": pod_uid})
        if told.ended:
            return list(told.facts)
        return [
            *told.facts,
            Refused(about=Ref("Node", None, self.node), src=Source(self.source), want="survey", why=told.why, detail=told.detail),
        ]

    def touch(self, pod_uid: str | None) -> list[Fact]:
        """Touch the network and FUSE file systems of one Pod, or of the node: only for a person who asked for it.

        A mount that does not answer keeps one process waiting on the node, in D, until it does; it is never joined by a second one.
        """
        told = self._ask({"ask": "touch", "pod": pod_uid})
        if told.ended:
            return list(told.facts)
        about = Ref("Node", None, self.node)
        return [*told.facts, Refused(about=about, src=Source(self.source), want="Touched", why=told.why, detail=told.detail)]

    def snapshot(self, pod_uid: str | None) -> Snapshot:
        """Return a survey as a Snapshot: what `unstuck node -o json` saves."""
        return Snapshot(self.survey(pod_uid), self._now(), [self.source])

    def _missing(self, wants: Sequence[Want], told: _ToldBefore) -> Iterator[Refused]:
        """Yield a Refused for every Want that a child which was cut off did not come to."""
        if told.ended:
            return
        answered = {(type(f), f.about.uid or f.about.name) for f in told.facts}
        refused = {(f.want, f.about) for f in told.facts if isinstance(f, Refused)}
        for want in wants:
            keys = {(want.fact, want.about.uid), (want.fact, want.about.name)}
            if not (answered & keys) and (want.fact.__name__, want.about) not in refused:
                yield refuse(want, told.why, told.detail, self.node)

    def _known(self) -> _ToldBefore:
        if self._who is None:
            self._who = self._ask({"ask": "who"})
        return self._who

    def _ask(self, request: dict[str, Any]) -> _ToldBefore:
        earlier = _never_returned()
        if earlier is not None:
            return _ToldBefore(
                node=self._given or "", detail=f"an earlier look at this node (process {earlier}) has not returned; it waits in the kernel"
            )
        request |= {"root": self._root, "now": format_time(self._now()), "node": self._given, "kubelet_root": self._kubelet_root}
        request["since"] = format_time(self._since) if self._since else None
        told = _read(json.dumps(request).encode(), self._deadline, self._cpu)
        # One that never got so far is not asked a second time who it is: the deadline is for both.
        if told.node or self._who is None:
            self._who = told
        return told


def _ref(ref: Ref) -> dict[str, Any]:
    return {k: v for k, v in to_json(ref).items() if v is not None}


def _read(request: bytes, deadline: float, cpu: int | None) -> _ToldBefore:
    facts: list[Fact] = []
    head: dict[str, Any] = {}
    ended = False
    why: WhyOpen = "unreachable"
    detail = "the node's reader ended before it had answered"
    # The child needs our own package, and h2 for the runtime's socket, and nothing that site would add; it works from a zip too.
    places = [str(Path(__file__).absolute().parents[3])]
    if (spec := find_spec("h2")) and spec.origin:
        places.append(str(Path(spec.origin).parents[1]))
    env = {"PATH": os.environ.get("PATH", os.defpath), "PYTHONPATH": os.pathsep.join(dict.fromkeys(places)), "LC_ALL": "C.UTF-8"}
    try:
        with one_core(cpu):
            for line in lines_of([sys.executable, "-S", "-m", "unstuck.collect.node"], request, seconds=deadline, env=env):
                doc = json.loads(line)
                if "node" in doc and "type" not in doc:
                    head = doc
                elif doc.get("end"):
                    ended = True
                elif fact := fact_from_json(doc):
                    facts.append(fact)
    except TimeoutError:
        why, detail = "timeout", f"the node's answer took longer than {deadline:g} s (--node-timeout gives it more)"
    except (OSError, ValueError, FormatError) as e:
        detail = f"the node's reader failed: {e}"
    return _ToldBefore(tuple(facts), str(head.get("node", "")), _truth(head.get("is_node")), ended, why, detail)


def _truth(said: object) -> bool | None:
    return said if isinstance(said, bool) else None


def _never_returned() -> int | None:
    """Return the pid of an earlier child of ours that sleeps in D long after its deadline: another one would only join it."""
    root = Root("/")
    uptime = float((root.text("/proc/uptime", 64) or "0").split()[0])
    for name in root.names("/proc") or ():
        if name.isdigit() and (root.data(f"/proc/{name}/comm", 32) or b"").strip() == _CHILD.encode():
            stat = parse_stat(root.text(f"/proc/{name}/stat", 4096) or "")
            if stat is not None and stat.state == "D" and uptime - stat.ticks / os.sysconf("SC_CLK_TCK") > 2 * DEADLINE:
                return stat.pid
    return None
