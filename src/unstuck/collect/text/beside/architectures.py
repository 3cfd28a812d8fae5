"""The architecture of a program, against that of the machine or of the other programs of its image.

Sources: file(1) magic/Magdir/elf, uname(2), image-spec config.md (`architecture`).
"""

from __future__ import annotations

from posixpath import basename

from unstuck.collect.text.beside.page import FoundReason, ShownRow, ShownText, TextReport
from unstuck.facts.regex import regex

_REFUSED = regex(r"exec format error|cannot execute binary file")
_ELF = regex(
    r"^(?P<file>[^\s:]{1,300}): +ELF \d{2}-bit [LM]SB .{0,60}?, "
    r"(?P<arch>x86-64|ARM aarch64|ARM|Intel 80386|IBM S/390|UCB RISC-V),"
)
_IMAGE = regex(r"^\s*\"?Architecture\"?: \"?(?P<arch>amd64|arm64|arm|386|ppc64le|s390x|riscv64)\"?,?\s*$")
_MACHINE = regex(r"^\s*(?P<arch>x86_64|aarch64|arm64|armv[5-8]l?|i[3-6]86|ppc64le|s390x|riscv64)\s*$")
_ALIKE = {
    "x86-64": "amd64",
    "x86_64": "amd64",
    "ARM aarch64": "arm64",
    "aarch64": "arm64",
    "ARM": "arm",
    "Intel 80386": "386",
    "IBM S/390": "s390x",
    "UCB RISC-V": "riscv64",
}


def find_architecture(report: TextReport, page: ShownText) -> FoundReason | None:
    """Find the line that shows the architecture of the refused program, if another line shows a different
    one.
    """
    if not _REFUSED.search(report.line):
        return None
    built = [(row, m["file"], _name(m["arch"])) for row in page.rows if (m := _ELF.match(row.text))]
    own = [one for one in built if basename(one[1]) in report.line]
    of_image = [(row, "", _name(m["arch"])) for row in page.rows if (m := _IMAGE.match(row.text))]
    machine = [_name(m["arch"]) for row in page.rows if (m := _MACHINE.match(row.text))]
    others = [*machine, *(one[2] for one in built if one not in own)]
    chosen: tuple[ShownRow, str, str] | None = next(iter((*own, *of_image)), None)
    if chosen is None or not others or chosen[2] in others:
        return None
    row, file, arch = chosen
    return FoundReason("other-architecture", row, file, arch, others[0])


def _name(word: str) -> str:
    """Return an architecture by Go's name, as images have it."""
    return "arm" if word.startswith("armv") else _ALIKE.get(word, word)
