"""Reads a text that consists only of a program's printed objects: directly, one object at a time, in a
fraction of the time.

In a bundle the same object usually occurs twice, in a list and in its own file: the second one is skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from unstuck.collect.objects import facts_of
from unstuck.collect.text.cutting.piece import TextContext
from unstuck.collect.text.cutting.records import is_log_record
from unstuck.collect.text.cutting.split import (
    LONGEST_TEXT,
    has_divider,
    is_plain_ascii,
    needs_cleaning,
    split_lines,
)
from unstuck.collect.text.objects.json_yaml import (
    DEEPEST,
    is_deeper,
    is_yaml,
    make_decoder,
    parse_yaml_documents,
)
from unstuck.collect.text.objects.status import is_answer
from unstuck.collect.text.references.coreference import is_settled
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact

if TYPE_CHECKING:
    from unstuck.collect.text.objects.plain_yaml import PlainYamlReader

FORM = "json-yaml"
# For text that is elsewhere in the bundle, word for word.
AGAIN = "again"
_OF_ELIDED = ("...", "<snip>", "…")
_ELIDED = re.compile(r"^[^\S\n]*(?:#[^\S\n]*)?(?:\.{3,}|…|<snip>|\[\.\.\.\]|\(\.\.\.\))[^\S\n]*$", re.M)
_BLANK = re.compile(r"[ \t\n\r]*")
_LOOKED_AT = 8192
# Of items that the general parser reads one by one: beyond, it reads the text at once.
_MOST_SLOW = 2 << 20
_LIST = re.compile(r"(?P<head>(?:---\n)?(?:[A-Za-z]{1,40}: [^\n]{1,400}\n){1,4})items:\n(?=- )")
_OF_NO_LIST = re.compile(r"\n(?![ \n-])")
_OF_NO_ITEM = re.compile(r"\n(?!  |\n)")
_NAMED = (".yaml", ".yml")
# A component's line below an object parses as a key of it.
_LOGGED = re.compile(r"^[IWEF]\d{4} \d\d:\d\d:\d\d\.\d", re.M)


@dataclass(slots=True)
class EarlierObjects:
    """The objects read earlier in the same bundle. told: hashes of the pieces whose facts depend on no other
    part of their text.
    """

    told: set[bytes] = field(default_factory=set)
    _plain: PlainYamlReader | None = None

    @property
    def plain(self) -> PlainYamlReader:
        """The reader of plain YAML, which caches parsed lines."""
        if self._plain is None:
            from unstuck.collect.text.objects.plain_yaml import PlainYamlReader  # few pastes hold any

            self._plain = PlainYamlReader()
        return self._plain


@dataclass(slots=True)
class ObjectStream:
    """The facts of a text. understood: (first line, last line, form). alone: the facts neither need another
    text nor name an object for it.
    """

    facts: list[Fact] = field(default_factory=list)
    understood: list[tuple[int, int, str]] = field(default_factory=list)
    alone: bool = True


def read_whole(
    text: str, context: TextContext, most: int, before: EarlierObjects | None = None
) -> ObjectStream | None:
    """Return the facts of a text that consists only of objects; None for any other text, which is read in
    pieces.

    It gives the same facts as the pieces, except that each item of a list has its own place. most: the limit
    of facts. before: the objects that its bundle gave already; they are not repeated. Never raises, for any
    text.
    """
    if len(text) > LONGEST_TEXT:
        return None
    try:
        if text.startswith("{") and not is_answer(text[:_LOOKED_AT].split("\n")):
            return _read_json(text, _ObjectReader(context, most, EarlierObjects(), skips=False))
        if text.startswith(("---\n", "apiVersion: ")):
            return _read_yaml(text, context, most, before)
    except (ValueError, RecursionError, TypeError, OverflowError):
        pass
    return None


def _read_yaml(
    text: str, context: TextContext, most: int, before: EarlierObjects | None
) -> ObjectStream | None:
    from unstuck.collect.text.objects.plain_yaml import is_printable  # few pastes hold any

    clean = is_plain_ascii(text)
    if not clean:
        text = "\n".join(split_lines(text)) if needs_cleaning(text) else text
        clean = is_printable(text)
    # A file that its collector calls YAML is no paste: a seeming prompt there belongs to some object.
    is_file = before is not None and context.name.endswith(_NAMED)
    if not is_file and (
        not is_yaml(text[:_LOOKED_AT].split("\n"), 0)
        or has_divider(text, text.split("\n"))
        or _LOGGED.search(text)
    ):
        return None
    if any(sign in text for sign in _OF_ELIDED) and _ELIDED.search(text):
        return None
    text = text.rstrip("\n")
    last = text.count("\n") + 1
    for skips in (before is not None, False):
        reader = _ObjectReader(context, most, before or EarlierObjects(), skips=skips, clean=clean)
        if found := _split_list(text):
            reader.read_items(*found)
        else:
            reader.read_documents(text, last)
        out = reader.finish(last)
        # Text next to a skipped part may need it.
        if out is None or out.alone or not reader.again:
            return out
    return None


class _ObjectReader:
    """Reads the objects of one text, and skips those read elsewhere. again: the lines of the latter."""

    def __init__(
        self, context: TextContext, most: int, before: EarlierObjects, *, skips: bool, clean: bool = False
    ) -> None:
        self._context, self._most, self._before, self._skips, self._clean = (
            context,
            most,
            before,
            skips,
            clean,
        )
        self._out = ObjectStream()
        self._told = set[bytes]()
        self._events: list[Mapping[Any, Any]] = []
        self._read, self._slow = False, 0
        self.again: list[tuple[int, int]] = []

    def read_items(self, around: str, items: Iterable[tuple[int, int, str]]) -> None:
        """Read the items of a list. around: the text around them."""
        (head,) = self._before.plain.load(around)
        if not isinstance(head, Mapping) or "items" in head:
            raise ValueError("no list")
        own = read_item_defaults(head)
        written = "".join(f"{key}: {value}\n" for key, value in own.items())
        for number, last, text in items:
            key = self._hash(text if text.startswith("apiVersion: ") else written + text)
            if not self._skip(key, number, last):
                self.read_object({**own, **self._parse_one(text)}, number, key, together=True)

    def read_documents(self, text: str, last: int) -> None:
        """Read an object, or several one after the other. last: the number of the last line."""
        key = self._hash(text.removeprefix("---\n")) if "\n---" not in text else b""
        if self._skip(key, 1, last):
            return
        for found in self._before.plain.load(text, clean=self._clean):
            for one in found if isinstance(found, list) else [found]:
                self.read_object(one, 1, key)

    def read_object(self, obj: object, number: int, key: bytes = b"", *, together: bool = False) -> None:
        """Read one object. number: of its first line. key: of its text. together: with the other Events of
        its list.
        """
        if not isinstance(obj, Mapping) or not isinstance(obj.get("kind"), str) or is_log_record(obj):
            return
        self._read = True
        if len(self._out.facts) >= self._most:
            return
        if together and obj["kind"] == "Event":
            self._events.append(obj)
        else:
            # The Events of one object may be in several places, each time beside others.
            self._add(
                facts_of(obj, f"{self._context.name}:{number}", self._context.now),
                b"" if obj["kind"] == "Event" else key,
            )

    def finish(self, last: int) -> ObjectStream | None:
        """Return all facts, None if there was no object. last: the number of the last line."""
        if self._events:
            self._add(
                facts_of(
                    {"kind": "List", "items": self._events}, f"{self._context.name}:1", self._context.now
                ),
                b"",
            )
        out = self._out
        if self._read:
            out.understood.append((1, last, FORM))
        out.understood += [(a, b, AGAIN) for a, b in self.again]
        self._before.told |= self._told
        return out if out.understood else None

    def _add(self, facts: list[Fact], key: bytes) -> None:
        alone = is_settled(facts) and not any(isinstance(f, Failure) and f.about.kind != "Pod" for f in facts)
        self._out.facts += facts
        self._out.alone = self._out.alone and alone
        if alone and key:
            self._told.add(key)

    def _hash(self, text: str) -> bytes:
        """Return the hash of an object's text; b"" if no object is to be skipped."""
        return (
            blake2b(text.rstrip("\n").encode("utf-8", "surrogatepass"), digest_size=16).digest()
            if self._skips
            else b""
        )

    def _skip(self, key: bytes, first: int, last: int) -> bool:
        if key not in self._before.told:
            return False
        if self.again and self.again[-1][1] == first - 1:
            first = self.again.pop()[0]
        self.again.append((first, last))
        return True

    def _parse_one(self, text: str) -> Mapping[Any, Any]:
        try:
            (found,) = self._before.plain.load(text, clean=self._clean)
        except ValueError:
            self._slow += len(text)
            if self._slow > _MOST_SLOW:
                raise
            (found,) = parse_yaml_documents(text)
        if not isinstance(found, Mapping):
            raise ValueError("no object")
        return found


def read_item_defaults(head: Mapping[Any, Any]) -> dict[str, str]:
    """Return the fields that items have from a typed list (`PodList`), as they may lack them. Errors:
    ValueError for no list.
    """
    kind, version = head.get("kind"), head.get("apiVersion")
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(version, str):
        raise ValueError("no list")
    return {} if kind == "List" else {"apiVersion": version, "kind": kind.removesuffix("List")}


def _split_list(text: str) -> tuple[str, Iterator[tuple[int, int, str]]] | None:
    """Split a list into the text around its items, and each item: its first and last line, and its own text;
    None for any other text.

    Errors, also of the iterator: ValueError if the items cannot be separated by their lines.
    """
    found = _LIST.match(text)
    if not found:
        return None
    after = _OF_NO_LIST.search(text, found.end())
    end = after.start() if after else len(text)
    return found["head"] + text[end + 1 :], _split_items(text, found.end(), end)


def _split_items(text: str, begin: int, end: int) -> Iterator[tuple[int, int, str]]:
    number = text.count("\n", 0, begin) + 1
    while begin < end:
        found = text.find("\n- ", begin, end)
        stop = found if found >= 0 else end
        item = text[begin + 2 : stop]
        own, more = item.replace("\n  ", "\n"), item.count("\n")
        # Each line but the first has lost its two blanks; lines without them were checked.
        if len(item) - len(own) != 2 * more and _OF_NO_ITEM.search(item):
            raise ValueError("no list of objects")
        yield number, number + more, own
        number += more + 1
        begin = stop + 1


def _read_json(text: str, reader: _ObjectReader) -> ObjectStream | None:
    """Read one object or one list, whose items are read one by one."""
    if needs_cleaning(text):
        text = "\n".join(split_lines(text))
    if is_deeper(text, DEEPEST * 4):
        return None
    scanner = _JsonScanner(text)
    head, listed, waiting = dict[str, Any](), False, list[tuple[int, Mapping[Any, Any]]]()
    for key in scanner.read_names():
        if key != "items" or not scanner.is_at("["):
            head[key] = scanner.read_value()
            continue
        listed = True
        for number, item in scanner.read_items():
            if isinstance(item, Mapping):
                # The kind of the list may follow its items.
                if "kind" in item and "apiVersion" in item:
                    reader.read_object(item, number, together=True)
                else:
                    waiting.append((number, item))
    if listed:
        own = read_item_defaults(head)
        for number, item in waiting:
            reader.read_object({**own, **item}, number, together=True)
    else:
        reader.read_object(head, 1)
    return reader.finish(text.rstrip("\n").count("\n") + 1)


class _JsonScanner:
    """The members of a JSON object, and of lists in it, one by one. Errors: ValueError for text that is not
    JSON.
    """

    def __init__(self, text: str) -> None:
        self._text, self._at, self._decoder = text, 1, make_decoder()

    def is_at(self, sign: str) -> bool:
        """Tell whether this character comes next."""
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text.startswith(sign, self._at)

    def read_value(self) -> Any:
        """Return the whole value that comes next."""
        self.is_at("")
        found, self._at = self._decoder.raw_decode(self._text, self._at)
        return found

    def read_names(self) -> Iterator[str]:
        """Yield the object's names. The caller takes the value beside each before the next is asked for;
        nothing may follow the last.
        """
        more = not self.is_at("}")
        while more:
            key = self.read_value()
            if not isinstance(key, str):
                raise ValueError("no key")
            self._expect(":")
            yield key
            more = self._has_more("}")
        self._expect("}")
        self.is_at("")
        if self._at < len(self._text):
            raise ValueError("something follows")

    def read_items(self) -> Iterator[tuple[int, Any]]:
        """Yield the items of the next list, each with its first line."""
        self._expect("[")
        line, counted = 1, 0
        more = not self.is_at("]")
        while more:
            self.is_at("")
            line, counted = line + self._text.count("\n", counted, self._at), self._at
            yield line, self.read_value()
            more = self._has_more("]")
        self._expect("]")

    def _has_more(self, close: str) -> bool:
        if self.is_at(close):
            return False
        self._expect(",")
        return True

    def _expect(self, sign: str) -> None:
        if not self.is_at(sign):
            raise ValueError(f"no {sign}")
        self._at += 1
