"""The form of an observation: its subject, its source, and its completeness.

All later stages read only these types. Absence is not a value: a missing fact means unknown, a `Want` is the
question, a `Refused` is the reason for an open question.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from re import findall, sub
from sys import modules
from typing import Any, ClassVar, Literal, TypeVar, cast, get_origin

from unstuck.facts.record import Record, get_annotations, record

Cost = Literal["api", "node", "active"]
WhyOpen = Literal["not-asked", "denied", "timeout", "unreachable", "too-large", "not-offered"]
Origin = Literal["answer", "nobody", "scan"]


class _Hashed(Record):
    """A base with a slot for the cached hash, which is needed repeatedly."""

    __slots__ = ("_hash",)
    _hash: int


@record()
class Ref(_Hashed):
    """The subject of a fact.

    kind: a Kubernetes kind (`Pod`; `Widget.example.com` if the group is not Kubernetes' own), or an item of a
    node or of the network: `File`, `Mount`, `Process`, `Registry`, `Container`, `Cluster`, or a list:
        `ConfigMapList`.
    within: the namespace, the node for items of a node, `NAMESPACE/POD` for a Container. None: cluster-scoped
    or unknown. name, uid: None means unknown, never "any". block: set only for an unnamed object: "the Pod of
    paste.txt:3-9".
    """

    kind: str
    within: str | None = None
    name: str | None = None
    uid: str | None = None
    block: str | None = None

    # Every look-up in a Snapshot is by a Ref: these explicit methods take half the time of a Record's.
    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Ref) and self._all == other._all)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash((self.kind, self.within, self.name, self.uid, self.block)))
            return self._hash

    @property
    def _all(self) -> tuple[str | None, ...]:
        return (self.kind, self.within, self.name, self.uid, self.block)

    @property
    def key(self) -> tuple[str, str, str, str, str]:
        """A total order over Refs."""
        return (self.kind, self.within or "", self.name or "", self.uid or "", self.block or "")

    def __str__(self) -> str:
        name = self.name or self.uid or self.block or "?"
        return f"{self.kind} {self.within}/{name}" if self.within else f"{self.kind} {name}"


@record()
class Source(Record):
    """The place to verify an observation.

    where: an object's path in the API, `file:line`, `NODE /proc/123/wchan`, a command. quote: the observed
    text, short. at: the time of the observation (an event's last time, a log line's timestamp), in UTC; None
    if unknown.
    """

    where: str
    quote: str = ""
    at: datetime | None = None

    @property
    def order(self) -> tuple[bool, float]:
        """Return a sort key by time; an undated fact comes first."""
        return self.at is not None, self.at.timestamp() if self.at else 0.0


LONGEST_QUOTE = 300
# In a repeatedly wrapped error the innermost part comes last, and the component first.
_QUOTE_END = 100
_LONGEST_LINE, _LINE_HEAD, _LONGEST_WORD = 240, 100, 24


def shorten(quote: str, longest: int = LONGEST_QUOTE) -> str:
    """Return a quote of at most so many characters; a longer quote loses its middle."""
    end = _QUOTE_END * longest // LONGEST_QUOTE
    return quote if len(quote) <= longest else f"{quote[: longest - 1 - end]}…{quote[-end:]}"


def quote_line(line: str) -> str:
    """Return a log line as a sentence quotes it: a long one loses its middle, between words where it can,
    since it ends with the reason or the value that it leads to.
    """
    if len(line) <= _LONGEST_LINE:
        return line
    head, end = line[:_LINE_HEAD], line[_LINE_HEAD - _LONGEST_LINE + 1 :]
    whole, blank, part = head.rpartition(" ")
    head = f"{whole} " if blank and len(part) < _LONGEST_WORD else head
    part, blank, whole = end.partition(" ")
    return f"{head}…{f' {whole}' if blank and len(part) < _LONGEST_WORD else end}"


def shorten_around(quote: str, telling: str, longest: int = LONGEST_QUOTE) -> str:
    """Return a quote of at most so many characters that keeps its beginning and the decisive words."""
    short = shorten(quote, longest)
    at = quote.find(telling) if telling else -1
    if at < 0 or telling in short:
        return short
    kept = telling[: longest // 2]
    rest = "…" if at + len(kept) < len(quote) else ""
    return f"{quote[: longest - len(kept) - 1 - len(rest)]}…{kept}{rest}"


@record(kw_only=True)
class Fact(_Hashed):
    """One observation of one aspect of one subject.

    whole: whether the observer saw the full extent, so that it proves absence, too. A message or a log line
    is never whole. cost: the source of the answer: the API server, the node (passively), or the node by
    touching a path that may hang. ask: the command for getting it by hand, as a template of
    `diagnosis/command.py`; `engine/manual_commands.py` has its slots.
    """

    about: Ref
    src: Source
    whole: bool = True
    cost: ClassVar[Cost] = "api"
    ask: ClassVar[str] = ""
    # Whether no field but `about` holds a Ref, so that a very long fact is not searched for any.
    refless: ClassVar[bool] = False

    def reaches(self, path: str) -> bool:  # noqa: ARG002 - for facts of places
        """Tell whether an absolute path is within the examined area; True if the look had no bounds.

        The fact has no meaning for a path outside, even if whole.
        """
        return True

    # Facts are put into sets by the thousand, and few about one object come from one place: equality decides
    # the rest.
    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(
                self, "_hash", hash((type(self), self.about, self.src.where, self.src.quote, self.src.at))
            )
            return self._hash


@record()
class Want(Record):
    """A question that could change or improve an answer."""

    fact: type[Fact]
    about: Ref

    @property
    def key(self) -> tuple[str, tuple[str, str, str, str, str]]:
        """A total order over Wants."""
        return (self.fact.__name__, self.about.key)

    def __str__(self) -> str:
        return f"{self.fact.__name__}({self.about})"


@record(kw_only=True)
class Refused(Fact):
    """An unanswered Want.

    want: the name of the fact's type. detail: the source's own message. origin: whether a source refused, no
    source existed, or a scan does not ask.
    """

    want: str
    why: WhyOpen
    detail: str = ""
    origin: Origin = "answer"


@record(kw_only=True)
class Same(Fact):
    """The statement that `about` and `other` are the same object.

    assumed: whether a reader of the whole text concluded it ("the only possible Pod here") without an
    explicit statement, which caps confidence at likely.
    """

    other: Ref
    assumed: bool = True


F = TypeVar("F", bound=Fact)


# Types of values that cannot hold a Ref.
_PLAIN = frozenset(("str", "int", "float", "bool", "datetime", "None", "tuple", "Source"))
_ABOUT = ("about",)


@cache
def _list_ref_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a record that may hold a Ref, by their annotations: most hold words and
    numbers, or records of these.
    """
    named = vars(modules[kind.__module__])
    return tuple(
        name
        for name, text in get_annotations(kind).items()
        if any(_may_hold(word, named, kind) for word in _split_words(str(text)))
    )


def _split_words(annotation: str) -> list[str]:
    return findall(r"\w+", sub(r"Literal\[[^\]]*\]", "", annotation))


def _may_hold(word: str, named: Mapping[str, Any], holder: Any) -> bool:
    if word in _PLAIN:
        return False
    value = named.get(word)
    if isinstance(value, type) and issubclass(value, Record) and value not in (Ref, holder):
        return bool(_list_ref_fields(cast(Any, value)))
    return get_origin(value) is not Literal


def find_refs(value: object) -> list[Ref]:
    """Return every Ref inside a fact, records inside it included."""
    if isinstance(value, Fact) and (value.refless or _list_ref_fields(cast(Any, type(value))) == _ABOUT):
        return [value.about]
    refs: list[Ref] = []
    _collect_refs(value, refs)
    return refs


def _collect_refs(value: object, refs: list[Ref]) -> None:
    if isinstance(value, Ref):
        refs.append(value)
    elif isinstance(value, tuple):
        for item in value:
            _collect_refs(item, refs)
    elif isinstance(value, Record):
        for name in _list_ref_fields(cast(Any, type(value))):
            _collect_refs(getattr(value, name), refs)
