"""The facts in a command's output about an object, and the outputs that were given already: no question is
put twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Literal

from unstuck.diagnosis.answer import Question
from unstuck.facts.aspects.admission import AdmissionPolicies, Webhooks
from unstuck.facts.aspects.classes import ClassWork
from unstuck.facts.aspects.cluster import (
    ApiServices,
    Backends,
    Claim,
    Contents,
    Discovery,
    FinalizerOwner,
    NodeInfo,
    NodeNames,
    Terminating,
)
from unstuck.facts.aspects.counterparts import Counterparts
from unstuck.facts.aspects.deciders import Deciders
from unstuck.facts.aspects.disruption import Evictions
from unstuck.facts.aspects.driver_sets import DriverSets
from unstuck.facts.aspects.grants import Bindings
from unstuck.facts.aspects.helm import HelmRevisions
from unstuck.facts.aspects.objects import (
    Below,
    Conditions,
    Deletion,
    Events,
    Failure,
    Finalizers,
    Labels,
    Phase,
    Presence,
)
from unstuck.facts.aspects.pasted import Pasted
from unstuck.facts.aspects.placing import PlacingInputs
from unstuck.facts.aspects.pod import (
    Containers,
    ContainerStatuses,
    Demands,
    LastLines,
    Life,
    Needs,
    Placement,
    TroubleLines,
    Volumes,
)
from unstuck.facts.aspects.policies import Policies
from unstuck.facts.aspects.protection import Dependents, Removal, Users
from unstuck.facts.aspects.pulls import NodeImages, PullSecrets, Tags
from unstuck.facts.aspects.references import Namesakes, Owned, Selectors, Selects, ServedVersions
from unstuck.facts.aspects.reported import ControllerLines, TypeStatus
from unstuck.facts.aspects.schedulers import SchedulerWork
from unstuck.facts.aspects.services import (
    AddressHolders,
    ServicePods,
    ServicesAt,
    ServicesBeside,
    ServiceWorkloads,
    Unserving,
)
from unstuck.facts.aspects.signing import NodeRequests
from unstuck.facts.aspects.storage import Attachments, ClaimOffers
from unstuck.facts.aspects.stored import LastWrite
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.knowledge.names import parse_kind

Output = Literal["describe", "yaml", "events"]
# The facts that kubectl's description of an object shows.
_DESCRIBED: frozenset[type[Fact]] = frozenset(
    (
        *(Conditions, Deletion, Events, Labels, Phase, Presence, Claim, NodeInfo, Users),
        *(Containers, ContainerStatuses, Demands, Life, Needs, Placement, Volumes),
    )
)

# Facts assembled from several lists of a cluster, or tested there: no reader gets them from a pasted output.
CLUSTER_ONLY: frozenset[type[Fact]] = frozenset(
    (
        *(
            AddressHolders,
            AdmissionPolicies,
            ApiServices,
            Attachments,
            ClassWork,
            Contents,
            ControllerLines,
            Deciders,
            Dependents,
            Discovery,
            Evictions,
            FinalizerOwner,
            HelmRevisions,
            DriverSets,
            LastWrite,
        ),
        *(
            NodeImages,
            NodeNames,
            NodeRequests,
            Owned,
            Counterparts,
            Namesakes,
            Selectors,
            ServedVersions,
            PlacingInputs,
            Policies,
            PullSecrets,
            Removal,
            SchedulerWork,
            Selects,
            ServicesBeside,
        ),
        *(ServicesAt, ServiceWorkloads, Tags, Terminating, TroubleLines, TypeStatus, Unserving, Webhooks),
    )
)
# Facts that readers assemble from several outputs in one paste: no output has them alone.
HELD_TOGETHER: frozenset[type[Fact]] = frozenset((Backends, Bindings, ClaimOffers, ServicePods))
_NOT_ALONE = CLUSTER_ONLY | HELD_TOGETHER


def find_read_outputs(subject: Ref, snap: Snapshot) -> frozenset[Output]:
    """Return which of these outputs about the subject were read.

    Only the whole object shows its finalizers for certain; a description shows labels, but perhaps not all of
    them.
    """
    found: set[Output] = set()
    if any(f.whole for f in snap.of(Finalizers, subject)):
        found.add("yaml")
    if any(f.whole for f in snap.of(Deletion, subject)) and any(
        not f.whole for f in snap.of(Labels, subject)
    ):
        found.add("describe")
    if any(f.src.quote.startswith("Name:") for f in snap.of(Presence, subject)):
        # Complete to its end: its events, or `<none>`.
        found |= {"describe", "events"}
    if snap.of(Events, subject):
        found.add("events")
    return frozenset(found)


def find_shown_outputs(subject: Ref, snap: Snapshot) -> frozenset[Output]:
    """Return which of these outputs about the subject were read, or appear in part below the command in a
    pasted text.
    """
    found = set(find_read_outputs(subject, snap))
    for shown in (c for text in snap.every(Pasted) for c in text.commands if c.words[:1] == ("kubectl",)):
        words = shown.words[1:]
        if "describe" in words and _names_subject(subject, words):
            found.add("describe")
        elif (
            "get" in words
            and _names_subject(subject, words)
            and any("yaml" in word or "json" in word for word in words)
        ):
            found.add("yaml")
        elif "get" in words and any(parse_kind(word.removesuffix("s")) == "Event" for word in words):
            found.add("events")
    return frozenset(found)


def was_given(argv: Sequence[str], snap: Snapshot) -> bool:
    """Tell whether the output of a command of kubectl about one object was read already: its description,
    its YAML, a container's log.
    """
    if argv[:1] != ("kubectl",) or len(argv) < 3:
        return False
    options = dict(pairwise(argv))
    within = options.get("-n") or options.get("--namespace")
    kind, _, name = next(
        (word for word in argv[2:] if "/" in word and not word.startswith("-")), ""
    ).partition("/")
    if not name:
        return False
    subject = snap.canon(Ref(parse_kind(kind) or kind, within, name))
    if argv[1] == "logs":
        container = next((word.partition("=")[2] for word in argv if word.startswith("--container=")), None)
        return bool(snap.of(LastLines, Ref("Container", f"{within}/{name}", container)))
    read = find_read_outputs(subject, snap)
    return (
        ("describe" in read)
        if argv[1] == "describe"
        else (argv[1] == "get" and "yaml" in argv and "yaml" in read)
    )


def _names_subject(subject: Ref, words: Sequence[str]) -> bool:
    """Tell whether a command's words name the subject, as `KIND NAME` or `KIND/NAME`."""
    for kind, name in chain((word.partition("/")[::2] for word in words), pairwise(words)):
        if (
            name
            and name == subject.name
            and subject.kind in (parse_kind(kind), parse_kind(kind.removesuffix("s")))
        ):
            return True
    return False


def has_messages(subject: Ref, snap: Snapshot) -> bool:
    """Tell whether any component's message about the subject is known."""
    return bool(snap.of(Events, subject) or snap.of(Failure, subject))


def describe_answers(question: Question, subject: Ref) -> bool:
    """Tell whether kubectl's description of the subject answers this question."""
    return _is_about(question, subject) and question.want.fact in _DESCRIBED


def is_answered_by_yaml(question: Question, subject: Ref) -> bool:
    """Tell whether the subject's YAML answers this question: not another object's state, nor a fact put
    together from lists.
    """
    told = question.want.fact not in (Events, Below, Users) and question.want.fact not in _NOT_ALONE
    return told and _is_about(question, subject) and _prints_object_alone(question)


def read_from_text(question: Question) -> bool:
    """Tell whether the output of its command is understood when pasted alone."""
    words = question.ask.argv
    bare = any("jsonpath" in word or word.startswith("--raw") for word in words)
    return words[:1] == ("kubectl",) and not bare and question.want.fact not in _NOT_ALONE


def _is_about(question: Question, subject: Ref) -> bool:
    """Tell whether the question is about the subject itself, or about one of its containers."""
    about = question.want.about
    if about.kind == "Container":
        return about.within in (None, f"{subject.within}/{subject.name}", subject.name)
    return about.kind == subject.kind and about.name == subject.name and about.within == subject.within


def _prints_object_alone(question: Question) -> bool:
    """Tell whether its command prints the object alone: no log, and no list of the kind."""
    return question.ask.argv[:2] == ("kubectl", "get") and question.want.fact.cost == "api"
