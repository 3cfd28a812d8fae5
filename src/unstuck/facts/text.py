"""A text for people, in both languages.

A message is an English template with named values, written once, at its place in the code. Its Chinese is in
the catalogue beside the module (`NAME.zh.md`, the section 译文) and is looked up on access: an answer in
English opens no catalogue. See docs/why/languages.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Literal

from unstuck.facts.record import Record, record

# The heading of the translations in a Chinese page; readers do not see that section.
TRANSLATIONS = "\n## 译文\n"
_set = object.__setattr__


@record()
class Text(Record):
    """The same statement in English and Chinese."""

    en: str
    zh: str

    def __add__(self, other: Text) -> Text:
        return join_texts((self, other), "", "")

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Text) and self.en == other.en and self.zh == other.zh)

    def __hash__(self) -> int:
        return hash(self.en)

    def __repr__(self) -> str:
        return f"Text(en={self.en!r}, zh={self.zh!r})"


class _LazyText(Text):
    """A text with its Chinese looked up on access."""

    __slots__ = ("_chinese",)
    _chinese: Callable[[], str]

    def __init__(self, english: str, chinese: Callable[[], str]) -> None:
        _set(self, "en", english)
        _set(self, "_chinese", chinese)

    @property
    def zh(self) -> str:
        return self._chinese()

    def __reduce__(self) -> tuple[type[Text], tuple[str, str]]:
        return Text, (self.en, self.zh)


NO_TEXT = Text("", "")


def same_in_both(words: str) -> Text:
    """Return a verbatim text: a name, a path, a server's own message."""
    return Text(words, words)


def make_text(words: tuple[str, str]) -> Text:
    """Return a text from a row's pair of English and Chinese."""
    return Text(*words)


def join_texts(texts: Iterable[Text], en: str = ", ", zh: str = "、") -> Text:
    """Join texts into one. en, zh: the separators."""
    all_ = tuple(texts)
    return _LazyText(en.join(t.en for t in all_), lambda: zh.join(t.zh for t in all_))


def list_names(names: Iterable[str]) -> Text:
    """Return names as a list: `a, b`, and `a、b` in Chinese."""
    return join_texts(map(same_in_both, names))


@record()
class Messages(Record):
    """The messages of one module: `say = Messages(__name__)`, then `say("{path} has the {flag} flag",
    path=file.path, flag=flag)`.
    """

    module: str

    def __call__(self, template: str, /, **values: object) -> Text:
        """Return a message. template: English, a literal; its values by name, each a text in both languages
        or the same in both.

        For a number `{n:Pod|Pods}` is the word for one or for several. If the catalogue has no translation,
        its Chinese is the English.
        """
        if not values:
            return _make_plain(self.module, template)
        return _LazyText(
            fill_template(template, values, "en"),
            lambda: fill_template(read_catalogue(self.module).get(template, template), values, "zh"),
        )

    def template(self, template: str, /) -> Text:
        """Return a message without its values: the renderer fills them in, in one language."""
        return _LazyText(template, lambda: read_catalogue(self.module).get(template, template))


def fill_template(template: str, values: Mapping[str, object], lang: Literal["en", "zh"]) -> str:
    """Return a template with its values in one language. Errors: KeyError if one is missing."""
    chooses = "|" in template
    shown = dict(values)
    for name, value in values.items():
        if isinstance(value, Text):
            shown[name] = value.en if lang == "en" else value.zh
        elif chooses and type(value) is int:
            shown[name] = _Number(value)
    return template.format_map(shown)


@cache
def _make_plain(module: str, template: str) -> Text:
    """Return a message without values, made once: most are the same for each Pod."""
    if "{" in template or "}" in template:
        return _LazyText(template.format(), lambda: read_catalogue(module).get(template, template).format())
    return _LazyText(template, lambda: read_catalogue(module).get(template, template))


class _Number(int):
    """A number that chooses a word: `{n:Pod|Pods}`."""

    def __format__(self, spec: str) -> str:
        one, either, several = spec.partition("|")
        if not either:
            return super().__format__(spec)
        return one if self == 1 else several


@cache
def read_catalogue(module: str) -> Mapping[str, str]:
    """Return the Chinese templates of a module by their English ones; none if it has no catalogue."""
    import pkgutil

    package, _, name = module.rpartition(".")
    try:
        data = pkgutil.get_data(package, f"{name}.zh.md")
    except OSError:
        return {}
    return dict(parse_translations((data or b"").decode()))


def parse_translations(page: str) -> list[tuple[str, str]]:
    """Return the pairs of a page's section of translations: blocks of a line in English and one in Chinese
    that begins with `: `.
    """
    pairs: list[tuple[str, str]] = []
    for block in page.partition(TRANSLATIONS)[2].strip("\n").split("\n\n"):
        english, divided, chinese = block.partition("\n: ")
        if divided:
            pairs.append((_strip_backticks(english), _strip_backticks(chinese)))
    return pairs


def _strip_backticks(written: str) -> str:
    """Strip the backticks around a text whose first or last character would be lost without them."""
    return written[1:-1] if len(written) > 1 and written[0] == written[-1] == "`" else written
