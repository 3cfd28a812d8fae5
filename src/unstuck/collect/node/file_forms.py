"""Recognises a file by its first bytes, and the size that its own header wants.

Sources: magic(5), elf(5), APPNOTE.TXT (zip), sqlite.org fileformat, git-lfs spec, the safetensors format.
"""

from __future__ import annotations

import struct

from unstuck.facts.regex import regex

_HEADS = (
    (b"\x7fELF", "ELF"),
    (b"\x1f\x8b", "gzip"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"BZh", "bzip2"),
    (b"SQLite format 3\x00", "SQLite"),
    (b"%PDF-", "PDF"),
    (b"\x89PNG", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"\xca\xfe\xba\xbe", "Java class"),
    (b"GGUF", "GGUF"),
    (b"version https://git-lfs", "pointer of git-lfs"),
)
_TAR_AT = 257
_HTML = regex(r"(?is)^\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?(?:<!doctype html|<html\b|<head\b|<body\b)")
# e_machine of elf(5), as Go names the processor.
_PROCESSORS = {3: "386", 8: "mips", 21: "ppc64", 22: "s390x", 40: "arm", 62: "amd64", 183: "arm64"}
_ELF_HEADER, _SQLITE_HEADER = 64, 100
_SAFE_SHORTEST = 10
_WIDE = _BIG = 2


def find_form(data: bytes) -> str:
    """Return the form of a file by its first bytes; for others `text`, `foreign text` (no UTF-8), `zeros` or
    `binary`.
    """
    named = next((form for head, form in _HEADS if data.startswith(head)), "")
    if named:
        return named
    if data[_TAR_AT : _TAR_AT + 5] == b"ustar":
        return "tar"
    if not data.strip(b"\0"):
        return "zeros"
    if _is_safetensors(data):
        return "safetensors"
    if b"\0" in data[:4096]:
        return "UTF-16 text" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "binary"
    text = data[:4096].decode("utf-8", "replace")
    if _HTML.match(text):
        return "HTML"
    controls = sum(c < 9 or 13 < c < 32 for c in data[:4096])
    if controls > len(data[:4096]) // 50:
        return "binary"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        # A text that was cut in the middle of a character is still UTF-8.
        return "text" if error.start >= len(data) - 3 and len(data) >= 1 << 20 else "foreign text"
    return "text"


def find_processor(data: bytes) -> str:
    """Return the processor that an ELF file is built for; "" if unknown."""
    if len(data) < _ELF_HEADER:
        return ""
    order = ">" if data[5] == _BIG else "<"
    (machine,) = struct.unpack_from(f"{order}H", data, 18)
    name = _PROCESSORS.get(machine, "")
    return {"ppc64": "ppc64le", "mips": "mipsle"}.get(name, name) if order == "<" else name


def find_expected_size(data: bytes, form: str, size: int) -> int:
    """Return the size that the file's header wants, if that is more than it has; else 0."""
    wanted = 0
    if form == "ELF" and len(data) >= _ELF_HEADER and data[4] == _WIDE:
        order = ">" if data[5] == _BIG else "<"
        at: int = struct.unpack_from(f"{order}Q", data, 40)[0]
        each, count = struct.unpack_from(f"{order}HH", data, 58)
        wanted = at + each * count if at else 0
    elif form == "SQLite" and len(data) >= _SQLITE_HEADER:
        page: int = struct.unpack_from(">H", data, 16)[0]
        pages: int = struct.unpack_from(">I", data, 28)[0]
        wanted = (1 << 16 if page == 1 else page) * pages
    elif form == "safetensors":
        wanted = _find_end_of_tensors(data)
    return wanted if size < wanted < 1 << 48 else 0


def _is_safetensors(data: bytes) -> bool:
    if len(data) < _SAFE_SHORTEST:
        return False
    (length,) = struct.unpack_from("<Q", data, 0)
    return 2 <= length < 1 << 28 and data[8:10] in (b'{"', b"{}")


def _find_end_of_tensors(data: bytes) -> int:
    """Return the end of the last tensor in the header; at least that of the header itself."""
    length: int = struct.unpack_from("<Q", data, 0)[0]
    ends = regex(r'"data_offsets":\s*\[\s*\d{1,16}\s*,\s*(\d{1,16})\s*\]').findall(
        data[8 : 8 + length].decode("utf-8", "replace")
    )
    return 8 + length + max((int(end) for end in ends), default=0)
