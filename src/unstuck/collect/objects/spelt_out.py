"""Finds objects of its own API group that a CustomResource names in a plain field, if its status spells out
their kind.

`storageLocation: offsite` gives no kind; the status' `backup storage location offsite is unavailable` does,
and its words end with the field's own. Neither alone would do: a word of the spec may be anything, and so may
a word of a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import takewhile

from unstuck.collect.objects import doc
from unstuck.collect.objects.kinds import group_of, ref_kind
from unstuck.facts.regex import regex

# Such fields are near the top of the spec. Of a status this many levels, items and characters are read.
_NEAR = 2
_DEEPEST, _MOST, _READ = 6, 20, 8000
_NAME = regex(r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?")
_HUMP = regex(r"(?<=[a-z0-9])(?=[A-Z])")
_GAP = regex(r"[ -]")
# Words of a sentence that are no part of a kind's name.
_NO_KIND = frozenset(
    (
        *(
            "a",
            "an",
            "and",
            "another",
            "any",
            "as",
            "at",
            "because",
            "but",
            "by",
            "cannot",
            "existing",
            "find",
            "for",
            "from",
            "get",
        ),
        *(
            "has",
            "if",
            "in",
            "is",
            "its",
            "missing",
            "no",
            "not",
            "of",
            "on",
            "or",
            "referenced",
            "selected",
            "since",
            "that",
            "the",
        ),
        *("this", "to", "unavailable", "unknown", "use", "uses", "when", "while", "whose", "with"),
    )
)


def find_spelt_out(obj: doc.Doc) -> Iterator[tuple[str, str, str]]:
    """Yield (field, kind in a Ref's form, name) of each reference. Whether the server has such a kind is
    unknown here.
    """
    group = group_of(doc.text(obj, "apiVersion"))
    said = " ".join(text for text in doc.find_texts(obj.get("status"), _DEEPEST, _MOST) if " " in text)[
        :_READ
    ]
    if not group or not said:
        return
    for field, name in _find_names(obj.get("spec"), "spec", 0):
        own = _HUMP.sub(" ", field.rpartition(".")[2]).lower()
        # A single word, as `storage` or `class`, is too common to mean a kind.
        if " " not in own or name not in said:
            continue
        if kind := _find_resource(own, group, name, said):
            yield field, ref_kind(group, kind), name
            continue
        form = rf"((?:\b[a-z]+[ -]){{0,3}}){re.escape(own)} [\"'`]?{re.escape(name)}(?![\w-]|\.\w)"
        if named := re.search(form, said, re.IGNORECASE | re.ASCII):
            before = takewhile(
                lambda word: word.lower() not in _NO_KIND, reversed(_GAP.split(named[1].strip()))
            )
            words = [*reversed([*before]), *own.split(" ")]
            yield field, ref_kind(group, "".join(w[:1].upper() + w[1:].lower() for w in words)), name


def _find_resource(own: str, group: str, name: str, said: str) -> str:
    """Return the kind of a resource that the API server's own words name: `backupstoragelocation.velero.io
    "offsite" not found`.
    """
    joined = own.replace(" ", "")
    found = re.search(
        rf"(?<![\w.-])([a-z]{{0,40}}){joined}s?\.{re.escape(group)} \"{re.escape(name)}\"", said, re.ASCII
    )
    return f"{found[1].capitalize()}{''.join(word.capitalize() for word in own.split(' '))}" if found else ""


def _find_names(value: object, field: str, depth: int) -> Iterator[tuple[str, str]]:
    """Yield the fields that hold one word of the form of an object's name."""
    if isinstance(value, Mapping) and depth < _NEAR:
        for key, inner in value.items():
            if isinstance(key, str) and isinstance(inner, str) and _NAME.fullmatch(inner):
                yield f"{field}.{key}", inner
            elif isinstance(key, str):
                yield from _find_names(inner, f"{field}.{key}", depth + 1)
