"""Reads the resource types that the server offers.

Aggregated discovery (KEP-3352: one document for all groups, 1.27 on), else one request for each group
(before). A group whose server does not answer is an answer, too: it is named with the server's words, and all
others stay usable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from unstuck.collect.kube.transport.parallel import run_each
from unstuck.collect.kube.transport.session import ApiRead, Session, cannot_ask
from unstuck.collect.kube.transport.suggest import suggest_names
from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import BY_DISCOVERY, Kind, builtin, find_kind, typed_words
from unstuck.errors import NotFound, join_sentences
from unstuck.facts.aspects.cluster import Discovery, GroupFailure
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.text import Messages

say = Messages(__name__)

_AGGREGATED = ",".join(
    (
        *(
            f"application/json;g=apidiscovery.k8s.io;v={v};as=APIGroupDiscoveryList"
            for v in ("v2", "v2beta1")
        ),
        "application/json",
    )
)
# Domains of many projects, their last part first.
_SHARED_DOMAINS = (("io", "k8s"), ("io", "x-k8s"))


@record()
class Resources(Record):
    """Every resource type in its preferred version, and the groups that failed. read: the document that names
    the groups.

    stale: the groups and versions that the server marks so, whether or not they answer when they are asked
    alone. served: every kind with its `GROUP/VERSION`, in all versions.
    """

    kinds: tuple[Kind, ...]
    failed: tuple[GroupFailure, ...]
    read: ApiRead
    stale: tuple[str, ...] = ()
    served: tuple[tuple[str, str], ...] = ()

    def by_ref_kind(self, ref_kind: str) -> Kind | None:
        """Return the type that a Ref names as `Widget.example.com`."""
        return next((k for k in self.kinds if k.ref_kind == ref_kind), None)

    def by_word(self, word: str) -> Kind | None:
        """Return the names that a person may type: plural, singular, kind or short name, with or without
        `.group`.
        """
        low = word.strip().lower()
        name, _, group = low.partition(".")
        for k in self.kinds:
            if name in (k.plural, k.name.lower(), *k.short) and group in (
                "",
                k.group,
                f"{k.version}.{k.group}",
            ):
                return k
        return None


def resources(session: Session) -> Resources:
    """Return all types. A failing request leaves its groups out and names them."""
    return session.remember(Resources, lambda: _resources(session))


def _resources(session: Session) -> Resources:
    core, groups = run_each(lambda p: session.get(p, accept=_AGGREGATED), ["/api", "/apis"], 2)
    kinds: list[Kind] = []
    failed: list[GroupFailure] = []
    stale: list[str] = []
    for read in (core, groups):
        if not read.reply.ok:
            failed.append(GroupFailure(read.reply.path.strip("/"), read.reply.detail or read.reply.message))
        elif doc.text(read.reply.doc, "kind") == "APIGroupDiscoveryList":
            kinds += _read_aggregated(read.reply.doc)
            stale += _list_stale(read.reply.doc)
        else:
            some, broken = _read_one_by_one(session, read.reply.doc)
            kinds += some
            failed += broken
    failed += _find_failing(session, stale)
    served = tuple(dict.fromkeys((f"{k.group}/{k.version}".strip("/"), k.name) for k in kinds))
    return Resources(
        tuple({(k.group, k.plural): k for k in reversed(kinds)}.values())[::-1],
        tuple(failed),
        groups,
        tuple(stale),
        served,
    )


def discovery_fact(found: Resources) -> Discovery:
    """Return the result of discovery, whole if the list of groups itself could be read."""
    failed = {f.group_version for f in found.failed}
    shown = [f"{f.group_version}: {f.message}" for f in found.failed] + [
        f"{gv}: stale" for gv in found.stale if gv not in failed
    ]
    return Discovery(
        about=Ref("Cluster"),
        src=found.read.src(", ".join(shown) or "every group answers"),
        failed=found.failed,
        stale=found.stale,
        whole=found.read.reply.ok,
    )


def kind_of_ref(session: Session, ref_kind: str) -> Kind | None:
    """Return the resource type of a Ref's kind; discovery is read for custom ones, and for few of
    Kubernetes' own.
    """
    if (own := builtin(ref_kind)) is not None:
        return own
    if "." not in ref_kind and ref_kind not in BY_DISCOVERY:
        return None
    found = resources(session)
    if own := found.by_ref_kind(ref_kind):
        return own
    # Messages name a type by its plural, as requests do, and a kind without its group.
    return found.by_word(ref_kind) if ref_kind.islower() else find_kind_akin(ref_kind, found.kinds)


def find_kind_akin(ref_kind: str, kinds: Sequence[Kind]) -> Kind | None:
    """Return the one kind of this name in another group of the same project: a sentence of a HelmRelease
    (helm.toolkit.fluxcd.io) names a HelmChart (source.toolkit.fluxcd.io). None if there are several.
    """
    name, _, group = ref_kind.partition(".")
    akin = [k for k in kinds if k.name == name and are_groups_akin(k.group, group)]
    return akin[0] if len({k.group for k in akin}) == 1 else None


def are_groups_akin(one: str, other: str) -> bool:
    """Tell whether two API groups belong to one project: they end with the same domain, or one is below
    the other.
    """
    same = [
        a for a, b in takewhile(lambda p: p[0] == p[1], zip(*map(_split_domain, (one, other)), strict=False))
    ]
    return len(same) > 1 and tuple(same) not in _SHARED_DOMAINS


def _split_domain(group: str) -> list[str]:
    return group.split(".")[::-1]


def kind_of_word(session: Session, word: str) -> Kind:
    """Return the resource type that a person typed. Errors: NotFound with the nearest known word;
    AccessError, Unreachable.
    """
    known = builtin(word) or find_kind(word)
    if known:
        return known
    found = resources(session)
    custom = found.by_word(word) or found.by_ref_kind(word)
    if custom:
        return custom
    whole = None if found.read.reply.ok else cannot_ask(session, found.read.reply)
    if whole is not None:
        raise whole
    near = suggest_names(
        word.lower(),
        (*typed_words(), *(n for k in found.kinds for n in (k.plural, k.name.lower(), *k.short))),
    )
    groups = ", ".join(f.group_version for f in found.failed)[:120]
    lost = say("not all is known, these API groups could not be read: {groups}", groups=groups)
    raise NotFound(
        say("the server has no resource type {word!r}", word=word),
        join_sentences(near, lost if groups else None),
    )


def _read_aggregated(body: doc.Doc) -> Iterator[Kind]:
    for group in doc.rows(body, "items"):
        for version in doc.rows(group, "versions"):
            for row in doc.rows(version, "resources"):
                kind = Kind(
                    name=doc.text(row, "responseKind", "kind"),
                    group=doc.text(group, "metadata", "name"),
                    version=doc.text(version, "version"),
                    plural=doc.text(row, "resource"),
                    namespaced=doc.text(row, "scope") == "Namespaced",
                    short=(*doc.strings(row, "shortNames"), *_word(doc.text(row, "singularResource"))),
                    verbs=doc.strings(row, "verbs"),
                    status=any(
                        doc.text(part, "subresource") == "status" for part in doc.rows(row, "subresources")
                    ),
                )
                if kind.name and kind.plural:
                    yield kind


def _list_stale(body: doc.Doc) -> list[str]:
    """Return the groups that the server lists from its cache or not at all."""
    return [
        f"{doc.text(group, 'metadata', 'name')}/{doc.text(version, 'version')}"
        for group in doc.rows(body, "items")
        for version in doc.rows(group, "versions")
        if doc.text(version, "freshness") == "Stale"
    ]


def _find_failing(session: Session, stale: list[str]) -> list[GroupFailure]:
    """Return the stale groups that also fail when each is asked alone, with their own messages."""

    def ask(group_version: str) -> GroupFailure | None:
        reply = session.get(f"/apis/{group_version}", retries=0, seconds=5).reply
        return (
            None
            if reply.ok
            else GroupFailure(group_version, reply.detail or reply.message or f"HTTP {reply.status}")
        )

    return [f for f in run_each(ask, stale) if f]


def _read_one_by_one(session: Session, body: doc.Doc) -> tuple[list[Kind], list[GroupFailure]]:
    """Read discovery the old way: `/apis` names groups and versions, each with a separate document."""
    paths = [f"/api/{v}" for v in doc.strings(body, "versions")]
    for group in doc.rows(body, "groups"):
        preferred = doc.text(group, "preferredVersion", "groupVersion")
        others = (doc.text(v, "groupVersion") for v in doc.rows(group, "versions"))
        paths += [f"/apis/{gv}" for gv in dict.fromkeys((preferred, *others)) if gv]
    kinds: list[Kind] = []
    failed: list[GroupFailure] = []
    for path, read in zip(
        paths, run_each(lambda p: session.get(p, retries=0, seconds=5), paths), strict=True
    ):
        if read.reply.ok:
            kinds += _read_group(path, read.reply.doc)
        else:
            said = read.reply.detail or read.reply.message or f"HTTP {read.reply.status}"
            failed.append(GroupFailure(path.removeprefix("/apis/").removeprefix("/api/"), said))
    return kinds, failed


def _read_group(path: str, body: doc.Doc) -> Iterator[Kind]:
    parts = path.strip("/").split("/")
    group, version = (parts[1], parts[2]) if len(parts) == 3 else ("", parts[-1])
    rows = doc.rows(body, "resources")
    names = {doc.text(row, "name") for row in rows}
    for row in rows:
        plural, kind = doc.text(row, "name"), doc.text(row, "kind")
        if plural and kind and "/" not in plural:
            short = (*doc.strings(row, "shortNames"), *_word(doc.text(row, "singularName")))
            status = f"{plural}/status" in names
            yield Kind(
                kind,
                group,
                version,
                plural,
                doc.flag(row, "namespaced"),
                short,
                doc.strings(row, "verbs"),
                status,
            )


def _word(word: str) -> tuple[str, ...]:
    return (word,) if word else ()
