"""An object's own status says what is wrong with it

## How it happens

Whoever works on the object has looked at it and refused it, or met an error: a signer that does not give what
a request asks for, two autoscalers of one workload, a store that denies a Secret, a type whose name is taken.
It writes the reason into the status and waits until somebody fixes it.

## How to tell

A condition, or another field by which such objects tell how they are, is known to mean that something is
wrong, and beside it stands a message; where none stands there, one of another condition that is False, and
what recent Events warn of. The words are quoted as they are, with who wrote them. Of an object whose deletion
is late only those count that name a step of a deletion, such as Draining, or that are younger than its
request. They are as true as their writer is: the cause is never more than likely.

## Known limits

Only conditions and fields whose meaning is known count; of others the words are quoted and nothing is
claimed. Words may be old, where their writer does not run any more. The conditions of Pods, Namespaces and of
what makes Pods only count what is told elsewhere, but for a Job that was ended for another reason than its
Pods; of a Node those count that are not the kubelet's own. Where another cause explains the object, its own
words follow from that.

## References

- kubernetes/community api-conventions.md, "Typical status properties"; kubernetes-sigs/cli-utils pkg/kstatus
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from unstuck.causes.program._held_values import PORTS_OF_SERVICES
from unstuck.diagnosis import asking, given
from unstuck.diagnosis.answer import OwnWords
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.line_classes import look_of_class
from unstuck.diagnosis.objects_named import find_objects_in_line
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.sign import Sign, unique
from unstuck.diagnosis.text import Messages, Text, list_names, who
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Owners, Presence, Touches
from unstuck.facts.aspects.references import Reference, References
from unstuck.facts.aspects.reported import Reported, Setting, StatusWord
from unstuck.facts.aspects.services import ServicesAt
from unstuck.facts.core import Ref, Want, shorten
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.kinds import CREATORS
from unstuck.knowledge.conditions import says_little
from unstuck.knowledge.names import find_rule
from unstuck.stages.overdue import stays
from unstuck.stages.references import find_references
from unstuck.stages.reported_state import find_deletion_words, find_telling_words, find_waiting_words

say = Messages(__name__)

# What these say of themselves is worked out from what they hold, or stands on a line of stages.
_TOLD_ELSEWHERE = frozenset({"Pod", "Namespace", *CREATORS} - {"Job"})
# Conditions of these that other causes explain: of a Node the kubelet's own and two of node-problem-detector;
# of a Job what its Pods show.
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
_PARTLY_TOLD = frozenset({"Node", "Job"})
# A message is told whole; of one that is longer the ends, since an error that is wrapped has its innermost
# part last.
_QUOTED = 900
_GENERATIONS = 3
_LOOKS = 2
# A field of a spec, as validation names it (`spec.selector: Invalid value`).
_FIELDS = regex(r"(?<![\w.])(spec(?:\.\w[\w\[\].-]{0,80}\w)+)")
_IMMUTABLE = regex(
    r"field is immutable|immutable after creation|updates to .{0,80}spec.{0,80} are forbidden", re.I
)
# A part that a status tells of, by its kind and name where it has one.
_ROW = regex(r"\[(?:(?P<kind>[A-Z]\w*) )?(?:(?P<space>[a-z0-9-]+)/)?(?P<name>[^\]/ ]*)\]$")
# What is over by the words, and the fields that say how much of it there was.
_TIME, _OF_TIME = (
    regex(r"(?i)deadline|timed? ?out|timeout|longer than|took too long|expired"),
    regex(r"(?i)deadline|time-?out|duration|expir"),
)
_TRIES, _OF_TRIES = (
    regex(r"(?i)\bretries|attempts?\b|backoff|tries\b"),
    regex(r"(?i)retr|attempt|backoff|\blimit$"),
)
# apimachinery pkg/api/errors (NewInvalid), pkg/util/validation/field.
_REFUSED = regex(
    r"\b(?P<kind>[A-Z]\w{2,60})(?:\.[\w.-]{1,100})? \"(?P<name>[a-z0-9][\w.-]{0,252})\" is invalid: \[?"
    r"(?P<field>[a-z][\w.\[\]-]{1,200}): "
    r"(?:Invalid|Required|Unsupported|Duplicate|Forbidden|Too long|Too many)"
)
# pkg/registry/core/service/portallocator (ErrAllocated).
_TAKEN = regex(r"odePort: Invalid value: (?P<port>\d{1,5}): provided port is already allocated")
_PARTS, _WORD = regex(r"[A-Za-z][a-z]+"), 5


def _rule(subject: Ref, snap: Facts) -> Signs:
    ending = () if subject.kind in _TOLD_ELSEWHERE else find_deletion_words(subject, snap)
    said = (
        Sign[OwnWords](False)
        if subject.kind in _TOLD_ELSEWHERE
        else _quoted(ending, snap)
        if ending
        else _said(subject, snap)
    )
    return Signs(
        # Of what is being deleted only the words about that count.
        applies=Sign(True) if ending else stays(subject, snap),
        necessary={"it says itself, with a message, that something is wrong": said},
        # They are the words of whoever wrote them, and nothing beside them was looked at.
        decisive={"a condition says that it lasts": Sign(None, wants=said.wants)} if said.wants else {},
        supporting={"the message says what": said},
        finding=lambda: _finding(
            subject, said.hits, _owners(subject, snap), _sentences(subject, said.hits, snap), snap
        ),
    )


def _said(subject: Ref, snap: Facts) -> Sign[OwnWords]:
    words = find_telling_words(subject, snap)
    if subject.kind in _PARTLY_TOLD:
        words = tuple(
            w for w in words if w.field not in _EXPLAINED_TYPES and w.reason not in _EXPLAINED_REASONS
        )
    if not words and any(find_telling_words(owner, snap) for owner in _owners(subject, snap)):
        # It is within its time, and what it was made for is beyond that.
        words = find_waiting_words(subject, snap)
    if words:
        return _quoted(words, snap)
    # An object without a status has no Conditions: what is always told of it says that there are none.
    seen = tuple(f for f in snap.of(Presence, subject) if f.whole)
    return Sign(False, seen=seen) if seen else Sign(None)


def _quoted(words: tuple[OwnWords, ...], snap: Facts) -> Sign[OwnWords]:
    facts = unique(w.fact for w in words)
    # An Event tells what went wrong once; that it is well by now a condition would tell.
    of_events = all(isinstance(f, Events) for f in facts) and not snap.of(Conditions, facts[0].about)
    wants = (Want(Conditions, facts[0].about),) if of_events else ()
    if not any(f.created for w in facts for f in snap.of(Presence, w.about)):
        # Whether it is still within its time, its age tells.
        wants = (*wants, Want(Presence, facts[0].about))
    return Sign(True, words, facts, wants=wants, sure=any(snap.sure(f) for f in facts))


def _owners(subject: Ref, snap: Facts) -> tuple[Ref, ...]:
    """Return what it was made for, and for what that was."""
    found: list[Ref] = []
    above = [subject]
    for _ in range(_GENERATIONS):
        above = [snap.canon(r) for one in above for f in snap.of(Owners, one) for r in f.refs]
        found += above
    return unique(r for r in found if r != subject)


def _sentences(subject: Ref, words: tuple[OwnWords, ...], snap: Facts) -> tuple[StatusWord, ...]:
    """Return the fields beside its words in which it tells more than a word: a condition may only say that
    it is not ready.
    """
    told = {w.field for w in words}
    return tuple(
        w
        for f in snap.of(Reported, subject)
        for w in f.words
        if w.field not in told and (w.message or " " in w.value)
    )


def _bounds(subject: Ref, text: str, snap: Facts) -> tuple[Setting, ...]:
    """Return the fields of its spec that bound what the words say is over: its time, or its tries."""
    bounds = [b for f in snap.of(Reported, subject) for b in f.bounds]
    kinds = [named for over, named in ((_TIME, _OF_TIME), (_TRIES, _OF_TRIES)) if over.search(text)]
    return tuple(b for b in bounds if any(named.search(b.field) for named in kinds))[:_LOOKS]


def _meant(subject: Ref, words: tuple[str, ...], snap: Facts) -> tuple[Reference, ...]:
    """Return the references of its spec that its words mean: `the catalog` is what `spec.imageCatalogRef`
    names.
    """
    text = " ".join(words).lower()
    found = [r for r in find_references(subject, snap) if r.to.name and not _is_named(r.to.name, text)]
    return tuple(
        r
        for r in found
        if any(_is_named(part, text) for part in _PARTS.findall(_last(r.field)) if len(part) >= _WORD)
    )[:1]


def _is_named(name: str, text: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", text) is not None


def _last(field: str) -> str:
    """Return the last part of a field without its index and `Ref`."""
    return field.rpartition(".")[2].partition("[")[0].removesuffix("Ref")


def _with_beside(reference: Reference) -> str:
    more = ", ".join(f"{k} {v}" for k, v in reference.beside)
    return f"{who(reference.to)} ({more})" if more else who(reference.to)


def _finding(
    subject: Ref,
    words: tuple[OwnWords, ...],
    owners: tuple[Ref, ...],
    sentences: tuple[StatusWord, ...],
    snap: Facts,
) -> Finding:
    # What it says of its parts says more than the word for the whole.
    rows = tuple(w for w in words if _ROW.search(w.field))
    first, *others = (*rows, *_put_in_order(tuple(w for w in words if w not in rows)))
    more = _find_different(first, others)
    beside = [(w.field, w.message) for w in more[:_LOOKS]] or [
        (w.field, f"{w.value}: {w.message}" if w.message else w.value) for w in sentences[:1]
    ]
    told = (first.message, *(text for _, text in beside))
    meant = _meant(subject, told, snap)
    said = f"{first.reason}: {first.message}" if first.reason else first.message
    field = f"{first.field}={first.value}" if first.value else first.field
    says = say("{subject} says in {field}: {said}", subject=who(subject), field=field, said=_quote(said))
    for place, text in beside:
        says += say("; and in {field}: {more}", field=place, more=_quote(text))
    bounds = _bounds(subject, " ".join((first.reason, *told)), snap)
    for bound in bounds:
        says += say("; {field} is {value}", field=bound.field, value=bound.value)
    for reference in meant:
        says += say("; {field} is {target}", field=reference.field, target=_with_beside(reference))
    by = (say("{by} wrote this", by=first.by),) if first.by else ()
    also = tuple(say("it also says: {said}", said=_quote(w.message)) for w in more[_LOOKS : 2 * _LOOKS])
    verify = say("its {field} changes automatically", field=first.field)
    named = [*unique(map(snap.canon, _named(subject, (first, *more[:_LOOKS])))), *(r.to for r in meant)]
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
    help_ = (
        _help_refused(subject, text, holders, verify)
        or _help_bounded(subject, bounds, verify)
        or _help(subject, text, named, absent, verify)
    )
    return Finding(says, culprit=subject, blocks=owners, notes=(*by, *also), help=help_, enrich=wants)


def _quote(text: str) -> str:
    return shorten(" ".join(text.split()), _QUOTED)


def _put_in_order(words: tuple[OwnWords, ...]) -> tuple[OwnWords, ...]:
    """Return the status' words by how much they say: a message that counts attempts or sums up comes behind
    the one that has the error.

    What Events warn of stays behind them, in its own order.
    """
    status = [w for w in words if not isinstance(w.fact, Events)]
    told = sorted(status, key=lambda w: (says_little(w.reason, w.message), -len(w.message)))
    return (*told, *(w for w in words if isinstance(w.fact, Events)))


def _find_different(first: OwnWords, others: Sequence[OwnWords]) -> list[OwnWords]:
    """Return the words that say something else than the first and those before them: often one trouble is
    told in several places.
    """
    kept = [first]
    for one in others:
        if not any(one.message in k.message or k.message in one.message for k in kept):
            kept.append(one)
    return kept[1:]


def _named(subject: Ref, words: Sequence[OwnWords]) -> list[Ref]:
    """Return the objects that the words name, and behind these the ones that they are about; of a part by
    its own Namespace.
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
    """Return the port of the nodes that the words say is taken, without a name if they say nothing of one,
    and who has it.
    """
    taken = _TAKEN.search(text)
    port = Ref("NodePort", None, taken["port"] if taken else None)
    return port, unique(s for f in snap.of(ServicesAt, port) for s in f.services) if taken else ()


def _help_refused(subject: Ref, text: str, holders: tuple[Ref, ...], verify: Text) -> tuple[Step, ...]:
    """Return what to correct where the server refused an object for a field: that is in the subject's
    source, and no object is ill.
    """
    refused = _REFUSED.search(text)
    if refused is None or _IMMUTABLE.search(text):
        return ()
    right = say(
        "correct {field} of {kind} {name} where {subject} takes it from: its source, chart or values",
        field=refused["field"],
        kind=refused["kind"],
        name=refused["name"],
        subject=who(subject),
    )
    taken = _TAKEN.search(text) is not None and not holders
    look = (Step(say("see which Service has that port"), command=PORTS_OF_SERVICES),) if taken else ()
    return (*look, Step(right, where="source", verify=verify))


def _help_bounded(subject: Ref, bounds: tuple[Setting, ...], verify: Text) -> tuple[Step, ...]:
    """Return what to change where its own time or tries are over: the field says how much of them there
    was.
    """
    if not bounds:
        return ()
    says = say("find out what took so long, or raise {field} above what it takes", field=bounds[0].field)
    if _OF_TRIES.search(bounds[0].field):
        says = say(
            (
                "correct what each try failed for; {field} counts from the start after the next change of "
                "its spec"
            ),
            field=bounds[0].field,
        )
    if subject.kind == "Job":
        says += say("; a Job that has failed is not started again: recreate it")
        verify = say("the new Job completes")
    return (Step(says, where="source", verify=verify),)


def _help(
    subject: Ref, text: str, named: list[Ref], absent: Collection[Ref], verify: Text
) -> tuple[Step, ...]:
    """Return the looks that the words call for, and what to fix where they name it: an object, or a field of
    the spec.

    absent: those of the named ones that the server does not have. Where they name nothing, what else is known
    of the object is the next look, and nothing is to be fixed yet.
    """
    field = next(iter(_FIELDS.findall(text)), None)
    fixed = field is not None and _IMMUTABLE.search(text) is not None
    # Whose words have no names means itself: a release has the name of the object that stands for it, where
    # nothing else is told.
    of_class = (
        look_of_class(text, f"release {subject.name} in namespace {subject.within}") if not named else None
    )
    return fitting(
        *(
            Step(
                say("see how {target} is, which these words name", target=who(target)),
                command=command(
                    "unstuck why {target} {space}", target=given.of(target), space=given.space(target)
                ),
            )
            for target in named[:_LOOKS]
            if target not in absent
        ),
        *(
            Step(
                say("see which there are"),
                command=command("kubectl get {kind} -A", kind=given.kind_of(target.kind)),
            )
            for target in named[:1]
            if target in absent
        ),
        *(
            (Step(say("see {what}", what=of_class.says), command=of_class.command),)
            if of_class and not of_class.on_node
            else ()
        ),
        Remedy(
            fixed,
            Step(
                say(
                    "undo the change of {field}, or delete and recreate the object, which stops what it "
                    "runs: an immutable "
                    "field is never changed in place",
                    field=field or "",
                ),
                where="source",
                risk="disrupts",
                verify=verify,
            ),
        ),
        # A field that is named with an object is that object's.
        Remedy(
            field is not None and not fixed and not named,
            Step(say("correct {field}", field=field or ""), where="source", verify=verify),
        ),
        Remedy(
            bool(named) and not fixed and named[0] in absent,
            Step(
                say("create {target}, or correct the reference to it", target=who(named[0]) if named else ""),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(
            bool(named) and not fixed and named[0] not in absent,
            Step(
                say(
                    "fix {target}, if it is not well or not as it should be",
                    target=who(named[0]) if named else "",
                ),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(
            not named and field is None and of_class is None,
            Step(say("see its events, and what else its status says"), command=asking.describe(subject)),
        ),
    )


CAUSE = Cause(
    id="reported.own-words",
    title=say("its own status says what is wrong with it"),
    subjects=("*",),
    reads=frozenset(
        {Conditions, Reported, Presence, Deletion, Touches, Owners, References, Workload, Events, ServicesAt}
    ),
    rule=_rule,
)
