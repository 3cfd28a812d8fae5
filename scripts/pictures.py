"""`make pictures`: answers as a terminal shows them, drawn as SVG into docs/pictures, from the records that
come with the package.

Six situations: a proven cause, a likely one, several possible ones, an unknown one, a scan, and a paste on a
terminal.

The picture is the renderer's own output, escapes and all: nothing is laid out a second time. An SVG is text,
so a changed answer shows in a diff, and it needs only the reader's fonts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from tests.render.together import merge

from unstuck.api.reading import TextQuestion, read_paths, report_read
from unstuck.api.replaying import replay_saved
from unstuck.api.report import Lang, Report
from unstuck.api.saved_files import parse_saved
from unstuck.cli.pastes import FIRST as FIRST_PASTE
from unstuck.cli.pastes import NEXT as NEXT_PASTE
from unstuck.render.cells import count_cells
from unstuck.render.scan import Manner, scan
from unstuck.render.words import in_lang

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "pictures"
# Name of the picture, record, language, columns.
PICTURES: tuple[tuple[str, str, Lang, int], ...] = (
    ("proven", "file-immutable", "en", 132),
    ("likely", "out-of-memory", "en", 132),
    ("undecided", "file-immutable-from-outside", "en", 132),
    ("proven-narrow", "file-immutable", "en", 80),
    ("proven.zh", "file-immutable", "zh", 132),
    ("likely-narrow.zh", "out-of-memory", "zh", 60),
    ("undecided-narrow.zh", "file-immutable-from-outside", "zh", 80),
)
# Name of the picture, language, columns, whether with the causes' ids.
SCANS: tuple[tuple[str, Lang, int, bool], ...] = (
    ("scan", "en", 80, False),
    ("scan-wide.zh", "zh", 160, True),
)
ROW = (
    "NAME    READY   STATUS                       RESTARTS   AGE\nweb-0   0/1     "
    "CreateContainerConfigError   0          2d\n"
)
EVENT = (
    "LAST SEEN   TYPE      REASON   OBJECT      MESSAGE\n2m          Warning   Failed   pod/web-0   Error: "
    'configmap "app-conf" not found\n'
)
WAITING = (
    "NAME    READY   STATUS              RESTARTS   AGE\nweb-0   0/1     ContainerCreating   0          2d\n"
)
CELL, HEIGHT, MARGIN = 8.4, 19, 14
_SGR = re.compile(r"\x1b\[(\d*)m")
_STYLES = {"31": "bad", "32": "good", "33": "warn", "2": "dim", "1": "bold", "36": "command"}
_CSS = (
    "text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono','Noto Sans Mono CJK "
    "SC',monospace;fill:#d8dee4;white-space:pre}"
    ".bad{fill:#ff7b72}.good{fill:#7ee787}.warn{fill:#e3b341}.dim{fill:#8b949e}.bold{font-weight:bold}.command{fill:#79c0ff}"
)


def draw(painted: str, title: str) -> str:
    """Draw the coloured lines of a terminal as SVG."""
    rows = painted.rstrip("\n").split("\n")
    columns = max(count_cells(_SGR.sub("", row)) for row in rows)
    width, height = round(columns * CELL + 2 * MARGIN), len(rows) * HEIGHT + 2 * MARGIN
    body = "\n".join(_draw_row(row, MARGIN + HEIGHT * (n + 1) - 5) for n, row in enumerate(rows))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} '
        f'{height}" role="img">\n'
        f"<title>{escape(title)}</title>\n<style>{_CSS}</style>\n"
        f'<rect width="{width}" height="{height}" rx="8" fill="#0d1117"/>\n{body}\n</svg>\n'
    )


def _draw_row(row: str, y: int) -> str:
    """Draw one line, each part at its column on a terminal."""
    parts, column = [], 0
    for style, text in _split_row(row):
        if text.strip():
            lead = len(text) - len(text.lstrip(" "))
            x, size = MARGIN + (column + lead) * CELL, count_cells(text.strip(" ")) * CELL
            named = f' class="{style}"' if style else ""
            parts.append(
                f'<text x="{x:.1f}" y="{y}" textLength="{size:.1f}"{named}>{escape(text.strip(" "))}</text>'
            )
        column += count_cells(text)
    return "".join(parts)


def _split_row(row: str) -> Iterator[tuple[str, str]]:
    style, at = "", 0
    for found in _SGR.finditer(row):
        yield style, row[at : found.start()]
        style, at = _STYLES.get(found[1], ""), found.end()
    yield style, row[at:]


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(exist_ok=True)
    for name, record, lang, width in PICTURES:
        data = (files("unstuck") / "demo" / f"{record}.json.gz").read_bytes()
        painted = replay_saved(parse_saved(data, record)).to_text(lang, width, colour=True)
        _draw(name, painted, f"unstuck demo {record} --lang {lang}")
    for name, lang, width, ids in SCANS:
        manner = Manner(ids=ids, opened="by-number")
        _draw(
            name,
            scan(merge(), lang, width, colour=True, manner=manner),
            f"unstuck scan -A{' -o wide' if ids else ''}",
        )
    _draw(
        "nothing-known",
        read_pasted(WAITING).to_text("en", 80, colour=True),
        "kubectl get pods | unstuck read -",
    )
    _draw("paste", answer_pastes("en", 80), "unstuck read")


def _draw(name: str, painted: str, title: str) -> None:
    (FOLDER / f"{name}.svg").write_text(draw(painted, title), "utf-8")


def read_pasted(*texts: str) -> Report:
    """Answer pastes like `unstuck read` on a terminal."""
    snap, seen = read_paths((), pasted=[text.encode() for text in texts])
    return report_read(("-",), snap, seen, TextQuestion())


def answer_pastes(lang: Lang, width: int) -> str:
    """Return two pastes, each followed by its answer, as a terminal shows them."""
    parts: list[str] = []
    for i, text in enumerate((ROW, EVENT)):
        answer = read_pasted(*(ROW, EVENT)[: i + 1]).to_text(lang, width, colour=True)
        parts += [
            f"\x1b[2m{in_lang(NEXT_PASTE if i else FIRST_PASTE, lang)}\x1b[0m\n",
            text,
            "\n",
            answer,
            "\n",
        ]
    return "".join(parts)


if __name__ == "__main__":
    main()
