"""The messages of each module and their Chinese (`NAME.zh.md`, section 译文): adds missing ones, or with
`--check` fails.

A message is a call `say("template", name=value)` in a module that has `say = Messages(__name__)`; the values
of `say.template("template")` come later. Without `--check` the section is put into the order of the source, a
message without Chinese is added with a warning, and an unused translation is kept with a warning.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

from unstuck.facts.text import TRANSLATIONS, parse_translations

SOURCE = Path(__file__).parent.parent / "src" / "unstuck"
MAKER = "\nsay = Messages(__name__)\n"
HAN = re.compile(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]")
# Removes values, and words common to all languages.
_SAME = re.compile(
    r"\{[^{}]*\}|`[^`]*`|“[^”]*”|\b\w*[A-Z0-9_./:-]\w*\b|\b(?:kubelet|kubeconfig|inode|webhook|diff)s?\b"
)
# This many consecutive words are a sentence, even within Chinese.
_SENTENCE = re.compile(r"(?:\b[a-z]+(?:'[a-z]+)?\b[ ,;]+){5,}[a-z]+\b")


def list_modules(source: Path = SOURCE) -> Iterator[Path]:
    """Yield the modules that have messages."""
    return (path for path in sorted(source.rglob("*.py")) if MAKER in path.read_text("utf-8"))


def list_messages(module: Path) -> list[tuple[str, frozenset[str], int]]:
    """List the messages of a module in the order of the source: the template, the names of its values, the
    line.
    """
    calls = [node for node in ast.walk(ast.parse(module.read_text("utf-8"))) if isinstance(node, ast.Call)]
    said = [call for call in calls if ast.unparse(call.func) in ("say", "say.template")]
    found = []
    for call in sorted(said, key=lambda c: (c.lineno, c.col_offset)):
        (template,) = call.args
        if not isinstance(template, ast.Constant) or not isinstance(template.value, str):
            raise SystemExit(f"{module}:{call.lineno}: a template is a literal, its values are named")
        later = isinstance(call.func, ast.Attribute)
        given = list_names(template.value) if later else frozenset(k.arg or "**" for k in call.keywords)
        found.append((template.value, given, call.lineno))
    return found


def list_names(template: str) -> frozenset[str]:
    """List the names of a template's values."""
    return frozenset(name for _, name, _, _ in Formatter().parse(template) if name is not None)


def list_needed(template: str) -> frozenset[str]:
    """List the values required in every language; a number that only selects a word (`{n:Pod|Pods}`) belongs
    to one language.
    """
    return frozenset(
        name
        for _, name, spec, _ in Formatter().parse(template)
        if name is not None and "|" not in (spec or "")
    )


def is_untranslated(chinese: str) -> bool:
    """Tell whether a translation is still English: a sentence, or words without any Chinese character."""
    own = _SAME.sub(" ", chinese)
    return bool(_SENTENCE.search(own)) or (not HAN.search(chinese) and bool(re.search(r"[a-z]{2}", own)))


def find_problems(module: Path) -> list[str]:
    """List the problems of a module's messages and their translations, one line each."""
    said = list_messages(module)
    there = dict(_read_translations(module))
    wrong = []
    for template, given, line in said:
        where, chinese = f"{module.name}:{line}: {template!r}", there.get(template)
        if list_names(template) != given:
            wrong.append(f"{where}: its values are {', '.join(sorted(given)) or 'none'}")
        if not chinese:
            wrong.append(f"{where}: no Chinese in {_locate_page(module).name}")
        elif not list_needed(template) <= list_names(chinese) <= list_names(template):
            wrong.append(
                f"{where}: other values in Chinese: {', '.join(sorted(list_names(chinese))) or 'none'}"
            )
        elif is_untranslated(chinese):
            wrong.append(f"{where}: English where Chinese belongs: {chinese!r}")
    used = {template for template, _, _ in said}
    return wrong + [
        f"{_locate_page(module).name}: no message uses {template!r}"
        for template in there
        if template not in used
    ]


def lay_out(module: Path) -> str:
    """Return the Chinese page with its translations in the order of the source, unused ones last."""
    there = dict(_read_translations(module))
    used = dict.fromkeys(template for template, _, _ in list_messages(module))
    pairs = {template: there.get(template, "") for template in used} | {
        k: v for k, v in there.items() if k not in used
    }
    head = _read(module).partition(TRANSLATIONS)[0].rstrip("\n")
    blocks = "\n\n".join(
        f"{_quote(english)}\n:{f' {_quote(chinese)}' if chinese else ''}"
        for english, chinese in pairs.items()
    )
    return f"{head or f'# {module.parent.name}/{module.stem}'}\n{TRANSLATIONS}\n{blocks}\n"


def _locate_page(module: Path) -> Path:
    return module.with_suffix(".zh.md")


def _read(module: Path) -> str:
    return _locate_page(module).read_text("utf-8") if _locate_page(module).is_file() else ""


def _read_translations(module: Path) -> list[tuple[str, str]]:
    return parse_translations(_read(module))


def _quote(text: str) -> str:
    return f"`{text}`" if text != text.strip() or text.startswith((":", "`", "#", "- ")) else text


def main(argv: list[str]) -> int:
    """Update the pages and return 0; with `--check`, return 1 if there is a problem."""
    check, wrong = "--check" in argv, []
    for module in list_modules():
        text = lay_out(module)
        if _read(module) != text:
            page = _locate_page(module)
            if check:
                wrong.append(f"{page.relative_to(SOURCE)} is not in the order of its module: run `make docs`")
            else:
                page.write_text(text, "utf-8")
        wrong += find_problems(module)
    for line in wrong:
        sys.stderr.write(f"{'' if check else 'warning: '}{line}\n")
    return 1 if check and wrong else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
