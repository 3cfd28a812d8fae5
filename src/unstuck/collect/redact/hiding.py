"""A Snapshot without the names in it: each replaced by a pseudonym, the same one throughout.

It fails closed. Names of objects, images and hosts are known from the facts' own fields; of everything else
only words that this program knows itself (Kubernetes' words, messages' words), short numbers, times,
quantities, and random identifiers stay. An answer rests on this program's words and on the identity of
things: both are kept. See docs/why/redaction.md.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from unstuck.collect.redact.names import CLOUDS, COMMON, REGISTRIES, WITHIN_CLUSTER, Pseudonyms, nameable
from unstuck.collect.redact.natures import Nature, closed_fields, natures_of, texts
from unstuck.collect.redact.numbers import Ids, Numbers
from unstuck.collect.redact.shapes import OWNERS
from unstuck.collect.redact.texts import Texts
from unstuck.collect.redact.vocabulary import Vocabulary
from unstuck.errors import UnstuckError
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref
from unstuck.facts.quantity import parse_quantity
from unstuck.facts.record import Record, list_field_names
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Messages

say = Messages(__name__)

# Names built from a group's name, so that a part of one occurs in another's; or a Linux system's.
_BY_WORDS = frozenset(
    (
        "APIService",
        "Address",
        "CustomResourceDefinition",
        "CSIDriver",
        "ServedKind",
        "NodePort",
        "Unit",
        "Process",
        "File",
        "FileLine",
        "Mount",
        "ConfigWord",
    )
)
# A host in a message: in an address, or where it was looked up.
_HOST = re.compile(
    r"(?:://|\blookup )(?P<host>[A-Za-z0-9](?:[A-Za-z0-9-]*\.)+[A-Za-z0-9-]*[A-Za-z0-9])(?![\w.-])"
)
_API = re.compile(r"/apis?/(?:[^/]+/)?v\d\w*/")


class RedactionError(UnstuckError):
    """Something could not be redacted, so that nothing may be written."""


@dataclass(slots=True)
class HiddenFacts:
    """replaced: how many different things of each kind were. kept: names that stay in messages, for they
    are words that messages use.
    """

    saved: Saved
    replaced: Counter[str] = field(default_factory=Counter)
    kept: int = 0


def redact(asked: Saved, known: Collection[str], *, words_stay: bool = False) -> HiddenFacts:
    """Replace names by pseudonyms. Pure: the same facts give the same pseudonyms.

    known: the vocabulary, in small letters. words_stay: a name that is also a word of messages is replaced as
    a name, and stays in messages, so that these keep their meaning.

    Errors: RedactionError for a value of an unknown kind.
    """
    facts = sorted(asked.snapshot.facts, key=repr)
    key = hashlib.blake2b(repr(facts).encode("utf-8", "surrogatepass")).digest()
    hide = _Redactor(Vocabulary(known), key, words_stay=words_stay)
    nodes = tuple(
        Ref("Node", None, source.removeprefix("node:"))
        for source in asked.snapshot.sources
        if source.startswith("node:")
    )
    hide.learn((*facts, asked.asked, *nodes))
    hidden = [hide.record(fact) for fact in hide.in_no_order(facts)]
    subject = None if asked.asked is None else hide.record(asked.asked)
    snap = Snapshot(hidden, asked.snapshot.now, tuple(map(hide.source, asked.snapshot.sources)))
    return HiddenFacts(Saved(snap, subject, asked.after), hide.replaced(), len(hide.texts.ambiguous))


class _Redactor:
    def __init__(self, known: Vocabulary, key: bytes, *, words_stay: bool) -> None:
        self._key = key
        self._ids, self._numbers = Ids(), Numbers()
        self._names = Pseudonyms(key, self._rest)
        self._known = known
        self.texts = Texts(known, self._names, self._ids, self._numbers, words_stay=words_stay)
        self._treat: dict[Nature, Callable[[str], str]] = {
            "name": self._name,
            "image": lambda text: self._names.image(text) or self.texts.text(text),
            "id": lambda text: text if self._ids.is_one(text) else self.texts.text(text),
            "quantity": self._quantity,
            "version": self.texts.version,
            "word": self.texts.word,
            "where": self._redact_where,
            "opaque": self.texts.pseudonym_of,
            "output": lambda text: self.texts.text(text, output=True),
            "text": self.texts.text,
        }

    def _rest(self, text: str) -> str:
        """Redact the text after a known name, such as an image's tag."""
        return self.texts.text(text)

    def in_no_order(self, facts: list[Any]) -> list[Any]:
        """Return the items in an order that depends only on the facts and reveals nothing about them:
        pseudonyms are numbered in it.
        """
        return sorted(
            facts,
            key=lambda f: hashlib.blake2b(repr(f).encode("utf-8", "surrogatepass"), key=self._key).digest(),
        )

    def replaced(self) -> Counter[str]:
        """Return how many different things of each kind were replaced."""
        counted = self._names.replaced + self.texts.replaced
        counted["address"], counted["number"] = self._names.addresses.count, self._numbers.count
        return counted

    # --- which names there are ------------------------------------------------------------------------------

    def learn(self, records: tuple[Record | None, ...]) -> None:
        """Give every name of the facts its pseudonym, and takes note of the ids."""
        found: dict[str, str] = {}
        images, accounts, hosts = set[str](), set[str](), set[str]()
        for value, nature, kind, field_ in _list_strings(records):
            if nature == "id":
                self._ids.learn((value,))
            elif nature == "image":
                images.add(value)
            # A path beside a name, such as a mount's, is not one.
            elif nature == "name" and value not in COMMON and not value.startswith(("system:", "/")):
                for part, sort in _list_named_parts(value, field_, kind):
                    if part not in COMMON and nameable(part):
                        found.setdefault(part, sort)
            hosts.update(m["host"] for m in _HOST.finditer(value))
            accounts.update(self._owners(value))
        for host in sorted(hosts):
            # POD.SERVICE is looked up within the Namespace: each part is a name of its own.
            of_names = all(part in found for part in host.split("."))
            if (
                not of_names
                and not host.endswith((*WITHIN_CLUSTER, *CLOUDS))
                and host not in REGISTRIES
                and re.search("[A-Za-z]", host)
            ):
                found.setdefault(host, "host")
        for account in sorted(accounts):
            found.setdefault(account, "resource")
        self._names.learn(found, images, accounts)

    def _owners(self, value: str) -> Iterator[str]:
        """Yield the accounts, projects and persons that a text names. A person, or a name in an ARN, is no
        word of messages.
        """
        for m in OWNERS.finditer(value):
            told = (m["home"], m["mail"], m["project"], *(m["arn"] or "").split("/"))
            for name in (m["sure"], *(t for t in told if t and not self._known.knows(t))):
                if name and name not in COMMON and nameable(name):
                    yield name

    # --- replacing ------------------------------------------------------------------------------------------

    def record(self, value: Any) -> Any:
        """Return the same record with every text in it treated by its nature.

        Errors: RedactionError naming the field whose value is neither text, number, time, tuple nor record.
        """
        kind: Any = type(value)
        declared, listed, free = natures_of(kind), closed_fields(kind), texts(kind)
        changed = dict[str, Any]()
        for name in list_field_names(kind):
            old = getattr(value, name)
            treat = (
                self._treatment(declared.get(name), value)
                if name in free
                else self._one_of(listed.get(name, frozenset()))
            )
            new = self._texts_in(old, treat, f"{kind.__name__}.{name}")
            if new is not old:
                changed[name] = new
        return replace(value, **changed) if changed else value

    def _one_of(self, words: frozenset[str]) -> Callable[[str], str]:
        return lambda text: text if text in words else self.texts.pseudonym_of(text)

    def _treatment(self, nature: Nature | None, owner: Record) -> Callable[[str], str]:
        if nature == "ref":
            nature = _nature_of_ref(cast(Ref, owner))
        return self._treat[nature] if nature else self.texts.pseudonym_of

    def _texts_in(self, value: Any, treat: Callable[[str], str], at: str) -> Any:
        if value is None or isinstance(value, bool | int | float | datetime):
            return value
        if isinstance(value, str):
            return treat(value) if value else value
        if isinstance(value, tuple):
            new = tuple(self._texts_in(part, treat, at) for part in value)
            return value if all(a is b for a, b in zip(new, value, strict=True)) else new
        if isinstance(value, Record):
            return self.record(value)
        what = type(value).__name__
        raise RedactionError(
            say("{at} holds a {what}, which cannot be redacted", at=at, what=what),
            say("collect without --redact and look into the file before you send it"),
        )

    def source(self, source: str) -> str:
        """Return `live:CONTEXT`, `node:NAME`, `file:PATH`."""
        way, colon, rest = source.partition(":")
        if way == "live":
            return "live:cluster"
        return (
            f"{way}:{self._names.name(rest) or self.texts.text(rest)}"
            if way in ("node", "file") and colon
            else self.texts.text(source)
        )

    def _name(self, value: str) -> str:
        if known := self._names.name(value):
            return known
        named, underscore, rest = value.partition("_")
        if underscore and (known := self._names.name(named)):
            return f"{known}_{self.texts.text(rest)}"
        # A path or a sentence in a name's place is read as one: cut in parts, it would not show whose
        # directory it names.
        if "/" in value and not value.startswith("/") and " " not in value:
            return "/".join(self._names.name(part) or self.texts.text(part) for part in value.split("/"))
        return value if value in COMMON else self.texts.text(value)

    def _quantity(self, value: str) -> str:
        return value if parse_quantity(value.removesuffix("%")) is not None else self.texts.text(value)

    def _redact_where(self, value: str) -> str:
        found = _API.match(value)
        if not found:
            # A host's name may be a Service's, which gets its pseudonym even if it is short or a word.
            return self._names.name(value) or self.texts.text(value)
        # Resource and name take turns; below a name there may be a part of it (`status`).
        rest = value[found.end() :].split("/")
        told = [
            self.texts.text(part) if i % 2 == 0 else self._names.name(part) or self.texts.text(part)
            for i, part in enumerate(rest)
        ]
        return f"{self.texts.text(found[0][:-1])}/{'/'.join(told)}"


def _nature_of_ref(ref: Ref) -> Nature:
    return "image" if ref.kind == "Image" else "text" if ref.kind in _BY_WORDS else "name"


def _list_named_parts(value: str, field_: str, kind: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a value, with the sort of each. A Lease's holder is mostly `POD_UUID` (client-go
    tools/leaderelection).
    """
    if field_ == "holder" and "_" in value:
        yield value.partition("_")[0], "pod"
        return
    for part in value.split("/") if field_ == "within" else (value,):
        yield part, _sort(field_, kind)


def _sort(field_: str, kind: str) -> str:
    if field_ in ("within", "namespace") or kind == "Namespace":
        return "namespace"
    return {"Node": "node", "Pod": "pod"}.get(kind, "host" if field_ == "host" else "name")


def _list_strings(
    value: Any, nature: Nature | None = None, kind: str = "", field_: str = ""
) -> Iterator[tuple[str, Nature | None, str, str]]:
    """Yield (text, nature, kind of the Ref that it belongs to, field) of every text."""
    if isinstance(value, str):
        yield value, nature, kind, field_
    elif isinstance(value, tuple):
        for item in value:
            yield from _list_strings(item, nature, kind, field_)
    elif isinstance(value, Record):
        kind_: Any = type(value)
        declared = natures_of(kind_)
        own = value.kind if isinstance(value, Ref) else ""
        for name in list_field_names(kind_):
            told = declared.get(name)
            yield from _list_strings(
                getattr(value, name), _nature_of_ref(cast(Ref, value)) if told == "ref" else told, own, name
            )
