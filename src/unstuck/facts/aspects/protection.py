"""The users and dependents of an object, for which Kubernetes' own finalizers wait."""

from __future__ import annotations

from typing import ClassVar

from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record(kw_only=True)
class Users(Fact):
    """The users of the subject, as counted by its protection controller.

    Of a PersistentVolumeClaim: the Pods bound to a Node that mount it, including finished ones
    (pkg/controller/volume/pvcprotection); of a PersistentVolume: the claim it is bound to while its phase is
    Bound (pkg/controller/volume/pvprotection); of a ServiceCIDR: the IPAddresses in no other ServiceCIDR
    (pkg/controller/servicecidrs); of a ResourceClaim: the Pods bound to a Node that name it. Whole if every
    possible user was examined. waiting: Pods that would use a claim but have no Node yet; they do not protect
    it.
    """

    refs: tuple[Ref, ...]
    waiting: tuple[Ref, ...] = ()
    ask: ClassVar[str] = "kubectl describe {object} {space}"


@record()
class Dependent(Record):
    """One object with the subject in its `ownerReferences`. blocks: whether `blockOwnerDeletion` is set.
    deleting: whether it is being deleted itself.
    """

    ref: Ref
    blocks: bool
    deleting: bool = False
    finalizers: tuple[str, ...] = ()


@record(kw_only=True)
class Dependents(Fact):
    """Objects of all listable types that the garbage collector deletes before an owner with
    `foregroundDeletion`.

    unlisted: types that could not be listed; the fact is whole only without any. Only dependents that block
    their owner's deletion are waited for (pkg/controller/garbagecollector, processDeletingDependentsItem).
    """

    items: tuple[Dependent, ...]
    unlisted: tuple[str, ...] = ()
    ask: ClassVar[str] = (
        "kubectl api-resources --verbs=list --namespaced -o name | xargs -n1 kubectl get {space} "
        "--ignore-not-found -o json"
        " | jq -r --arg uid {uid} '.items[]|select(any(.metadata.ownerReferences[]?; "
        '.uid==$uid))|.kind+"/"+.metadata.name\''
    )


@record(kw_only=True)
class Uncounted(Fact):
    """Finished Pods of a Job that the job controller has yet to release and count. about: the Job.

    uids: `status.uncountedTerminatedPods`. The controller writes them there first, then takes each Pod's
    finalizer off (KEP-2307, pkg/controller/job, trackJobStatusAndRemoveFinalizers).
    """

    uids: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get job/{name} {space} -o jsonpath='{.status.uncountedTerminatedPods}'"


@record(kw_only=True)
class Removal(Fact):
    """The server's answer to an UPDATE that removes the subject's finalizers, sent as a dry run.

    Tried only on request (`--try-write`): it needs the right to write. `Refusals` names the refusing party.
    passes: for the current user; a rule for one user, such as a controller's own, does not apply to another.
    """

    passes: bool
    ask: ClassVar[str] = (
        'kubectl patch --dry-run=server {object} {space} --type=merge -p \'{"metadata":{"finalizers":null}}\''
    )
