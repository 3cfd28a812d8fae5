"""The effect of an unreadable API on every Namespace, and its remedies, shared by the two causes of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Step
from unstuck.facts.aspects.cluster import ApiService, Terminating
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts

say = Messages(__name__)

CLUSTER = Ref("Cluster")
GO_ON = say("the Namespaces are deleted within minutes")


def find_backend(registration: Ref, snap: Facts, unnamed: Text) -> tuple[ApiService | None, Text]:
    """Return the known APIService with its backend; `unnamed` if its Service is unknown."""
    api = snap.one(ApiService, registration)
    service = api.service if api else None
    return api, same_in_both(f"Service {service.within}/{service.name}") if service else unnamed


def make_hold_finding(own: Finding, also: Sequence[Text], because: Text, snap: Facts) -> Finding:
    """Return the effect of one APIService on every Namespace that is being deleted.

    own: the cause's own sentence. also: notes that follow the number of waiting Namespaces. because: the
    reason why a Namespace's own finalizers must stay.
    """
    api = snap.one(ApiService, own.culprit)
    waiting = unique(r for f in snap.of(Terminating, CLUSTER) for r in f.namespaces)
    now = say("; {count} now", count=len(waiting)) if waiting else NO_TEXT
    all_wait = say("every Namespace deletion in this cluster waits for it{now}", now=now)
    owner = [say("it belongs to {managed_by}", managed_by=api.managed_by)] if api and api.managed_by else []
    return replace(
        own,
        blocks=unique((*own.blocks, *waiting)),
        notes=(*own.notes, all_wait, *also, *owner),
        help=(*own.help, _unregister(own.culprit)),
        do_not=(DoNot(say("clear the Namespace's spec.finalizers"), because),),
        enrich=() if waiting else (Want(Terminating, CLUSTER),),
    )


def _unregister(registration: Ref) -> Step:
    return Step(
        say(
            "or, only if nothing uses that API any more (its owner is uninstalled), delete the APIService; "
            "it can be applied again"
        ),
        command=command(
            "kubectl delete {registration}", registration=given.obj("apiservice", registration.name)
        ),
        risk="disrupts",
        verify=GO_ON,
    )
