"""Asks by a dry run whether the server would accept the removal of a finalizer: only on the user's request.

Source: Kubernetes documentation, API Concepts, Dry-run (webhooks are asked, nothing is stored).
"""

from __future__ import annotations

from unstuck.collect.kube.questions.resources import kind_of_ref
from unstuck.collect.kube.transport.session import ApiRead, Session, make_refused, make_unanswered
from unstuck.collect.masking import mask
from unstuck.collect.objects import doc
from unstuck.facts.aspects.protection import Removal
from unstuck.facts.aspects.refusals import Refusal, Refusals
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.vocabulary.failures import RefusalWord
from unstuck.wording.refused import parse_refusals

_TRIED = 3


def removal(session: Session, want: Want) -> list[Fact]:
    """Return the first refusal of its finalizers' removals, one by one; that all pass; or why it is
    unknown. Nothing is written.
    """
    about, kind = want.about, kind_of_ref(session, want.about.kind)
    if not session.dry_run:
        return [make_unanswered(want, "not-asked", "a write is tried, as a dry run, only with --try-write")]
    if kind is None or not about.name or (kind.namespaced and not about.within):
        return [make_unanswered(want, "not-asked", "its name or its Namespace is not known")]
    read = session.object(kind, about)
    uid, names = (
        doc.text(read.reply.doc, "metadata", "uid"),
        doc.strings(read.reply.doc, "metadata", "finalizers"),
    )
    if not read.reply.ok or not names or (about.uid and uid != about.uid):
        return (
            [make_refused(want, read)]
            if not read.reply.ok
            else [make_unanswered(want, "not-offered", "it has no finalizers", read.where)]
        )
    for index, name in list(enumerate(names))[:_TRIED]:
        tried = session.dry_patch(kind.path(about.within, about.name), _make_patch(uid, index, name))
        said = tuple(
            Refusal(e, Ref(by, None, who) if by else None, None, mask(why)[:300])
            for e, by, who, why in _parse_refusal(tried)
        )
        if said:
            src = tried.src(tried.reply.message[:300])
            return [
                Removal(about=about, src=src, passes=False),
                Refusals(about=about, src=src, items=said, whole=False),
            ]
        if not tried.reply.ok:
            return [make_refused(want, tried)]
    return [
        Removal(about=about, src=read.src(f"a dry run takes {', '.join(names[:_TRIED])} off"), passes=True)
    ]


def _parse_refusal(tried: ApiRead) -> tuple[tuple[RefusalWord, str, str, str], ...]:
    """Return the refusing party, by the server's words; none if the asking user may not write, or if it
    passes.
    """
    return () if tried.reply.ok else parse_refusals(tried.reply.message)


def _make_patch(uid: str, index: int, name: str) -> list[dict[str, str]]:
    """Return the JSON patch that removes this one finalizer from this very object."""
    path = f"/metadata/finalizers/{index}"
    same = [
        {"op": "test", "path": "/metadata/uid", "value": uid},
        {"op": "test", "path": path, "value": name},
    ]
    return [*same, {"op": "remove", "path": path}]
