"""Decides whether a line from a node names any Pod but one.

A line is judged as a whole and never edited: even without its names, the rest of a line may identify its
owner.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from unstuck.facts.core import Ref

# With `pod` before it in a cgroup's name, whose last letter is a hex digit too; 32 digits within more of them
# are no uid.
_UID = re.compile(
    (
        r"[0-9a-f]{8}([-_])[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}|(?:(?<![0-9a-f])"
        r"|(?<=pod))[0-9a-f]{32}(?![0-9a-f])"
    ),
    re.IGNORECASE,
)
_LABEL = r"[A-Za-z0-9](?:[-A-Za-z0-9.]*[A-Za-z0-9])?"
# klog with and without quotes, JSON, Go's structs: a key, then a value with all that belongs to it.
_FIELD = re.compile(
    r"(?<![\w.-])(?P<key>[A-Za-z][\w.-]*)(?:\\?[\"'])?(?:=|:(?=\S)|(?<=[\"']):)\s*"
    r"(?P<value>\{[^{}]*\}|\[[^\[\]]*\]|\\?\"[^\"]*\"|'[^']*'|[^\s,;{}\[\]\"']+)"
)
# Prose: `pod "web-0"`, `Pod shop/web-0`, `namespace "shop"`. Without quotes only words that can hardly be
# part of the sentence.
_PROSE = re.compile(
    rf"\b(?P<kind>[A-Za-z]+)(?=(?:\(s\))?\s+(?:\\?[\"'`](?P<quoted>[^\"'`\\]+)\\?[\"'`]|(?P<bare>{_LABEL}"
    rf"(?:/{_LABEL})?)))"
)
_PAIR = re.compile(rf"[\"'`](?P<within>[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)/(?P<name>{_LABEL})[\"'`]")
# The kubelet's links to container logs: POD_NAMESPACE_CONTAINER-ID.log.
_LINK = re.compile(rf"(?<![\w.-])(?P<name>{_LABEL})_(?P<within>{_LABEL})_{_LABEL}-[0-9a-f]{{64}}")
_WORD = re.compile(rf"{_LABEL}(?:/{_LABEL})?")
_NO_NAME = re.compile(
    r"(?:[\d.]++[a-zµ]{0,2}+)++|\d{4}-\d\d-\d\d.*|true|false|nil|null|none|name|namespace|uid", re.IGNORECASE
)
_POD = re.compile(r"pod|namespace$|^ns$|preempt|victim")
_PART = re.compile(r"volume|secret|configmap|image|container|claim|^pvc?$")
_NOT_NAMED = re.compile(
    r"count$|duration$|time(?:stamp)?$|cidrs?$|uid$|phase$|status$|type$|state$|exitcode$"
)


class LineFilter:
    """Decides which texts the tenant of one Pod may see."""

    def __init__(self, pod: Ref) -> None:
        self._own_names = frozenset(filter(None, (pod.name, pod.within, f"{pod.within}/{pod.name}", pod.uid)))
        self._own_pair = (pod.within or "", pod.name or "")
        self._own_uid = _uid_digits(pod.uid or "")
        self._foreign_names: set[str] = set()

    def learn(self, names: Iterable[str]) -> None:
        """Learn names of other tenants: from now on no line may hold one of them. The Pod's own names stay
        allowed.
        """
        self._foreign_names.update(name for name in names if name not in self._own_names)

    def names_own(self, text: str) -> bool:
        """Tell whether the text names the Pod: by its uid, or by its namespace and name."""
        if any(_uid_digits(m[0]) == self._own_uid for m in _UID.finditer(text)):
            return True
        return any({*self._own_pair} <= set(_list_parts(value)) for value in _list_fields(text, _POD))

    def names_others(self, text: str, *, about_own: bool) -> bool:
        """Tell whether the text names a Pod or Namespace that is not the tenant's, or a volume, Secret, image
        or container that may not be the tenant's.

        about_own: whether the text's context shows that it is about the Pod. Otherwise it may not name a part
        of any Pod.
        """
        if any(_uid_digits(m[0]) != self._own_uid for m in _UID.finditer(text)):
            return True
        if any(
            (m["within"], m["name"]) != self._own_pair for one in (_PAIR, _LINK) for m in one.finditer(text)
        ):
            return True
        if any(
            word not in self._own_names for value in _list_fields(text, _POD) for word in _names_in(value)
        ):
            return True
        if not about_own and any(True for value in _list_fields(text, _PART) for _ in _names_in(value)):
            return True
        # A path or a program's name is not a line: the tenant's volume may have the same name as another
        # tenant's.
        return " " in text and not self._foreign_names.isdisjoint(_list_parts(text))


def names_of_others(text: str, pod: Ref) -> Iterator[str]:
    """Yield names of other Pods, and of their Namespaces, volumes, Secrets, images and containers, in a line
    that is about other Pods alone.
    """
    own = LineFilter(pod)
    if own.names_others(text, about_own=True) and not own.names_own(text):
        for kind in (_POD, _PART):
            for value in _list_fields(text, kind):
                for name in _names_in(value):
                    yield from (name, *name.split("/"))


def _uid_digits(uid: str) -> str:
    return uid.replace("-", "").replace("_", "").lower()


def _list_fields(text: str, kind: re.Pattern[str]) -> Iterator[str]:
    """Yield the text's values for keys of this kind, in any of the forms of logs and prose."""
    for found in _FIELD.finditer(text):
        if _is_key_of(found["key"], kind):
            yield found["value"]
    for found in _PROSE.finditer(text):
        if _is_key_of(found["kind"], kind):
            if found["quoted"]:
                yield found["quoted"]
            elif re.search(r"[-/\d]", found["bare"]):
                yield found["bare"]


def _is_key_of(key: str, kind: re.Pattern[str]) -> bool:
    flat = re.sub(r"[\W_]", "", key).lower()
    return kind.search(flat) is not None and not _NOT_NAMED.search(flat)


def _names_in(value: str) -> Iterator[str]:
    return (word for word in _WORD.findall(value) if not _NO_NAME.fullmatch(word))


def _list_parts(text: str) -> Iterator[str]:
    """Yield everything in the text that could be a name."""
    for word in _WORD.findall(text):
        yield from (word, *word.split("/"))
