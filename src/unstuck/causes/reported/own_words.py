"""An object's own status says what is wrong with it

## How it happens

The object's controller has examined it and refused it, or met an error: a signer that does not grant a
request, two autoscalers of one workload, a store that denies a Secret, a type whose name is taken. It writes
the reason into the status and waits for a fix.

## How to tell

A condition, or another status field of such objects, is known to report a fault, and has a message; without
one, the message of another condition that is False, and the warnings of recent Events. The message is quoted
unchanged, with its writer. For an object whose deletion is late only messages count that name a step of a
deletion, such as Draining, or that are younger than its request. They are as reliable as their writer: the
cause is never more than likely.

## Known limits

Only conditions and fields with a known meaning count; others are quoted and prove no cause. A message may be
old if its writer no longer runs. The conditions of Pods, Namespaces and Pods' controllers only repeat faults
that are reported elsewhere, except for a Job that was ended for another reason than its Pods; for a Node only
conditions that are not the kubelet's own count. If another cause explains the object, its own messages follow
from that.

## References

- kubernetes/community api-conventions.md, "Typical status properties"; kubernetes-sigs/cli-utils pkg/kstatus
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.causes.reported import _credentials
from unstuck.causes.reported._credentials import find_credentials
from unstuck.causes.reported._remedies import (
    LOOKS,
    TAKEN,
    find_bounds,
    find_said,
    help_bounded,
    help_by_words,
    help_refused,
)
from unstuck.diagnosis.answer import OwnWords
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.objects_named import find_objects_in_line
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Owners, Presence, Touches
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.aspects.reported import ControllerLines, Reported, StatusWord
from unstuck.facts.aspects.services import ServicesAt
from unstuck.facts.core import Fact, Ref, Want, shorten
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.kinds import CREATORS
from unstuck.knowledge.conditions import is_apart, says_little
from unstuck.knowledge.names import find_rule
from unstuck.stages.overdue import stays
from unstuck.stages.references import find_references
from unstuck.stages.reported_state import find_deletion_words, find_telling_words, find_waiting_words

say = Messages(__name__)

# The state of these follows from the objects that they hold, or from a line of stages.
_JUDGED_ELSEWHERE = frozenset({"Pod", "Namespace", *CREATORS} - {"Job", "CronJob"})
# Conditions that other causes explain: a Node's from its kubelet and two from node-problem-detector; a Job's
# that its Pods show.
_EXPLAINED_TYPES = frozenset(
    f"condition {name}"
    for name in (
        "Ready",
        "MemoryPressure",
        "DiskPressure",
        "PIDPressure",
        "ReadonlyFilesystem",
        "KernelDeadlock",
    )
)
_EXPLAINED_REASONS = frozenset({"BackoffLimitExceeded"})
_PARTLY_EXPLAINED = frozenset({"Node", "Job"})
# A message up to this length is quoted in full; a longer one at both ends, since a wrapped error has its
# innermost part last.
_QUOTED = 900
_GENERATIONS = 3
# A part that a status describes, by its kind if it has one, and its name.
_ROW = regex(r"\[(?:(?P<kind>[A-Z]\w*) )?(?:(?P<space>[a-z0-9-]+)/)?(?P<name>[^\]/ ]*)\]$")
_PARTS, _WORD = regex(r"[A-Za-z][a-z]+"), 5


@record()
class _ControllerLog(Record):
    """The words of an object's controller in its log. says: a clause, empty without any."""

    says: Text = NO_TEXT
    wants: tuple[Want, ...] = ()
    seen: tuple[Fact, ...] = ()

    def help(self, subject: Ref, verify: Text) -> tuple[Step, ...]:
        """Return the fix of what it reports; none without such a line."""
        fix = say("correct in {subject} what this line of the log is about", subject=who(subject))
        return (Step(fix, where="source", verify=verify),) if self.seen else ()


def _rule(subject: Ref, snap: Facts) -> Signs:
    ending = () if subject.kind in _JUDGED_ELSEWHERE else find_deletion_words(subject, snap)
    said = (
        Sign[OwnWords](False)
        if subject.kind in _JUDGED_ELSEWHERE
        else _make_sign(ending, snap)
        if ending
        else _find_words(subject, snap)
    )
    return Signs(
        # While an object is being deleted, only messages about its deletion count.
        applies=Sign(True) if ending else stays(subject, snap),
        necessary={"its own status says, with a message, that something is wrong": said},
        # They are their writer's claims, without confirmation.
        decisive={"a condition says that it lasts": Sign(None, wants=said.wants)} if said.wants else {},
        supporting={"the message says what": said},
        finding=lambda: _make_finding(
            subject, said.hits, _find_makers(subject, snap), _find_sentences(subject, said.hits, snap), snap
        ),
    )


def _find_words(subject: Ref, snap: Facts) -> Sign[OwnWords]:
    words = find_telling_words(subject, snap)
    if subject.kind in _PARTLY_EXPLAINED:
        words = tuple(
            w for w in words if w.field not in _EXPLAINED_TYPES and w.reason not in _EXPLAINED_REASONS
        )
    if not words and any(find_telling_words(owner, snap) for owner in _find_makers(subject, snap)):
        # It is within its time, and the object that it was made for is overdue.
        words = find_waiting_words(subject, snap)
    if words:
        return _make_sign(words, snap)
    # An object without a status has no Conditions; its whole Presence shows that there are none.
    seen = tuple(f for f in snap.of(Presence, subject) if f.whole)
    return Sign(False, seen=seen) if seen else Sign(None)


def _make_sign(words: tuple[OwnWords, ...], snap: Facts) -> Sign[OwnWords]:
    facts = unique(w.fact for w in words)
    # An Event reports a past failure; a condition would show a recovery.
    of_events = all(isinstance(f, Events) for f in facts) and not snap.of(Conditions, facts[0].about)
    wants = (Want(Conditions, facts[0].about),) if of_events else ()
    if not any(f.created for w in facts for f in snap.of(Presence, w.about)):
        # Its age shows whether it is still within its time.
        wants = (*wants, Want(Presence, facts[0].about))
    return Sign(True, words, facts, wants=wants, sure=any(snap.sure(f) for f in facts))


def _find_makers(subject: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Find the objects that it was made for, up to a few generations."""
    found: list[Ref] = []
    above = [subject]
    for _ in range(_GENERATIONS):
        above = [snap.canon(r) for one in above for f in snap.of(Owners, one) for r in f.refs]
        found += above
    return unique(r for r in found if r != subject)


def _find_sentences(subject: Ref, words: tuple[OwnWords, ...], snap: Facts) -> tuple[StatusWord, ...]:
    """Find the other fields of its status that hold a sentence: a condition may only say that it is not
    ready.
    """
    told = {w.field for w in words}
    return tuple(
        w
        for f in snap.of(Reported, subject)
        for w in f.words
        if w.field not in told and (w.message or " " in w.value)
    )


def _find_meant(subject: Ref, words: tuple[str, ...], snap: Facts) -> tuple[Reference, ...]:
    """Find the references in its spec that its message means: `the catalog` is the object that
    `spec.imageCatalogRef` names.
    """
    text = " ".join(words).lower()
    found = [r for r in find_references(subject, snap) if r.to.name and not _is_named(r.to.name, text)]
    return tuple(
        r
        for r in found
        if any(
            _is_named(part, text) for part in _PARTS.findall(_strip_reference(r.field)) if len(part) >= _WORD
        )
    )[:1]


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", text) is not None


def _is_quoted(target: Ref, text: str) -> bool:
    """Tell whether a message quotes the name of an object that the subject refers to."""
    return "." in target.kind and any(f"{q}{target.name}{q}" in text for q in ("'", '"', "`"))


def _strip_reference(field: str) -> str:
    """Return the last part of a field without its index and `Ref`."""
    return field.rpartition(".")[2].partition("[")[0].removesuffix("Ref")


def _describe_reference(reference: Reference) -> str:
    more = ", ".join(f"{k} {v}" for k, v in reference.beside)
    return f"{who(reference.to)} ({more})" if more else who(reference.to)


def _make_finding(
    subject: Ref,
    words: tuple[OwnWords, ...],
    owners: tuple[Ref, ...],
    sentences: tuple[StatusWord, ...],
    snap: Facts,
) -> Finding:
    # Messages about a part are more specific than the word for the whole.
    rows = tuple(w for w in words if _ROW.search(w.field))
    first, *others = (*rows, *_put_in_order(tuple(w for w in words if w not in rows)))
    more = _find_different(first, others)
    beside = [(w.field, w.message) for w in more[:LOOKS]] or [
        (w.field, f"{w.value}: {w.message}" if w.message else w.value) for w in sentences[:1]
    ]
    told = (first.message, *(text for _, text in beside))
    meant = _find_meant(subject, told, snap)
    said = f"{first.reason}: {first.message}" if first.reason else first.message
    field = f"{first.field}={first.value}" if first.value else first.field
    says = say("{subject} says in {field}: {said}", subject=who(subject), field=field, said=_quote(said))
    for place, text in beside:
        says += say("; and in {field}: {more}", field=place, more=_quote(text))
    bounds = find_bounds(subject, " ".join((first.reason, *told)), snap)
    for bound in bounds:
        says += say("; {field} is {value}", field=bound.field, value=bound.value)
    for reference in meant:
        says += say("; {field} is {target}", field=reference.field, target=_describe_reference(reference))
    quoted = () if bounds or meant else find_said(subject, " ".join(told), snap)
    for one in quoted:
        says += say("; {field} is {value}", field=one.field, value=one.value)
    by = (say("{by} wrote this", by=first.by),) if first.by else ()
    also = tuple(say("it also says: {said}", said=_quote(w.message)) for w in more[LOOKS : 2 * LOOKS])
    verify = say("its {field} changes automatically", field=first.field)
    quoted_names = (r.to for r in find_references(subject, snap) if _is_quoted(r.to, " ".join(told)))
    found = (*_find_named(subject, (first, *more[:LOOKS])), *quoted_names)
    # A message often begins with its own object's name.
    elsewhere = [r for r in unique(map(snap.canon, found)) if r != snap.canon(subject)]
    named = [*elsewhere, *(r.to for r in meant)]
    absent = {r for r in named if any(not f.exists for f in snap.of(Presence, r))}
    text = " ".join((first.value, *told))
    port, holders = _find_port_holders(text, snap)
    if holders:
        says += say(
            "; port {port} of the nodes is that of {holders}",
            port=port.name,
            holders=list_names([who(h) for h in holders]),
        )
    wants = (Want(ServicesAt, port),) if port.name and not snap.of(ServicesAt, port) else ()
    log = _find_log(subject, first, more, snap)
    says += log.says
    login = find_credentials(subject, text, snap, verify)
    says += login.says
    help_ = (
        help_refused(subject, text, holders, verify)
        or login.help
        or help_bounded(subject, bounds, verify)
        or log.help(subject, verify)
        or help_by_words(subject, text, named, absent, verify, quoted)
    )
    return Finding(
        says,
        culprit=subject,
        blocks=owners,
        notes=(*by, *also),
        help=help_,
        enrich=(*wants, *login.wants, *log.wants),
        seen=log.seen,
        apart=not named and is_apart(first.field.removeprefix("condition "), first.reason, first.message),
    )


def _find_log(subject: Ref, first: OwnWords, more: Sequence[OwnWords], snap: Facts) -> _ControllerLog:
    """Return what its controller reports of it in its log, if its own status hardly tells."""
    if "." not in subject.kind or more or not says_little(first.reason, first.message):
        return _ControllerLog()
    facts = snap.of(ControllerLines, subject)
    told = tuple(f for f in facts if f.items)
    if not told:
        return _ControllerLog(wants=() if facts else (Want(ControllerLines, subject),))
    line = told[0].items[-1]
    return _ControllerLog(
        say("; {by} reports of it in its log “{line}”", by=who(line.by), line=_quote(line.line)), seen=told
    )


def _quote(text: str) -> str:
    return shorten(" ".join(text.split()), _QUOTED)


def _put_in_order(words: tuple[OwnWords, ...]) -> tuple[OwnWords, ...]:
    """Sort the status' messages by information: messages that count attempts or sum up come after those with
    the error.

    Warnings of Events come last, in their own order.
    """
    status = [w for w in words if not isinstance(w.fact, Events)]
    told = sorted(status, key=lambda w: (says_little(w.reason, w.message), -len(w.message)))
    return (*told, *(w for w in words if isinstance(w.fact, Events)))


def _find_different(first: OwnWords, others: Sequence[OwnWords]) -> list[OwnWords]:
    """Leave out messages contained in the first or an earlier one: often several fields report one fault."""
    kept = [first]
    for one in others:
        if not any(one.message in k.message or k.message in one.message for k in kept):
            kept.append(one)
    return kept[1:]


def _find_named(subject: Ref, words: Sequence[OwnWords]) -> list[Ref]:
    """Find the objects that the message names, followed by the parts that it is about; a part may have its
    own Namespace.
    """
    named, about = list[Ref](), list[Ref]()
    for one in words:
        row = _ROW.search(one.field)
        within = row["space"] if row and row["space"] else subject.within
        if row and row["kind"] and find_rule(row["kind"]).allows(row["name"]):
            about.append(Ref(row["kind"], within, row["name"]))
        named += find_objects_in_line(one.message, within)
    own = (subject.kind, subject.within, subject.name)
    return [
        r
        for r in unique((*(r for r in named if r not in about), *about))
        if (r.kind, r.within, r.name) != own
    ]


def _find_port_holders(text: str, snap: Facts) -> tuple[Ref, tuple[Ref, ...]]:
    """Find the taken port of the nodes in the message (nameless if it has none), and the Services that have
    it.
    """
    taken = TAKEN.search(text)
    port = Ref("NodePort", None, taken["port"] if taken else None)
    return port, unique(s for f in snap.of(ServicesAt, port) for s in f.services) if taken else ()


CAUSE = Cause(
    id="reported.own-words",
    title=say("the object's own status says what is wrong"),
    subjects=("*",),
    reads=frozenset(
        {
            Conditions,
            ControllerLines,
            Reported,
            Presence,
            Deletion,
            Touches,
            Owners,
            References,
            Workload,
            Events,
            ServicesAt,
        }
    )
    | _credentials.READS,
    rule=_rule,
)
