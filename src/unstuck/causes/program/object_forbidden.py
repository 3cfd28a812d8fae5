"""The API server forbids a write, and says why

## How it happens

The writer has the right, and yet an admission check of the API server forbids this one object: its creator
names an owner whose finalizers it may not change, grants rights that it lacks itself, enlarges a claim whose
class allows no expansion, writes into a Namespace that is being deleted, requests more than a quota has left,
or is a kubelet that shows the credentials of another Node.

## How to tell

`RESOURCE "NAME" is forbidden: …`, without `User … cannot …` after it.

## Known limits

Its evidence is the message alone: it is never more than likely. The writer is usually not named: it is the
client that reports the error. Refusals of a Pod by a quota, a LimitRange or Pod Security, and those of
webhooks and policies, are separate causes.

## References

- Kubernetes staging/src/k8s.io/apiserver/pkg/admission/errors.go (`NewForbidden`)
- plugin/pkg/admission/gc/gc_admission.go, plugin/pkg/admission/storage/persistentvolume/resize/admission.go,
  pkg/registry/rbac/escalation_check.go, plugin/pkg/admission/namespace/lifecycle
"""

from __future__ import annotations

from unstuck.causes.program._other_node import make_other_node_finding
from unstuck.causes.program._plain import look_at_object, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_SHORT = 300
_OWNER = "cannot set blockOwnerDeletion"
_LACKS = regex(
    r"User \"(?P<user>[^\"\s]{1,253})\" cannot update "
    r"(?P<owner>[a-z][a-z0-9]{0,62})/finalizers(?:\.(?P<group>[a-z0-9.-]{1,200}))?"
)
_GRANTS = regex(
    r"(?:user \"(?P<user>[^\"]{1,253})\".{0,400}? )?(?:is )?attempt(?:ing)? to grant "
    r"(?:RBAC permissions not currently held|extra privileges)"
)
_RESIZE = "pvc can be resized"
_ENDING = regex(
    r"unable to create new content in namespace (?P<space>[a-z0-9-]{1,63}) because it is being terminated"
)
# plugin/resourcequota/controller.go (CheckRequest); plugin/pkg/admission/limitranger (PersistentVolumeClaim).
_QUOTA = regex(r"[Ee]xceeded quota: (?P<quota>[^\s,]{1,253}), (?P<amounts>requested: [^\"}]{1,400})")
_SIZE = regex(r"\[?m(?:in|ax)imum storage usage per PersistentVolumeClaim is ")
_NO_ADMIN = DoNot(
    say("bind cluster-admin to the author of this line"),
    say("anyone who breaks into that program then controls the cluster"),
)
_NOT_THE_QUOTA = DoNot(say("delete the quota"), say("the Namespace then takes resources meant for others"))
_NOT_BY_FORCE = DoNot(
    say("remove finalizers to end the Namespace quickly"),
    say("what they stand for is then never cleaned up, and may cost money outside"),
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("object-forbidden",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    what = say("{resource} {name}", resource=c.resource, name=c.name)
    if c.group:
        return make_other_node_finding(pod, one)
    if quota := _QUOTA.match(c.reason):
        return _make_quota_finding(pod, one, what, quota["quota"], quota["amounts"])
    if _SIZE.match(c.reason):
        return _make_size_finding(pod, one, what)
    if c.reason.startswith(_OWNER):
        return _make_owner_finding(pod, one, what)
    if _GRANTS.match(c.reason):
        return _make_grant_finding(pod, one, what)
    if _RESIZE in c.reason:
        return _make_resize_finding(pod, one)
    if ending := _ENDING.match(c.reason):
        return _make_ending_finding(pod, one, what, ending["space"])
    means = say(
        "the API server forbids a write of {what}: {reason}",
        what=what,
        reason=c.reason[:_SHORT].rstrip(" .,"),
    )
    look = look_at_object(c, say("see what the cluster has of it, if it is there yet"))
    return make_finding(pod, one, means, (*look, mend(say("change what is written as this reason wants it"))))


def _make_quota_finding(pod: Ref, one: ProgramMessage, what: Text, quota: str, amounts: str) -> Finding:
    """Return the finding of a quota that has no room for an object of any kind."""
    c = one.complaint
    at = given.namespace(c.namespace or None)
    means = say(
        "ResourceQuota {quota} has no room left for {what}: {amounts}",
        quota=quota,
        what=what,
        amounts=amounts.rstrip(" .,"),
    )
    look = Step(
        say("see what it counts, and how much of it is used"),
        command=command("kubectl describe {quota} {at}", quota=given.obj("resourcequota", quota), at=at),
    )
    used = Step(
        say("see what uses it up: what is left over from earlier runs counts too"),
        command=command("kubectl get {kinds} {at}", kinds=given.resource(c.resource), at=at),
    )
    step = mend(
        say("delete objects that are no longer needed, ask for less, or have the owner of the quota raise it")
    )
    return make_finding(pod, one, means, (look, used, step), do_not=(_NOT_THE_QUOTA,))


def _make_size_finding(pod: Ref, one: ProgramMessage, what: Text) -> Finding:
    """Return the finding for a claim that requests more or less than a LimitRange allows."""
    c = one.complaint
    means = say(
        "a LimitRange of the Namespace does not allow {what}: {reason}",
        what=what,
        reason=c.reason[:_SHORT].rstrip(" .,"),
    )
    look = Step(
        say("see what the LimitRanges there allow"),
        command=command("kubectl describe limitranges {at}", at=given.namespace(c.namespace or None)),
    )
    return make_finding(
        pod,
        one,
        means,
        (look, mend(say("ask for a size within it, or have the owner of the LimitRange change it"))),
    )


def _make_owner_finding(pod: Ref, one: ProgramMessage, what: Text) -> Finding:
    """Return the finding for an owner reference that blocks deletion, set by a user who may not change the
    owner's finalizers.
    """
    lacks = _LACKS.search(one.complaint.reason)
    if lacks is None:
        means = say(
            "{what} is forbidden: its creator sets blockOwnerDeletion in its ownerReferences, and may not "
            "update the finalizers of that owner",
            what=what,
        )
        look = Step(
            say("see which roles the account of the program that reports this is bound to"),
            command=command("kubectl get clusterrolebindings,rolebindings -A -o wide"),
        )
        step = mend(
            say(
                "give its Role update on OWNERS/finalizers, where OWNERS is the plural of the owner's kind, "
                "usually that of its own object"
            )
        )
        return make_finding(pod, one, means, (look, step), do_not=(_NO_ADMIN,))
    owner, group = lacks["owner"], lacks["group"] or ""
    means = say(
        (
            "{what} is forbidden: {user} sets blockOwnerDeletion in its ownerReferences, and may "
            "not update {owner}/finalizers"
        ),
        what=what,
        user=lacks["user"],
        owner=owner,
    )
    look = Step(
        say("see whether the API server allows it by now"),
        command=command(
            "kubectl auth can-i update {resource} --subresource=finalizers --as={user}",
            resource=given.resource(f"{owner}.{group}" if group else owner),
            user=given.user(lacks["user"]),
        ),
    )
    return make_finding(
        pod,
        one,
        means,
        (look, mend(say("give its Role update on {owner}/finalizers", owner=owner))),
        do_not=(_NO_ADMIN,),
    )


def _make_grant_finding(pod: Ref, one: ProgramMessage, what: Text) -> Finding:
    """Return the finding of a Role or binding that would give away more than its writer has."""
    found = _GRANTS.match(one.complaint.reason)
    user = found["user"] if found else None
    means = (
        say(
            "{what} is forbidden: it would grant rights that {user} does not have itself",
            what=what,
            user=user,
        )
        if user
        else say("{what} is forbidden: it would grant rights that its author does not have", what=what)
    )
    steps = (
        mend(
            say(
                "give its author these rights, or the verbs escalate (of a Role) and bind (of a binding) on "
                "this one Role by its name"
            )
        ),
        mend(say("or have it applied by a user who has them")),
    )
    if user:
        look = Step(
            say("see what that user may do"),
            command=command("kubectl auth can-i --list --as={user}", user=given.user(user)),
        )
        return make_finding(pod, one, means, (look, *steps), do_not=(_NO_ADMIN,))
    return make_finding(pod, one, means, steps, do_not=(_NO_ADMIN,))


def _make_resize_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    means = say(
        (
            "PVC {name} cannot be made larger: its StorageClass does not allow it (allowVolumeExpansion), "
            "or it has none"
        ),
        name=c.name,
    )
    look = look_at_object(c, say("see which StorageClass it has"))
    classes = Step(say("see which classes allow it"), command=command("kubectl get storageclasses"))
    step = mend(
        say(
            "set allowVolumeExpansion: true in its class, if its driver can do it; else move the data to a "
            "larger claim"
        )
    )
    return make_finding(pod, one, means, (*look, classes, step))


def _make_ending_finding(pod: Ref, one: ProgramMessage, what: Text, space: str) -> Finding:
    means = say("{what} cannot be made: Namespace {space} is being deleted", what=what, space=space)
    look = Step(
        say("see what its deletion waits for"),
        command=command("kubectl get {namespace} -o yaml", namespace=given.obj("namespace", space)),
    )
    step = Step(
        say(
            "once it is gone, make the Namespace again and then this; where another Namespace was meant, "
            "name that one"
        )
    )
    return make_finding(pod, one, means, (look, step), do_not=(_NOT_BY_FORCE,))


CAUSE = Cause(
    id="program.object-forbidden",
    title=say("the API server forbids a write, and says why"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
