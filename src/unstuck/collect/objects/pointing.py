"""The objects that annotations and commands name in one word: `cronjob/nightly-up`, `deployment/web`,
`--replicas=2`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import Kind
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

_MOST, _LONGEST = 40, 400
_NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
# `cronjob/up`, `cronjobs.batch/up`, `ops/cronjob/up`, `Job:ops/up`; several are divided by commas or blanks.
_POINTER = regex(
    rf"(?:(?P<space>{_NAME})/)?(?P<kind>[A-Za-z][A-Za-z0-9.-]{{1,80}}?)[/:](?:(?P<within>{_NAME})/)?"
    rf"(?P<name>{_NAME})"
)
_GAPS = regex(r"[,;\s]+")
# Written by tools that keep their own records in annotations.
_RECORDS = (
    "kubectl.kubernetes.io/",
    "deployment.kubernetes.io/",
    "pv.kubernetes.io/",
    "volume.kubernetes.io/",
    "meta.helm.sh/",
)
_REPLICAS = regex(r"--replicas[= ](\d{1,6})\b|[\"']?replicas[\"']?\s*:\s*(\d{1,6})\b")


def find_pointed(
    obj: doc.Doc, within: str | None, kind_by_word: Callable[[str], Kind | None]
) -> Iterator[tuple[str, Ref]]:
    """Yield the objects that an object's annotations name by kind and name, each with the annotation; most
    values are no such thing.
    """
    for key, value in doc.pairs(obj, "metadata", "annotations")[:_MOST]:
        if key.startswith(_RECORDS) or len(value) > _LONGEST:
            continue
        for word in _GAPS.split(value):
            m = _POINTER.fullmatch(word)
            kind = kind_by_word(m["kind"]) if m else None
            if m and kind:
                space = (m["within"] or m["space"] or within) if kind.namespaced else None
                yield f"metadata.annotations[{key}]", Ref(kind.ref_kind, space, m["name"])


def find_replicas(text: str) -> int | None:
    """Return the number of replicas that a command sets; None if it sets none, or several."""
    found = {int(one or other) for one, other in _REPLICAS.findall(text)}
    return found.pop() if len(found) == 1 else None


def names_object(text: str, words: tuple[str, ...], name: str) -> bool:
    """Tell whether a command names an object by one of the words for its kind: `deploy/web`, `deployment
    web`, `deployments.apps/web`.
    """
    kinds = "|".join(sorted(map(re.escape, words), key=lambda w: (-len(w), w)))
    return (
        re.search(
            rf"(?<![\w.-])(?:{kinds})(?:\.[a-z0-9.]{{1,80}})?[/ ]+{re.escape(name)}(?![\w-]|\.\w)",
            text,
            re.IGNORECASE,
        )
        is not None
    )
