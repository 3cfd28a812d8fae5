"""Finds objects being deleted of all kinds that a scan does not list anyway, custom resources too:
metadata only, a few pages each.
"""

from __future__ import annotations

from unstuck.collect.kube.questions.objects import read_object
from unstuck.collect.kube.questions.resources import resources
from unstuck.collect.kube.scan.full_lists import Found
from unstuck.collect.kube.scan.tables import metas
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import CACHED, Session, make_refused, make_unanswered
from unstuck.collect.objects import metadata_of
from unstuck.collect.objects.kinds import Kind
from unstuck.facts.aspects.alike import Unread
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Fact, Ref, Want

# Kinds that the scan lists itself, that come and go every second, or that never have finalizers.
_NOT = frozenset(
    (
        *(
            "Pod",
            "Node",
            "Namespace",
            "PersistentVolumeClaim",
            "PersistentVolume",
            "Deployment",
            "DaemonSet",
            "StatefulSet",
            "Job",
        ),
        *(
            "ReplicationController",
            "Event",
            "Lease",
            "EndpointSlice",
            "Endpoints",
            "ControllerRevision",
            "CSINode",
            "CSIStorageCapacity",
        ),
        *(
            "ComponentStatus",
            "PodTemplate",
            "APIService",
            "PriorityClass",
            "RuntimeClass",
            "FlowSchema",
            "PriorityLevelConfiguration",
        ),
        *("IPAddress", "PodMetrics", "NodeMetrics"),
    )
)
# Kinds that few users may list, by design: a refusal is not worth reporting in every scan.
_QUIET = frozenset(("Secret",))
KINDS = 80
PAGES = 4
PAGE = 500
MOST = 40


def find_deleting(session: Session, namespace: str | None) -> Found:
    """Return the objects being deleted of all other kinds that can be listed and deleted, with the facts of
    their metadata.

    namespace: None for the cluster. Omissions are reported: types that may not be listed, types beyond the
    first 80, of a type with more than 2,000 objects all but the first, and API groups that do not list their
    types.
    """
    offered = resources(session)
    kinds = [
        k
        for k in offered.kinds
        if k.name not in _NOT and {"list", "delete"} <= set(k.verbs) and (k.namespaced or namespace is None)
    ]
    looked, rest = kinds[:KINDS], kinds[KINDS:]
    refs: list[Ref] = []
    facts: list[Fact] = []
    for kind, found in zip(
        looked,
        run_each(lambda k: metas(session, k, namespace, {"limit": PAGE, **CACHED}, PAGES), looked, 2),
        strict=True,
    ):
        all_of = Want(Names, Ref(f"{kind.ref_kind}List", namespace))
        if not found.read.reply.ok:
            if found.read.reply.status != 403 or kind.name not in _QUIET:
                facts.append(make_refused(all_of, found.read))
        elif not found.whole:
            facts.append(
                make_unanswered(
                    all_of, "timeout", f"only the first {PAGES * PAGE} were looked at", kind.path(namespace)
                )
            )
        if found.whole and namespace is None:
            session.saw_all(kind, (m.namespace for m in found.items))
        leaving = [m for m in found.items if m.deletion_timestamp]
        if len(leaving) > MOST:
            facts.append(
                Unread(
                    about=all_of.about,
                    src=found.read.src(f"{len(leaving)} are deleting"),
                    count=len(leaving) - MOST,
                )
            )
        for meta in leaving[:MOST]:
            ref, told = _read_one(session, kind, kind.ref(meta.namespace or None, meta.name))
            refs.append(ref)
            facts += told
    for kind in rest:
        not_looked = f"not looked at, after {KINDS} types"
        facts.append(
            make_unanswered(
                Want(Names, Ref(f"{kind.ref_kind}List", namespace)), "timeout", not_looked, "/apis"
            )
        )
    for group in offered.failed:
        about = Ref("APIGroup", None, group.group_version)
        facts.append(
            make_unanswered(
                Want(Names, about), "unreachable", group.message or "does not tell its types", "/apis"
            )
        )
    return refs, facts


def _read_one(session: Session, kind: Kind, ref: Ref) -> tuple[Ref, list[Fact]]:
    read = session.object(kind, ref)
    if not read.reply.ok:
        return ref, read_object(session, read, ref)
    body = {
        "kind": kind.name,
        "apiVersion": f"{kind.group}/{kind.version}" if kind.group else kind.version,
        **read.reply.doc,
    }
    # Only a Secret's metadata is read.
    facts = (
        metadata_of(body, read.where, read.at) if kind.name == "Secret" else read_object(session, read, ref)
    )
    return next((f.about for f in facts), ref), facts
