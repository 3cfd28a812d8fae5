"""A text that is nothing but objects as a program printed them: read at once, an object at a time, in a small part of the time.

In a bundle the same object mostly stands twice, in a list and in a file of its own: the second time nothing is read of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from unstuck.collect.objects import facts_of
from unstuck.collect.text.cutting.piece import TextContext
from unstuck.collect.text.cutting.split import LONGEST_TEXT, has_divider, is_plain_ascii, lines_of, needs_cleaning
from unstuck.collect.text.objects.json_yaml import DEEPEST, decoding, deeper, is_yaml, yaml_documents
from unstuck.collect.text.references.coreference import settled
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact

if TYPE_CHECKING:
    from unstuck.collect.text.objects.plain_yaml import Plain

FORM = "json-yaml"
# Of what stands elsewhere in the bundle, word for word.
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
class Before:
    """The objects read earlier in the same bundle. told: hashes of those whose facts depend on nothing else in their text."""

    told: set[bytes] = field(default_factory=set)
    _plain: Plain | None = None

    @property
    def plain(self) -> Plain:
        """The reader of plain YAML, which remembers what lines say."""
        if self._plain is None:
            from unstuck.collect.text.objects.plain_yaml import Plain  # few pastes hold any

            self._plain = Plain()
        return self._plain


@dataclass(slots=True)
class ObjectStream:
    """The facts of a text. understood: (first line, last line, form). alone: they need no other text, and name no object for it."""

    facts: list[Fact] = field(default_factory=list)
    understood: list[tuple[int, int, str]] = field(default_factory=list)
    alone: bool = True


def read_whole(text: str, context: TextContext, most: int, before: Before | None = None) -> ObjectStream | None:
    """Return the facts of a text that is nothing but objects; None for any other text, which is read in pieces.

    What it gives is what the pieces would give, but that each item of a list has its own place. most: facts that are told.
    before: what its bundle told already; that is not told again. Nothing here raises for any text.
    """
    if len(text) > LONGEST_TEXT:
        return None
    try:
        if text.startswith("{"):
            return _json(text, _Telling(context, most, Before(), skips=False))
        if text.startswith(("---\n", "apiVersion: ")):
            return _yaml(text, context, most, before)
    except (ValueError, RecursionError, TypeError, OverflowError):
        pass
    return None


def _yaml(text: str, context: TextContext, most: int, before: Before | None) -> ObjectStream | None:
    from unstuck.collect.text.objects.plain_yaml import printable  # few pastes hold any

    clean = is_plain_ascii(text)
    if not clean:
        text = "\n".join(lines_of(text)) if needs_cleaning(text) else text
        clean = printable(text)
    # A file that its collector calls YAML is no paste: what looks like a prompt there stands in some object.
    is_file = before is not None and context.name.endswith(_NAMED)
    if not is_file and (not is_yaml(text[:_LOOKED_AT].split("\n"), 0) or has_divider(text, text.split("\n")) or _LOGGED.search(text)):
        return None
    if any(sign in text for sign in _OF_ELIDED) and _ELIDED.search(text):
        return None
    text = text.rstrip("\n")
    last = text.count("\n") + 1
    for skips in (before is not None, False):
        telling = _Telling(context, most, before or Before(), skips=skips, clean=clean)
        if found := _listed(text):
            telling.items(*found)
        else:
            telling.documents(text, last)
        out = telling.end(last)
        # What stands beside something that was skipped may need it.
        if out is None or out.alone or not telling.again:
            return out
    return None


class _Telling:
    """Reads the objects of one text, and skips those read elsewhere. again: the lines of the latter."""

    def __init__(self, context: TextContext, most: int, before: Before, *, skips: bool, clean: bool = False) -> None:
        self._context, self._most, self._before, self._skips, self._clean = context, most, before, skips, clean
        self._out = ObjectStream()
        self._told = set[bytes]()
        self._events: list[Mapping[Any, Any]] = []
        self._read, self._slow = False, 0
        self.again: list[tuple[int, int]] = []

    def items(self, around: str, items: Iterable[tuple[int, int, str]]) -> None:
        """Read the items of a list. around: the text around them."""
        (head,) = self._before.plain.load(around)
        if not isinstance(head, Mapping) or "items" in head:
            raise ValueError("no list")
        own = own_of(head)
        written = "".join(f"{key}: {value}\n" for key, value in own.items())
        for number, last, text in items:
            key = self._key(text if text.startswith("apiVersion: ") else written + text)
            if not self._skipped(key, number, last):
                self.tell({**own, **self._one(text)}, number, key, together=True)

    def documents(self, text: str, last: int) -> None:
        """Read an object, or several one after the other. last: the number of the last line."""
        key = self._key(text.removeprefix("---\n")) if "\n---" not in text else b""
        if self._skipped(key, 1, last):
            return
        for found in self._before.plain.load(text, clean=self._clean):
            for one in found if isinstance(found, list) else [found]:
                self.tell(one, 1, key)

    def tell(self, obj: object, number: int, key: bytes = b"", *, together: bool = False) -> None:
        """Read one object. number: of its first line. key: of its text. together: with the other Events of its list."""
        if not isinstance(obj, Mapping) or not isinstance(obj.get("kind"), str):
            return
        self._read = True
        if len(self._out.facts) >= self._most:
            return
        if together and obj["kind"] == "Event":
            self._events.append(obj)
        else:
            # What Events say of one object may stand in several places, each time with other ones.
            self._add(facts_of(obj, f"{self._context.name}:{number}", self._context.now), b"" if obj["kind"] == "Event" else key)

    def end(self, last: int) -> ObjectStream | None:
        """Return all facts, None where there was no object. last: the number of the last line."""
        if self._events:
            self._add(facts_of({"kind": "List", "items": self._events}, f"{self._context.name}:1", self._context.now), b"")
        out = self._out
        if self._read:
            out.understood.append((1, last, FORM))
        out.understood += [(a, b, AGAIN) for a, b in self.again]
        self._before.told |= self._told
        return out if out.understood else None

    def _add(self, facts: list[Fact], key: bytes) -> None:
        alone = settled(facts) and not any(isinstance(f, Failure) and f.about.kind != "Pod" for f in facts)
        self._out.facts += facts
        self._out.alone = self._out.alone and alone
        if alone and key:
            self._told.add(key)

    def _key(self, text: str) -> bytes:
        """Return the hash of an object's text; b"" where no object is to be skipped."""
        return blake2b(text.rstrip("\n").encode("utf-8", "surrogatepass"), digest_size=16).digest() if self._skips else b""

    def _skipped(self, key: bytes, first: int, last: int) -> bool:
        if key not in self._before.told:
            return False
        if self.again and self.again[-1][1] == first - 1:
            first = self.again.pop()[0]
        self.again.append((first, last))
        return True

    def _one(self, text: str) -> Mapping[Any, Any]:
        try:
            (found,) = self._before.plain.load(text, clean=self._clean)
        except ValueError:
            self._slow += len(text)
            if self._slow > _MOST_SLOW:
                raise
            (found,) = yaml_documents(text)
        if not isinstance(found, Mapping):
            raise ValueError("no object")
        return found


def own_of(head: Mapping[Any, Any]) -> dict[str, str]:
    """Return the fields that items have from a typed list (`PodList`), as they may lack them. Errors: ValueError for no list."""
    kind, version = head.get("kind"), head.get("apiVersion")
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(version, str):
        raise ValueError("no list")
    return {} if kind == "List" else {"apiVersion": version, "kind": kind.removesuffix("List")}


def _listed(text: str) -> tuple[str, Iterator[tuple[int, int, str]]] | None:
    """Split a list into the text around its items, and each item: its first and last line, and its own text; None for any other text.

    Errors, also of the iterator: ValueError where the items cannot be told apart by their lines.
    """
    found = _LIST.match(text)
    if not found:
        return None
    after = _OF_NO_LIST.search(text, found.end())
    end = after.start() if after else len(text)
    return found["head"] + text[end + 1 :], _items(text, found.end(), end)


def _items(text: str, begin: int, end: int) -> Iterator[tuple[int, int, str]]:
    number = text.count("\n", 0, begin) + 1
    while begin < end:
        found = text.find("\n- ", begin, end)
        stop = found if found >= 0 else end
        item = text[begin + 2 : stop]
        own, more = item.replace("\n  ", "\n"), item.count("\n")
        # Each line but the first has lost its two blanks, or what has none was looked at.
        if len(item) - len(own) != 2 * more and _OF_NO_ITEM.search(item):
            raise ValueError("no list of objects")
        yield number, number + more, own
        number += more + 1
        begin = stop + 1


def _json(text: str, telling: _Telling) -> ObjectStream | None:
    """Read one object or one list, whose items are read one by one."""
    if needs_cleaning(text):
        text = "\n".join(lines_of(text))
    if deeper(text, DEEPEST * 4):
        return None
    parts = _Parts(text)
    head, listed, waiting = dict[str, Any](), False, list[tuple[int, Mapping[Any, Any]]]()
    for key in parts.names():
        if key != "items" or not parts.at("["):
            head[key] = parts.value()
            continue
        listed = True
        for number, item in parts.items():
            if isinstance(item, Mapping):
                # What kind of list it is may stand behind its items.
                if "kind" in item and "apiVersion" in item:
                    telling.tell(item, number, together=True)
                else:
                    waiting.append((number, item))
    if listed:
        own = own_of(head)
        for number, item in waiting:
            telling.tell({**own, **item}, number, together=True)
    else:
        telling.tell(head, 1)
    return telling.end(text.rstrip("\n").count("\n") + 1)


class _Parts:
    """The members of a JSON object, and of lists in it, one by one. Errors: ValueError for what is no JSON."""

    def __init__(self, text: str) -> None:
        self._text, self._at, self._decoder = text, 1, decoding()

    def at(self, sign: str) -> bool:
        """Tell whether this is the next sign."""
        found = _BLANK.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text.startswith(sign, self._at)

    def value(self) -> Any:
        """Return the whole value that comes next."""
        self.at("")
        found, self._at = self._decoder.raw_decode(self._text, self._at)
        return found

    def names(self) -> Iterator[str]:
        """Yield the object's names. The caller takes the value beside each before the next is asked for; nothing may follow the last."""
        more = not self.at("}")
        while more:
            key = self.value()
            if not isinstance(key, str):
                raise ValueError("no key")
            self._past(":")
            yield key
            more = self._more("}")
        self._past("}")
        self.at("")
        if self._at < len(self._text):
            raise ValueError("something follows")

    def items(self) -> Iterator[tuple[int, Any]]:
        """Yield the items of the next list, each with the line where it begins."""
        self._past("[")
        line, counted = 1, 0
        more = not self.at("]")
        while more:
            self.at("")
            line, counted = line + self._text.count("\n", counted, self._at), self._at
            yield line, self.value()
            more = self._more("]")
        self._past("]")

    def _more(self, close: str) -> bool:
        if self.at(close):
            return False
        self._past(",")
        return True

    def _past(self, sign: str) -> None:
        if not self.at(sign):
            raise ValueError(f"no {sign}")
        self._at += 1
