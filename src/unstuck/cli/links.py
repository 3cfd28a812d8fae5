"""Links (OSC 8) from the ids of causes to the pages installed with the program. See docs/why/links.md."""

from __future__ import annotations

import os
import re
import socket
from functools import cache
from pathlib import Path
from urllib.parse import quote

from unstuck.cli.lang import Lang

# The form `family.what-is-wrong`; other words of an answer have no page.
_ID = re.compile(r"(?<![\w./-])[a-z]+\.[a-z]+(?:-[a-z0-9]+)*(?![\w/-]|\.\w)")
_PACKAGE = Path(__file__).resolve().parents[1]


def add_links(text: str, lang: Lang) -> str:
    """Turn each cause id in a painted text into a link to its page; ids without a page on this machine stay
    plain.
    """
    folder = _pages(lang)
    if folder is None or os.environ.get("TERM") == "linux":
        return text
    return _ID.sub(lambda found: _link(found[0], folder), text)


def _link(id_: str, folder: Path) -> str:
    path = folder / f"{id_}.md"
    if not path.is_file():
        return id_
    return f"\x1b]8;;file://{quote(socket.gethostname())}{quote(str(path))}\x1b\\{id_}\x1b]8;;\x1b\\"


@cache
def _pages(lang: Lang) -> Path | None:
    """Return the folder of the causes' pages: of the installed package, or of the checkout; None if the
    program is one file.
    """
    for folder in (_PACKAGE / "pages" / lang, _PACKAGE.parents[1] / "docs" / lang / "causes"):
        if folder.is_dir():
            return folder
    return None
