"""The provisioner fails to create the volume

## How it happens

The provisioner answers, and its request to the storage is refused: a quota or no room, rights that its
credentials or its ServiceAccount lack, a zone or parameter that the backend does not know, a size or access
mode that it does not offer.

## How to tell

The claim is Pending, and its latest event about it is ProvisioningFailed, with the provisioner's own words.
The first of several wordings is the most informative: later ones are often only `context deadline exceeded`
or `already exists`.

## Known limits

`storageclass … not found` is another fault, storage.class-missing. A provisioner that retries reports
`Provisioning` each time, so the message of the last try is current.

## References

- Kubernetes pkg/controller/volume/persistentvolume/pv_controller.go; kubernetes-csi/external-provisioner
  pkg/controller/controller.go
"""

from __future__ import annotations

import re
from datetime import UTC, datetime

from unstuck.causes.scheduling._placed import shorten
from unstuck.causes.storage._claims import MANY, READS, is_pending, may_wait_for_claim, name_claim, waits
from unstuck.causes.storage._claims import find_claims as claims_of
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.remedy import Remedy, fitting
from unstuck.diagnosis.sign import Sign, all_of, any_of, hearsay, only_yes, unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, same_in_both
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import Claim, StorageClass
from unstuck.facts.aspects.objects import Event, Events, Failure
from unstuck.facts.core import Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_EVER = datetime.min.replace(tzinfo=UTC)
_VAGUE = ("deadline exceeded", "already exists", "still in progress", "Aborted")
_CLASS_MISSING = regex(
    r"storageclass(?:es)?(?:\.storage\.k8s\.io)? \"[^\"]{1,253}\" not found", re.IGNORECASE
)
_BY_HAND = "no volume plugin matched name: kubernetes.io/no-provisioner"
_RIGHTS = ("forbidden", "PermissionDenied", "Unauthorized")
_ROOM = regex(
    (
        r"ResourceExhausted|OutOfRange|no space left|not enough (?:free )?(?:space|capacity|room)"
        r"|insufficient|quota|[Cc]apacity|exceed"
    ),
    re.I,
)
_PARAMETER = regex(
    (
        r"InvalidArgument|\bparameters?\b|\binvalid\b.{0,80}\b(?:option|type|value|zone|pool)\b|unsupported"
        r"|unknown (?:option|type)"
    ),
    re.I,
)
# A size below or above what the storage offers.
_SIZE = regex(
    r"\b(?:size|bytes|capacity|storage|volume)\b.{0,60}\b(?:less|smaller|lower|larger|greater|more) than\b"
    r"|\b(?:minimum|maximum|at least|at most)\b.{0,40}\d ?(?:[KMGT]i?B?|bytes)\b"
    r"|\b(?:minimum|maximum) (?:volume )?size\b",
    re.IGNORECASE,
)
Try = tuple[Ref, Event]
# client-go tools/reference/ref.go up to 1.15; CHANGELOG-1.20: the API server fills selfLink no longer.
_TOO_OLD = say(
    "run a current release of the provisioner: since 1.20 the API server no longer fills the field "
    "selfLink, which old releases need"
)

_DRIVER_LOG = say(
    "read the log of the driver's controller: its container beside csi-provisioner says which call failed, "
    "and how it is configured"
)
_NO_SELECTOR = say(
    "remove spec.selector from the PVC or the template it is created from: a dynamically provisioned "
    "volume is not chosen by labels"
)
_WRAPPED = regex(
    r"^.{0,400}?failed to provision volume with StorageClass \"[^\"]{1,253}\": ", re.IGNORECASE | re.DOTALL
)
_SAID = 160


def _rule(subject: Ref, snap: Facts) -> Signs:
    used = claims_of(subject, snap)
    claims = used.hits[:MANY]
    said = {c: _find_failures(c, snap) for c in claims}
    failing = any_of(
        [
            all_of([is_pending(c, snap), s if s.value else Sign(None, wants=(Want(Events, c),))])
            for c, s in said.items()
        ]
    )
    told = any_of(list(said.values()))
    return Signs(
        applies=waits(subject, snap, used),
        decisive={"the claim is Pending, and the provisioner's last try failed": failing},
        supporting={"the provisioner says that it failed": only_yes(told)},
        finding=lambda: _make_finding(subject, (*failing.hits, *told.hits), snap),
    )


def _find_failures(claim: Ref, snap: Facts) -> Sign[Try]:
    """Find the failures, the most telling first, where no success came after them."""

    def pick(f: Events) -> list[Try]:
        mine = [e for e in f.items if e.reason == "ProvisioningFailed" and _is_try(e)]
        every = (e for other in snap.of(Events, claim) for e in other.items)
        good = [e.last for e in every if e.reason == "ProvisioningSucceeded" and e.last]
        live = [e for e in mine if not good or e.last is None or e.last > max(good)]
        live.sort(
            key=lambda e: (any(v in e.message for v in _VAGUE), -(e.last or _EVER).timestamp(), e.message)
        )
        return [(claim, e) for e in live]

    return any_of(
        [
            hearsay(snap, Events, claim, pick),
            hearsay(snap, Failure, claim, lambda f: [(claim, e) for e in _log_events(f)]),
        ]
    )


def _log_events(failure: Failure) -> list[Event]:
    """Return the provisioner's own log about the claim, as the Event that it may not have written for it."""
    if (
        failure.operation != "volume-provision"
        or failure.error == "not-found"
        or failure.reporter != "the provisioner"
    ):
        return []
    return [Event("ProvisioningFailed", failure.message, warning=True, last=failure.src.at, reporter="")]


def _is_try(event: Event) -> bool:
    """Tell whether a provisioner tried to make a volume: none does without the class, or for a class with
    manually created volumes (pkg/controller/volume/persistentvolume writes such an Event on every round).
    """
    return not _CLASS_MISSING.search(event.message) and _BY_HAND not in event.message


def _mend(words: str) -> tuple[Step, ...]:
    """Return the steps by the class of the provisioner's message; none if it has no class."""
    old = "selfLink was empty" in words
    selector = not old and "elector is not supported" in words
    rights = not (old or selector) and any(word in words for word in _RIGHTS)
    size = not (old or selector or rights) and _SIZE.search(words) is not None
    room = not (old or selector or rights or size) and _ROOM.search(words) is not None
    parameter = not (old or selector or rights or size or room) and _PARAMETER.search(words) is not None
    verify = say("the provisioner retries automatically, and the PVC becomes Bound")
    classified = old or selector or rights or size or room or parameter
    return fitting(
        Remedy(not classified, Step(_DRIVER_LOG)),
        Remedy(
            size,
            Step(
                say(
                    "ask for a size that the storage offers (spec.resources.requests.storage), in a new PVC: "
                    "a request cannot be lowered"
                ),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(old, Step(_TOO_OLD, where="source", verify=verify)),
        Remedy(selector, Step(_NO_SELECTOR, where="source", verify=verify)),
        Remedy(
            rights, Step(say("grant the provisioner the missing permissions"), where="source", verify=verify)
        ),
        Remedy(
            room,
            Step(
                say("make room at the backend, raise its quota, or ask for less"),
                where="source",
                verify=verify,
            ),
        ),
        Remedy(
            parameter,
            Step(
                say(
                    "correct the value that these words name, in a new class: the parameters of a class "
                    "that exists cannot be changed"
                ),
                where="source",
                verify=verify,
            ),
        ),
    )


def _make_finding(subject: Ref, tries: tuple[Try, ...], snap: Facts) -> Finding:
    claim, event = tries[0]
    name = next((f.storage_class for f in snap.of(Claim, claim) if f.storage_class), "")
    provisioner = (
        next((f.provisioner for f in snap.of(StorageClass, Ref("StorageClass", None, name))), "")
        if name
        else ""
    )
    by = provisioner or re.split(r"[_, ]", event.reporter)[0].removeprefix("persistentvolume-controller")
    words = shorten(event.message)
    who = same_in_both(f"provisioner {by}") if by else say("its provisioner")
    return Finding(
        who + say(" cannot provision a volume for {shown}", shown=name_claim(claim)) + _describe_why(words),
        culprit=Ref("Provisioner", None, by or None),
        blocks=unique((claim, subject)),
        notes=(say("provisioner: {words}", words=words),),
        help=(
            Step(
                say("read all Events of the PVC, oldest first"),
                command=command(
                    "kubectl describe {claim} {space}",
                    claim=given.obj("pvc", claim.name),
                    space=given.space(claim),
                ),
            ),
            *_mend(words),
        ),
        do_not=(
            DoNot(
                say("keep recreating the PVC"),
                say("each attempt may leave an untracked volume in the backend"),
            ),
        ),
    )


def _describe_why(words: str) -> Text:
    """Return the provisioner's reason, without a mere report of the failure; empty if it is too long for a
    sentence.
    """
    said = _WRAPPED.sub("", words, count=1).strip().rstrip(".")
    return say(": {said}", said=said) if 0 < len(said) <= _SAID and said != words.rstrip(".") else NO_TEXT


CAUSE = Cause(
    id="storage.provisioner-failing",
    title=say("the provisioner fails to create the volume"),
    subjects=("PersistentVolumeClaim", "Pod"),
    needs=may_wait_for_claim,
    reads=READS | {Failure},
    rule=_rule,
)
