"""Finds the fields of a spec whose values are quoted in the object's status: the controller's complaint may
be fixed there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from unstuck.collect.masking import mask_message
from unstuck.collect.objects import doc
from unstuck.collect.objects.generic import SeenObject
from unstuck.facts.aspects.reported import Setting
from unstuck.facts.regex import regex

_DEEPEST, _MOST, _FEW = 5, 20, 4
_SHORTEST, _LONGEST, _READ = 3, 120, 8000
# The parts of a reference other than its name, and fields of other objects.
_POINTING = regex(r"\.(?:kind|apiVersion|apiGroup|group)$|\.(?:template|jobTemplate|podTemplate|values)\.")
# A value that no sentence contains by accident; any other must be in quotes or follow a sign.
_TELLING = regex(r"[\d./:_*@-]")


def find_said_values(seen: SeenObject) -> Iterator[Setting]:
    """Yield the fields of the spec whose whole value occurs in a sentence of the status, the longest
    first.
    """
    told = [t for t in doc.find_texts(seen.obj.get("status"), _DEEPEST, _MOST) if " " in t]
    text = "\n".join(told)[:_READ]
    if not text:
        return
    own = (seen.ref.name, seen.ref.within)
    fields = [
        (place, value)
        for _, place, value in doc.find_fields(seen.obj.get("spec"), "spec", _DEEPEST, _MOST)
        if _SHORTEST <= len(value) <= _LONGEST and value not in own and not _POINTING.search(place)
    ]
    fields.sort(key=lambda one: -len(one[1]))
    yield from islice((Setting(p, mask_message(v)) for p, v in fields if _stands_in(v, text)), _FEW)


def _stands_in(value: str, text: str) -> bool:
    if value not in text:
        return False
    word = re.escape(value)
    plain = rf"(?<![\w./-]){word}(?![\w/-]|\.\w)"
    pattern = plain if _TELLING.search(value) else rf"[\"'`“=:]\s?{word}[\"'`”,;)]"
    return re.search(pattern, text) is not None
