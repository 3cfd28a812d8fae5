"""Compares the nodes that were looked at with another node of their kind, and tells the differences that may
matter for the error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unstuck.diagnosis.answer import Diagnosis, find_messages
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.cluster import NodeInfo, NodeNames
from unstuck.facts.aspects.node_settings import NodeSettings, SettingArea
from unstuck.facts.aspects.pod import LastLines, Placement
from unstuck.facts.core import Fact, Ref, Refused, Want
from unstuck.facts.derive.pods import is_node_ready, strip_generated_suffix
from unstuck.facts.derive.unlike_nodes import Difference, list_differences
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.single_wants import KINDS
from unstuck.facts.snapshot import Snapshot

say = Messages(__name__)

_OF_NODES = ("Node", *KINDS)
_TOLD = ("stuck", "unknown", "progressing")
_MOST, _QUOTED, _LINES = 3, 160, 40
_ADDRESS = regex(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])")
_PORT = regex(r"(?<=[\w\])]):(?P<port>\d{2,5})(?!\d)")
_NAME = regex(r"(?<![\w./-])[a-zA-Z][\w-]*(?:\.[\w-]+)+(?![\w-])")
_PATH = regex(r"(?<![\w/.])/[\w.@-]+(?:/[\w.@-]+)+")
# A setting's words, with and without the port or path around them.
_WORDS = (regex(r"[\w.:/-]+"), regex(r"[\w.-]+"))


@record()
class _ErrorKind(Record):
    """A kind of error, by its words, and the areas of settings that decide about it. sysctls: the beginnings
    of their names.
    """

    words: str
    areas: tuple[SettingArea, ...]
    sysctls: tuple[str, ...] = ()


_KINDS = tuple(
    (regex(f"(?i){kind.words}"), kind)
    for kind in (
        _ErrorKind(
            r"no such host|resolv|lookup |name or service not known|NXDOMAIN|EAI_AGAIN|UnknownHost",
            ("hosts", "resolver", "filter"),
        ),
        _ErrorKind(
            r"connect|dial |no route|unreachable|refused|timed? ?out|reset by peer|\bping\b|icmp|echo repl"
            r"|packet|handshake",
            ("filter", "policy", "neighbour", "queue", "route", "sysctl"),
            ("net.",),
        ),
        _ErrorKind(
            r"temporarily unavailable|EAGAIN|cannot allocate|ENOMEM|no space left|ENOSPC|too many open"
            r"|E[MN]FILE|not permitted|EPERM|fork|clone|thread|mlock|mmap|inotify|rlimit|ulimit",
            ("limit", "sysctl", "kubelet", "daemon"),
            ("kernel.", "fs.", "vm.", "user."),
        ),
    )
)

# Of an end without a word that is known.
_WORDLESS = _ErrorKind("", ("kubelet", "limit"))


def list_peers(subjects: Sequence[Ref], snap: Snapshot) -> tuple[Want, ...]:
    """Return the questions about a node to compare with: the settings of the nodes of these objects that were
    looked at, then a list of Nodes, then the settings of one that is like them.
    """
    out = list[Want]()
    for node in unique(_list_nodes(subjects, snap)):
        own = Want(NodeSettings, node)
        if not snap.of(NodeSettings, node):
            out += [] if snap.answered(own) else [own]
        elif _find_compared(node, snap) is None:
            out += _ask_peer(node, subjects, snap)
    return tuple(out)


def _list_nodes(subjects: Sequence[Ref], snap: Snapshot) -> Iterator[Ref]:
    """Yield the nodes of these Pods of which anything was seen on the node itself."""
    seen = find_seen_nodes(snap)
    for subject in subjects:
        for placed in snap.of(Placement, subject):
            if placed.node and placed.node.name in seen:
                yield placed.node


def find_seen_nodes(snap: Snapshot) -> frozenset[str | None]:
    """Return the names of the nodes that gave facts of their own."""
    about = (f.about for f in snap.facts if f.cost == "node" and not isinstance(f, Refused))
    return frozenset(ref.name if ref.kind == "Node" else ref.within for ref in about if ref.kind in _OF_NODES)


def _ask_peer(node: Ref, subjects: Sequence[Ref], snap: Snapshot) -> list[Want]:
    names = Want(NodeNames, Ref("Cluster"))
    if not snap.answered(names):
        return [names]
    peer = next(iter(_rank_peers(node, subjects, snap)), None)
    want = Want(NodeSettings, peer) if peer else None
    return [want] if want and not snap.answered(want) else []


def _rank_peers(node: Ref, subjects: Sequence[Ref], snap: Snapshot) -> list[Ref]:
    """Return the Ready nodes with the same kernel, system and kubelet; first those with a Pod of the same
    owner.
    """
    refs = [r for f in snap.every(NodeNames) for r in f.refs if r.name != node.name]
    owners = {(s.within, strip_generated_suffix(s.name or "")) for s in subjects}
    beside = {
        f.node.name
        for f in snap.every(Placement)
        if f.node and (f.about.within, strip_generated_suffix(f.about.name or "")) in owners
    }
    fit = [r for r in refs if is_node_ready(r, snap) is not False and _alike(node, r, snap)]
    return sorted(fit, key=lambda r: (r.name not in beside, r.name or ""))


def _alike(one: Ref, other: Ref, snap: Snapshot) -> bool:
    told = [[(f.kubelet, f.kernel, f.os_image) for f in snap.of(NodeInfo, ref)] for ref in (one, other)]
    return not all(told) or told[0][0] == told[1][0]


def _find_compared(node: Ref, snap: Snapshot) -> NodeSettings | None:
    """Return the settings of the node to compare with, if those of another one were read."""
    read = [f for f in snap.every(NodeSettings) if f.about.name != node.name and _alike(node, f.about, snap)]
    return min(read, key=lambda f: f.about.name or "", default=None)


def tell_unlike(d: Diagnosis, snap: Snapshot) -> Diagnosis:
    """Return the answer with a note on the differences that may matter, unless a node's own evidence proves
    its first cause.
    """
    if d.state.name not in _TOLD or d.subject.kind == "Node":
        return d
    if not d.causes:
        return _add_to_state(d, snap)
    first, *others = d.causes
    if first.confidence == "proven" and any(e.fact.cost == "node" for e in first.evidence):
        return d
    told = tuple(_tell_nodes(d, snap))
    if not told:
        return d
    finding = replace(first.finding, notes=(*told, *first.finding.notes))
    return replace(d, causes=(replace(first, finding=finding), *others))


def _add_to_state(d: Diagnosis, snap: Snapshot) -> Diagnosis:
    """Return an answer without a cause with the likeliest difference behind its state."""
    told = next(_tell_nodes(d, snap), None)
    if told is None:
        return d
    tail, state = say("; {told}", told=told), d.state
    says = state.says + tail if state.says else None
    return replace(d, state=replace(state, headline=state.headline + tail, says=says))


def _tell_nodes(d: Diagnosis, snap: Snapshot) -> Iterator[Text]:
    read = snap.every(NodeSettings)
    words = "\n".join(_list_words(d, snap)) if read else ""
    for here in sorted(read, key=lambda f: f.about.name or ""):
        there = _find_compared(here.about, snap)
        if there is None or not _is_concerned(here.about, d, snap):
            continue
        for one in rank_differences(list_differences(here, there), words)[:_MOST]:
            yield _tell(one, here.about.name or "", there.about.name or "")


def _is_concerned(node: Ref, d: Diagnosis, snap: Snapshot) -> bool:
    """Tell whether the node is that of the subject or of an object below it in which the cause was found."""
    pods = [d.subject, *(one.via for one in d.causes if one.via)]
    pods += [ref for one in d.causes for ref in one.finding.blocks if ref.kind == "Pod"]
    placed = [f.node.name for pod in pods for f in snap.of(Placement, pod) if f.node]
    return node.name in placed or (d.node is not None and d.node.name == node.name)


def _list_words(d: Diagnosis, snap: Snapshot) -> Iterator[str]:
    """Yield the messages and log lines that the answer rests on."""
    for cause in d.causes:
        yield from (_word(e.fact) for e in cause.evidence)
        yield from (_word(f) for ref in cause.finding.blocks for f in snap.of(LastLines, ref))
    yield from (_word(f) for f in find_messages(d))


def _word(fact: Fact) -> str:
    if isinstance(fact, LastLines):
        return fact.complaint.line if fact.complaint else "\n".join(fact.lines[-_LINES:])
    return fact.src.quote


def rank_differences(found: Sequence[Difference], words: str) -> list[Difference]:
    """Return the differences that may matter for an error with these words, the likeliest first: those that
    name its address, port, host or path, then those of an area that decides about such errors.
    """
    named = {m[0] for pattern in (_ADDRESS, _NAME, _PATH) for m in pattern.finditer(words)} | {
        m["port"] for m in _PORT.finditer(words)
    }
    areas = [kind for pattern, kind in _KINDS if pattern.search(words)] or [_WORDLESS]
    scored = [(_score(one, named, areas), one) for one in found]
    return [one for score, one in sorted(scored, key=lambda pair: -pair[0]) if score > 0]


def _score(one: Difference, named: set[str], kinds: Sequence[_ErrorKind]) -> int:
    text = f"{one.name} {one.here or ''} {one.there or ''}"
    words = {word for pattern in _WORDS for word in pattern.findall(text)}
    if named & words:
        return 10
    for kind in kinds:
        fits = one.area in kind.areas and (one.area != "sysctl" or one.name.startswith(kind.sysctls))
        # An address and a route are each node's own, unless the error names them.
        if fits and one.area not in ("route", "address", "hosts"):
            return len(kind.areas) - kind.areas.index(one.area)
    return 0


def _tell(one: Difference, node: str, other: str) -> Text:
    name, here, there = one.name[:_QUOTED], one.here, one.there
    if here is not None and there is not None:
        return say(
            "unlike Node {other}: {name} is {here} on Node {node}, and {there} on {other}",
            other=other,
            name=name,
            here=here[:_QUOTED],
            there=there[:_QUOTED],
            node=node,
        )
    value = (here if here is not None else there) or ""
    item = f"{name} = {value[:_QUOTED]}" if value else name
    if there is None:
        return say(
            "unlike Node {other}: Node {node} has “{item}” ({at}), and {other} has not",
            other=other,
            node=node,
            item=item,
            at=one.at,
        )
    return say(
        "unlike Node {other}: Node {node} lacks “{item}”, which {other} has ({at})",
        other=other,
        node=node,
        item=item,
        at=one.at,
    )
