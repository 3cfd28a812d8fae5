"""Redacts any text. It fails closed: every word that is not known to be harmless is replaced."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from unstuck.collect.masking import mask
from unstuck.collect.redact.addresses import plain_v4
from unstuck.collect.redact.compound_names import split
from unstuck.collect.redact.names import CLOUDS, COMMON, REGISTRIES, WITHIN_CLUSTER, Pseudonyms
from unstuck.collect.redact.numbers import Ids, Numbers
from unstuck.collect.redact.shapes import HEX, IN_TEXT, IN_WORD, MEASURE, TOP_LEVEL
from unstuck.collect.redact.vocabulary import Vocabulary

GONE = "***"
# A piece of a text between characters that no name contains.
_PIECE = re.compile(r"[^\s\"'`,;()\[\]{}<>=|]+")
_TOKEN = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|[^\x00-\x7f]+")
_RUN = re.compile(r"[A-Za-z0-9]+|[^\x00-\x7f]+")
_QUOTES = ("'", '"', "`")
# Longer numbers are private: an account's, a card's, a telephone's. In a program's own words numbers of five
# digits may be, too.
_LONGEST = 8
_LONGEST_OWN = 4
_UNITS = (
    "service",
    "socket",
    "slice",
    "mount",
    "scope",
    "timer",
    "target",
    "device",
    "swap",
    "path",
    "automount",
)
# A temporary file: `GetImageBlob245739441`.
_NUMBERED = re.compile(r"([A-Za-z]{4,})(\d+)")
_VERSION = re.compile(
    r"(?:[a-z-]{1,20}://)?v?\d{1,3}\.\d{1,4}(?:\.\d{1,8})?(?:[-+~][\w.+~-]{0,100})?", re.ASCII
)
_KNOWN = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,63}|-[A-Za-z-]{0,31}")
_SHORT = 3


class Texts:
    """words_stay: a name that is also a word of messages is replaced as a name, and stays in messages."""

    def __init__(
        self, known: Vocabulary, names: Pseudonyms, ids: Ids, numbers: Numbers, *, words_stay: bool
    ) -> None:
        self._known, self._names, self._ids, self._numbers = known, names, ids, numbers
        self._words_stay = words_stay
        self.ambiguous: set[str] = set()
        self._words: dict[str, str] = {}
        self._others: dict[str, dict[str, str]] = {"mail": {}, "resource": {}, "word": self._words}
        self._done: dict[tuple[str, bool], str] = {}
        self._pieces: dict[tuple[str, bool], str] = {}

    @property
    def replaced(self) -> Counter[str]:
        """How many different ones of each kind were."""
        return Counter(
            {
                "word": len(self._words),
                "mail": len(self._others["mail"]),
                "resource": len(self._others["resource"]),
            }
        )

    def text(self, text: str, *, output: bool = False) -> str:
        """Redact any words. output: a program's own, in which shorter numbers are hidden, too."""
        key = (text, output)
        if key not in self._done:
            self._done[key] = "".join(self._parts("\n".join(map(mask, text.split("\n"))), output))
        return self._done[key]

    def version(self, text: str) -> str:
        """Redact a version of software: its numbers of any form stay, and so do a distribution's short marks
        (`el7`).
        """
        if not _VERSION.fullmatch(text):
            return self.text(text)
        return _RUN.sub(lambda m: m[0] if len(m[0]) <= _SHORT else self._run(m[0], output=False), text)

    def word(self, text: str) -> str:
        """Redact a word that is no name, though a name may be spelled alike: a known word stays."""
        known = _KNOWN.fullmatch(text) and all(
            run in self._known or self._known.knows(run) for run in _RUN.findall(text)
        )
        return text if known else self.text(text)

    def pseudonym_of(self, text: str) -> str:
        """Return a pseudonym that preserves nothing but equality."""
        return self._other("resource", text)

    # --- a whole text ---------------------------------------------------------------------------------------

    def _parts(self, text: str, output: bool) -> Iterator[str]:
        at = 0
        for found in IN_TEXT.finditer(text):
            new = self._pseudonym_by_shape(found)
            if new is not None:
                yield self._redact_plain(text[at : found.start()], output)
                yield new
                at = found.end()
        yield self._redact_plain(text[at:], output)

    def _pseudonym_by_shape(self, found: re.Match[str]) -> str | None:
        """Return the replacement for a recognised form; None if it is left to the words."""
        match found.lastgroup:
            case "stamp":
                return found[0]
            case "uuid" | "joint":
                return None
            case "pem":
                return GONE
            case "login":
                return f"{GONE}@"
            case "value":
                value = found["value"]
                return (
                    None
                    if MEASURE.fullmatch(value) or len(value) < 3
                    else self._redact_plain(found["key"], False) + GONE
                )
            case _:
                digits = "".join(c for c in found[0] if c.isdigit())
                return self._numbers.decimal(digits) if len(digits) > _LONGEST else None

    def _other(self, kind: str, original: str) -> str:
        table = self._others[kind]
        return table.setdefault(original, f"{kind}{len(table) + 1}")

    # --- a piece of it --------------------------------------------------------------------------------------

    def _redact_plain(self, text: str, output: bool) -> str:
        return _PIECE.sub(lambda m: self._piece(m, text, output), text)

    def _piece(self, found: re.Match[str], text: str, output: bool) -> str:
        piece = found[0]
        bare = piece.rstrip(".:")
        new = self._names.image_or_name(bare)
        if new is not None and (not self._is_word(bare) or _is_quoted(found, text)):
            return new + piece[len(bare) :]
        key = (piece, output)
        if key not in self._pieces:
            self._pieces[key] = self._replace_joined(piece, output)
        return self._pieces[key]

    def _replace_joined(self, piece: str, output: bool) -> str:
        """Replace both names of `ns/name`; else the words between punctuation."""
        both = [self._names.name(part) for part in piece.split("/")]
        if len(both) == 2 and None not in both:
            return "/".join(filter(None, both))
        out, at = list[str](), 0
        for found in IN_WORD.finditer(piece):
            new = self._pseudonym_by_form(found)
            if new is not None:
                out += [self._tokens(piece[at : found.start()], output), new]
                at = found.end()
        return "".join([*out, self._tokens(piece[at:], output)])

    def _pseudonym_by_form(self, found: re.Match[str]) -> str | None:
        """Return the replacement for a recognised form; None if it is left to the words."""
        whole, addresses = found[0], self._names.addresses
        if found["mail"]:
            return (
                None
                if whole.rpartition(".")[2] in _UNITS
                else self._other("mail", whole.lower()) + "@mail.example"
            )
        if found["arn"]:
            return f"arn:{self._other('resource', whole)}"
        if found["vm"]:
            return self._other("resource", whole)
        if owned := found["owned"]:
            return (
                None
                if owned in COMMON
                else found["before"] + (self._names.name(owned) or self._other("resource", owned))
            )
        if found["uuid"]:
            return whole if whole in self._ids else self._numbers.uuid(whole)
        if found["hardware"]:
            return addresses.machine(whole)
        if found["v4"]:
            plain = plain_v4(whole.replace("-", "."))
            return addresses.pseudonym_of(plain).replace(".", found["sep"]) if plain else None
        head, colon, tail = whole.rpartition(":")
        if "." in tail and not addresses.is_address(whole) and (plain := plain_v4(tail)):
            whole = f"{head}{colon}{plain}"
        address = whole if addresses.is_address(whole) else whole.rstrip(":")
        return (
            addresses.pseudonym_of(address) + whole[len(address) :] if addresses.is_address(address) else None
        )

    def _tokens(self, text: str, output: bool) -> str:
        told = split(text, self._names.joined, self._names.accounts)
        return "".join(
            self._replace_named(piece, name)
            if name
            else _TOKEN.sub(lambda m: self._token(m[0], output), piece)
            for piece, name in told
        )

    def _replace_named(self, piece: str, name: str) -> str:
        """Replace a name within a word, or written otherwise."""
        if not self._is_word(name):
            return self._names.name(name) or GONE
        self.ambiguous.add(name)
        return piece

    # --- one word, or several joined by dots and dashes -----------------------------------------------------

    def _token(self, token: str, output: bool) -> str:
        if token in COMMON or token in REGISTRIES:
            return token
        known = self._names.name(token)
        if known is not None:
            if not self._is_word(token):
                return known
            if len(token) > 2:
                self.ambiguous.add(token)
            return token
        if "." in token:
            return self._replace_dotted(token, output)
        return self._replace_dashed(token.split("-"), output)

    def _replace_dashed(self, parts: list[str], output: bool) -> str:
        """Replace names at the beginning, and after another name: a word that begins with one contains it."""
        out, at, free = list[str](), 0, True
        while at < len(parts):
            hits = self._names.beginnings.names_at(parts, at) if free else ()
            hit = next(((length, name) for length, name in hits if not self._is_word(name)), None)
            if hit is None:
                free = False
                out.append(_RUN.sub(lambda m: self._run(m[0], output), parts[at]))
                at += 1
            else:
                out.append(self._names.name(hit[1]) or GONE)
                at += hit[0]
        return "-".join(out)

    def _replace_dotted(self, token: str, output: bool) -> str:
        """Return a host, a group, a file or a version. A domain's own label identifies its owner, even if
        it is a word.
        """
        labels = token.split(".")
        small = token.lower()
        new = [self._token(label, output) if label else "" for label in labels]
        if ".".join(labels[-2:]) in self._known or small.endswith(WITHIN_CLUSTER):
            return ".".join(new)
        if small.endswith(CLOUDS):
            new[0] = self._names.customer(labels[0])
        elif labels[-1].lower() in TOP_LEVEL and labels[-2]:
            new[-2] = self._word(labels[-2]) if labels[-2].isalpha() else self._hide_run(labels[-2])
        return ".".join(new)

    def _hide_run(self, run: str) -> str:
        return self._words.setdefault(run.lower(), f"word{len(self._words) + 1}")

    def _run(self, run: str, output: bool) -> str:
        """Return letters and digits."""
        if run.isdigit() and run.isascii():
            return run if len(run) <= (_LONGEST_OWN if output else _LONGEST) else self._numbers.decimal(run)
        if run.isalpha():
            return run if self._known.knows(run) else self._word(run)
        if run in self._known or run in self._ids or MEASURE.fullmatch(run):
            return run
        if HEX.fullmatch(run):
            return self._numbers.hex(run)
        made = _NUMBERED.fullmatch(run)
        return (
            f"{made[1]}{self._numbers.decimal(made[2])}"
            if made and self._known.knows(made[1])
            else self._hide_run(run)
        )

    def _is_word(self, name: str) -> bool:
        """Tell whether messages use it as a word of its own."""
        return name.isalpha() and (len(name) < 3 or (self._words_stay and name in self._known))

    def _word(self, word: str) -> str:
        small = word.lower()
        stem = _singular(small)
        new = self._words.setdefault(stem, f"word{len(self._words) + 1}") + ("s" if stem != small else "")
        return new.capitalize() if word[0].isupper() else new


def _is_quoted(found: re.Match[str], text: str) -> bool:
    after = text[found.end() : found.end() + 1]
    return after in _QUOTES and text[found.start() - 1 : found.start()] == after


def _singular(word: str) -> str:
    """Return a resource's kind for its plural."""
    for end, instead in (
        ("ies", "y"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("sses", "ss"),
        ("s", ""),
    ):
        if word.endswith(end) and not word.endswith("ss") and len(word) > len(end) + 2:
            return word.removesuffix(end) + instead
    return word
