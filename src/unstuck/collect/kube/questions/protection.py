"""The reasons behind Kubernetes' own finalizers: the users of a claim or volume, and the dependents of an
owner.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from unstuck.collect.kube.questions.below import full_or_present
from unstuck.collect.kube.questions.namespace import listable
from unstuck.collect.kube.questions.objects import item_facts, kind_named, object_facts
from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import Session, make_refused, make_unanswered
from unstuck.collect.objects import doc, metadata_of
from unstuck.collect.objects.kinds import Kind, ref_of
from unstuck.facts.aspects.protection import Dependent, Dependents, Users
from unstuck.facts.core import Fact, Ref, Want

SHOWN = 50


def users(session: Session, want: Want) -> list[Fact]:
    """Return the Pods that use a claim or the addresses of a Service range, with all their facts; a volume
    names its claim itself.
    """
    about = want.about
    if about.kind == "ServiceCIDR":
        return _list_addresses(session, want)
    claims = _CLAIMS.get(about.kind)
    if claims is None:
        return object_facts(session, want)
    if not about.name or not about.within:
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    found = session.listing(kind_named("Pod"), about.within)
    if not found.read.reply.ok:
        return [make_refused(want, found.read)]
    naming = [pod for pod in found.items if about.name in claims(pod)]
    using = [pod for pod in naming if doc.text(pod, "spec", "nodeName")]
    waiting = [pod for pod in naming if not doc.text(pod, "spec", "nodeName")][:SHOWN]
    refs = tuple(r for pod in using if (r := ref_of(pod)))
    further = tuple(r for pod in waiting if (r := ref_of(pod)))
    shown = ", ".join(r.name or "?" for r in refs[:5]) or "no Pod that is bound to a Node"
    fact = Users(
        about=about,
        src=found.read.src(f"used by {shown}"),
        refs=refs[:SHOWN],
        waiting=further,
        whole=found.whole,
    )
    return [fact, *full_or_present(found, [*using[:SHOWN], *waiting])]


def _list_addresses(session: Session, want: Want) -> list[Fact]:
    """Return the addresses of a Service range that are in no other range, each with its owner."""
    range_kind, address_kind = kind_of_ref(session, "ServiceCIDR"), kind_of_ref(session, "IPAddress")
    if range_kind is None or address_kind is None:
        return [make_unanswered(want, "not-offered", "the server offers no ranges of Service addresses")]
    ranges, addresses = run_each(lambda k: session.listing(k, None), [range_kind, address_kind])
    for found in (ranges, addresses):
        if not found.read.reply.ok:
            return [make_refused(want, found.read)]
    nets = {
        doc.text(r, "metadata", "name"): [n for c in doc.strings(r, "spec", "cidrs") if (n := _parse_net(c))]
        for r in ranges.items
    }
    own = nets.pop(want.about.name or "", [])
    others = [n for of_one in nets.values() for n in of_one]
    used = [
        i
        for i in addresses.items
        if _lies_in(doc.text(i, "metadata", "name"), own)
        and not _lies_in(doc.text(i, "metadata", "name"), others)
    ]
    refs = tuple(r for i in used if (r := ref_of(i)))
    shown = ", ".join(r.name or "?" for r in refs[:5]) or "no address of it is in use"
    fact = Users(
        about=want.about,
        src=addresses.read.src(shown),
        refs=refs[:SHOWN],
        whole=addresses.whole and ranges.whole and bool(own),
    )
    return [fact, *(f for i in used[:SHOWN] for f in item_facts(address_kind, i, addresses.read))]


def _parse_net(text: str) -> IPv4Network | IPv6Network | None:
    try:
        return ip_network(text, strict=False)
    except ValueError:
        return None


def _lies_in(address: str, nets: Iterable[IPv4Network | IPv6Network]) -> bool:
    try:
        one = ip_address(address)
    except ValueError:
        return False
    return any(one in net for net in nets)


def _list_claims(pod: doc.Doc) -> set[str]:
    """Return Claims of `spec.volumes`; a generic ephemeral volume's claim is named POD-VOLUME (KEP-1698)."""
    names = set()
    for volume in doc.rows(pod, "spec", "volumes"):
        if doc.section(volume, "ephemeral"):
            names.add(f"{doc.text(pod, 'metadata', 'name')}-{doc.text(volume, 'name')}")
        names.add(doc.text(volume, "persistentVolumeClaim", "claimName"))
    return names - {""}


def _list_device_claims(pod: doc.Doc) -> set[str]:
    """Return the ResourceClaims of `spec.resourceClaims`, and the claims created for it from a template."""
    given = {doc.text(row, "resourceClaimName") for row in doc.rows(pod, "spec", "resourceClaims")}
    return (
        given
        | {doc.text(row, "resourceClaimName") for row in doc.rows(pod, "status", "resourceClaimStatuses")}
    ) - {""}


_CLAIMS: Mapping[str, Callable[[doc.Doc], set[str]]] = {
    "PersistentVolumeClaim": _list_claims,
    "ResourceClaim": _list_device_claims,
}


def dependents(session: Session, want: Want) -> list[Fact]:
    """Return one metadata-only LIST for each type that can be listed, in the owner's Namespace (or, for an
    owner of the cluster, everywhere).
    """
    about = want.about
    if not about.uid:
        return [make_unanswered(want, "not-asked", "its uid is not known, by which dependents name it")]
    kinds, failed, read = listable(session, namespaced=about.within is not None)
    told = run_each(lambda k: _list_of_kind(session, k, about), kinds)
    items = tuple(sorted((d for found, _, _ in told for d in found), key=lambda d: (not d.blocks, d.ref.key)))
    unlisted = (*failed, *(name for _, name, _ in told if name))
    shown = ", ".join(f"{d.ref.kind} {d.ref.name}" for d in items[:5]) or "none"
    fact = Dependents(
        about=about,
        src=read.src(f"dependents: {shown}"),
        items=items[:SHOWN],
        unlisted=unlisted,
        whole=not unlisted,
    )
    return [fact, *(f for _, _, facts in told for f in facts)]


def _list_of_kind(session: Session, kind: Kind, owner: Ref) -> tuple[list[Dependent], str, list[Fact]]:
    """Return dependents of one kind, or the type's name if it could not be listed completely; and their
    metadata.
    """
    found = session.listing(kind, owner.within, metadata=True)
    resource = f"{kind.plural}.{kind.group}" if kind.group else kind.plural
    if not found.read.reply.ok:
        return [], "" if found.read.reply.status in (404, 405) else resource, []
    out, facts = [], []
    for item in found.items:
        rows = [o for o in doc.rows(item, "metadata", "ownerReferences") if doc.text(o, "uid") == owner.uid]
        ref = ref_of(item)
        if not rows or ref is None:
            continue
        blocks = any(doc.maybe_flag(o, "blockOwnerDeletion") is True for o in rows)
        out.append(
            Dependent(
                ref,
                blocks,
                bool(doc.text(item, "metadata", "deletionTimestamp")),
                doc.strings(item, "metadata", "finalizers"),
            )
        )
        facts += metadata_of(item, kind.path(ref.within, ref.name), found.read.at)
    return out, "" if found.whole else resource, facts
