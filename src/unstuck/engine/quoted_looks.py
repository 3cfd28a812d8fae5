"""Commands about the things named in a quoted error or a lead's evidence: a path, an address, a process, a
volume (docs/why/next.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from unstuck.diagnosis.answer import CauseMatch, Diagnosis, OpenCause
from unstuck.diagnosis.command import NO_COMMAND, PLACEHOLDER
from unstuck.diagnosis.failure_looks import look_of_failure
from unstuck.diagnosis.line_classes import look_of_class, look_of_error
from unstuck.diagnosis.line_speakers import look_of_speaker
from unstuck.diagnosis.looking import (
    NamedLook,
    look_at_log,
    look_at_object,
    look_at_paths,
    look_at_process,
    look_at_room,
    look_at_runtime,
    looks,
)
from unstuck.diagnosis.mentioned import NODE_PATHS, Mentioned, names_in
from unstuck.diagnosis.objects_named import find_objects_in_line
from unstuck.diagnosis.pasted_looks import is_shown, looks_of
from unstuck.diagnosis.verdict import Step, is_remedy
from unstuck.engine.outputs import find_read_outputs
from unstuck.facts.aspects.host import LogSeen, MountHolders
from unstuck.facts.aspects.kernel import KernelEvents
from unstuck.facts.aspects.objects import Conditions, Events, Failure
from unstuck.facts.aspects.pasted import Pasted
from unstuck.facts.aspects.space import DiskSpace
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record
from unstuck.facts.snapshot import Snapshot

# Errors that the runtime reports to the kubelet; the runtime's own log has more.
_OF_A_RUNTIME = ("sandbox-", "container-", "runtime-", "image-")
_UNKNOWN = ("other", "failed", "call-failed")
# Errors of attempts whose progress only the runtime knows.
_SEQUELS = ("name-conflict",)
_OF_A_VOLUME = ("volume-", "device-")
# A path named by these operations is in the container, unless it is one of the node's own directories.
_IN_A_CONTAINER = ("container-", "post-start", "pre-stop", "exec", "probe-")
_PROBES = "probe-"
_DIRECTORIES = ("pod-directory-remove", "subpath-clean", "volume-tear-down")
# Free space below this counts as none for the writes of the kubelet and the runtime.
_FULL = 0.05
# Network terms: an error with one of them concerns the named address.
_RUNTIMES = ("dockerd", "containerd", "crio", "cri-dockerd", "runtime")
_UNREACHABLE = (
    "apiserver-unreachable",
    "connection-refused",
    "deadline-exceeded",
    "EHOSTUNREACH",
    "ENETUNREACH",
)


@record()
class QuotedLook(Record):
    """A look, and the lead whose evidence names it; "" for an error that concerns no lead."""

    look: NamedLook
    lead: str = ""


def looks_at_names(d: Diagnosis, told: Sequence[OpenCause], snap: Snapshot) -> list[QuotedLook]:
    """Return the looks at named things, the nearest to the fault first; none if a description was read.

    For a likely cause: the looks at the failed call's things, the first read-only step of its help, and the
    other things that its evidence names. With a description at hand, asking the node for everything open is
    better than a look at one named thing. Output that the text already contains is not asked for again.
    """
    texts = snap.every(Pasted)
    shown = [command for text in texts for command in text.commands]
    if d.causes:
        return [
            *_list_distinct(
                one
                for one in _look_for_causes(d.causes, d.subject, snap)
                if one.look.command and not is_shown(one.look, shown)
            )
        ]
    if d.state.passed or "describe" in find_read_outputs(d.subject, snap):
        return []
    spoken = [(o.id, e.fact) for o in told if o.possible for e in o.evidence if e.weight != "against"]
    failures = sorted(
        snap.of(Failure, d.subject),
        key=lambda f: (f.error in _UNKNOWN, not f.src.order[0], -f.src.order[1], f.message),
    )
    found = (
        *(_look_for_leads(spoken, snap) if spoken else _look_for_failures(d, failures, snap)),
        *(QuotedLook(look) for text in reversed(texts) for look in looks_of(text)),
        *(
            QuotedLook(look, lead)
            for lead, fact in spoken
            if isinstance(fact, Failure)
            for look in _look_at_runtime(fact, snap)
        ),
        *(
            QuotedLook(look)
            for fact in failures
            if not spoken
            for look in (*_look_at_paths(fact), *_look_at_runtime(fact, snap))
        ),
        *(
            QuotedLook(look)
            for said in _list_quotes(failures, d, snap)
            if not spoken and (look := look_of_speaker(said))
        ),
    )
    return [*_list_distinct(one for one in found if one.look.command and not is_shown(one.look, shown))]


def _look_for_causes(causes: Sequence[CauseMatch], subject: Ref, snap: Snapshot) -> Iterator[QuotedLook]:
    """Yield the looks at a likely cause: first by the class of the failing call, then the first look of
    its help.
    """
    for told in causes:
        facts = [e.fact for e in told.evidence if isinstance(e.fact, Failure)]
        yield from (QuotedLook(look, told.id) for fact in facts if (look := look_of_failure(fact)))
        yield from (
            QuotedLook(look, told.id)
            for e in told.evidence
            if (look := look_of_error(e.fact.src.quote, _list_beside(e.fact, snap)))
        )
    looking = [(told.id, step) for told in causes for step in told.finding.help if _only_looks(step)]
    whole = {
        id_: step
        for id_, step in reversed(looking)
        if not any(PLACEHOLDER.search(word) for word in step.command.argv)
    }
    yield from (_make_look_of_step(id_, step) for id_, step in whole.items())
    for told in causes:
        # An account is the refused party; the object itself does not show its rights.
        others = {d for one in causes for d in (one.finding.culprit, *one.finding.blocks)}
        named = (ref for e in told.evidence for ref in find_objects_in_line(e.fact.src.quote, None))
        yield from (
            QuotedLook(look_at_object(ref), told.id)
            for ref in named
            if ref.kind != "ServiceAccount" and ref not in others
        )
    # For a text no other question is possible; the other questions about an object need only its name.
    if subject.kind == "Text":
        yield from (_make_look_of_step(id_, step) for id_, step in looking)


def _make_look_of_step(id_: str, step: Step) -> QuotedLook:
    kind, _, node = step.where.partition(":")
    return QuotedLook(
        NamedLook(step.command, step.says, on_node=kind == "node", for_reader=True, node=node), id_
    )


def _only_looks(step: Step) -> bool:
    """Tell whether a step is a check: a command that changes nothing."""
    return bool(step.command) and step.undo == NO_COMMAND and not is_remedy(step)


def _list_quotes(failures: Sequence[Failure], d: Diagnosis, snap: Snapshot) -> Iterator[str]:
    """Yield the messages about the subject: first of failing calls, then a log's worst line."""
    yield from (f.src.quote for f in failures)
    yield from _list_warnings(d, snap)
    yield from (log.worst for log in snap.of(LogSeen, d.subject))


def _list_warnings(d: Diagnosis, snap: Snapshot) -> Iterator[str]:
    """Yield the messages of Events that warn about the subject, the last one first."""
    yield from (e.message for f in snap.of(Events, d.subject) for e in reversed(f.items) if e.warning)


def _look_for_leads(spoken: Sequence[tuple[str, Fact]], snap: Snapshot) -> Iterator[QuotedLook]:
    """Yield the looks at things named by the leads' evidence. spoken: a lead and one fact that supports
    it.
    """
    holders = [*_look_at_holders(snap)]
    yield from holders
    for lead, fact in spoken:
        yield from (
            QuotedLook(look, lead)
            for look in _look_at_named(fact, snap)
            if not (holders and "/proc/[0-9]" in look.command.line)
        )


def _look_for_failures(d: Diagnosis, failures: Sequence[Failure], snap: Snapshot) -> Iterator[QuotedLook]:
    """Yield the looks at reported failures if no lead has support."""
    yield from _look_at_holders(snap)
    for fact in (*failures, *snap.of(Conditions, d.subject)):
        yield from (QuotedLook(look) for look in _look_at_named(fact, snap))
    for event in _list_warnings(d, snap):
        if look := look_of_class(event):
            yield QuotedLook(look)
        yield from (QuotedLook(look) for look in looks(names_in(event)))
    for said in (e.quote for f in snap.of(KernelEvents, d.subject) for e in reversed(f.items) if not e.over):
        yield from (QuotedLook(look) for look in looks(names_in(said)))
    for log in snap.of(LogSeen, d.subject):
        if look := look_of_class(log.worst):
            yield QuotedLook(look)
        yield from (QuotedLook(look) for look in looks(names_in(log.worst)))


def _list_beside(fact: Fact, snap: Snapshot) -> str:
    """Return a fact's own line and the commands of its text, which may give the names that the line lacks."""
    commands = (c.text for f in snap.of(Pasted, fact.about) for c in f.commands)
    return "\n".join((fact.src.quote, *commands))


def _look_at_holders(snap: Snapshot) -> Iterator[QuotedLook]:
    holders = [i for f in snap.every(MountHolders) for i in f.items]
    yield from (QuotedLook(look_at_process(one.proc.pid)) for one in holders[:1])


def _look_at_named(fact: Fact, snap: Snapshot) -> Iterator[NamedLook]:
    """Yield the looks at the things that one fact's words name."""
    if isinstance(fact, DiskSpace):
        yield from (
            look_at_room(s.mountpoint or s.path)
            for s in fact.items
            if s.bytes_free <= s.bytes * _FULL and not fact.largest
        )
    if isinstance(fact, Conditions):
        space = fact.about.name if fact.about.kind == "Namespace" else fact.about.within
        yield from (look for c in fact.items for look in looks(replace(names_in(c.message), space=space)))
    if not isinstance(fact, Failure):
        if look := look_of_error(fact.src.quote, _list_beside(fact, snap)):
            yield look
        yield from looks(names_in(fact.src.quote))
    elif look := look_of_failure(fact) or look_of_class(fact.src.quote):
        yield look
    elif fact.operation.startswith(_PROBES):
        # A probe's address, port and path are the container's own: the network path is not in question.
        yield look_at_log(snap.canon(fact.about), fact.container)
    elif fact.operation != "program-run":
        # A program's paths and addresses are inside its container.
        if fact.object is not None and fact.object.name and fact.object.kind not in ("Pod", "Node"):
            yield look_at_object(replace(fact.object, within=fact.object.within or fact.about.within))
        yield from looks(_names(fact))


def _look_at_paths(failure: Failure) -> Iterator[NamedLook]:
    """Yield the look at a path without a known fault."""
    yield from look_at_paths(_names(failure)) if failure.operation != "program-run" else ()


def _look_at_runtime(failure: Failure, snap: Snapshot) -> Iterator[NamedLook]:
    """Yield the look at the runtime's log if its message to the kubelet is not understood here."""
    if (
        failure.error in (*_UNKNOWN, *_SEQUELS)
        and failure.operation.startswith(_OF_A_RUNTIME)
        and not _read_of_runtime(snap)
    ):
        yield look_at_runtime()


def _names(failure: Failure) -> Mentioned:
    """Return the things that a failing call names: its fields first, then its words, then the surrounding
    line.
    """
    said, around = names_in(failure.message), names_in(failure.src.quote)
    error = failure.error if failure.error not in _UNKNOWN else said.error or around.error
    uid = (
        failure.key
        if failure.operation in _DIRECTORIES and failure.key and failure.key.count("-") == 4
        else said.uid or around.uid
    )
    path = failure.path or said.path or around.path
    volume = names_in(failure.volume or "").volume or said.volume or around.volume
    return replace(
        around,
        words=f"{failure.message} {failure.src.quote}",
        error="unreachable" if error in _UNREACHABLE else error,
        path=path
        if path and (path.startswith(NODE_PATHS) or not failure.operation.startswith(_IN_A_CONTAINER))
        else None,
        host=failure.host or said.host or around.host,
        pid=said.pid or around.pid,
        uid=(names_in(failure.path).uid if failure.path else None) or uid,
        volume=volume if failure.operation.startswith(_OF_A_VOLUME) else None,
        image=said.image or around.image,
        program=said.program or around.program,
        container=said.container or around.container,
        filesystem=said.filesystem or around.filesystem,
        absent=said.absent or around.absent,
        certificate=said.certificate or around.certificate,
        object=said.object or around.object,
    )


def _read_of_runtime(snap: Snapshot) -> bool:
    """Tell whether a runtime's own log was read."""
    return any(f.component in _RUNTIMES for f in snap.every(LogSeen)) or any(
        f.reporter in _RUNTIMES for f in snap.every(Failure)
    )


def _list_distinct(found: Iterable[QuotedLook]) -> Iterator[QuotedLook]:
    seen = set[str]()
    for one in found:
        if one.look.command.line not in seen:
            seen.add(one.look.command.line)
            yield one
