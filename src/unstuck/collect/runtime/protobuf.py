"""The part of the protobuf wire format that the CRI's messages need.

Source: protobuf.dev/programming-guides/encoding (wire types 0, 1, 2, 5; unknown fields are skipped).
"""

from __future__ import annotations

from collections.abc import Iterator

Value = int | bytes
_MAX_FIELDS = 200_000


class WireError(ValueError):
    """The bytes are no protobuf message."""


def parse_fields(data: bytes) -> Iterator[tuple[int, Value]]:
    """Yield (field number, value) in order: numbers as int, everything with a length as bytes. Errors:
    WireError.
    """
    at = 0
    for _ in range(_MAX_FIELDS):
        if at == len(data):
            return
        key, at = parse_varint(data, at)
        number, kind = key >> 3, key & 7
        if number == 0:
            raise WireError("field number 0")
        if kind == 0:
            value, at = parse_varint(data, at)
            yield number, value
            continue
        if kind == 2:
            size, at = parse_varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise WireError(f"wire type {kind}")
        if size > len(data) - at:
            raise WireError("a field is longer than its message")
        yield number, data[at : at + size]
        at += size
    raise WireError("too many fields")


def parse_varint(data: bytes, at: int) -> tuple[int, int]:
    """Parse the number at a position; return it and the position after it. Errors: WireError."""
    value, shift, end = 0, 0, len(data)
    while at < end and shift < 70:
        byte = data[at]
        at += 1
        if byte < 0x80:
            return (value | byte << shift) & 0xFFFF_FFFF_FFFF_FFFF, at
        value |= (byte & 0x7F) << shift
        shift += 7
    raise WireError("cut off" if shift < 70 else "a number without end")


def number(value: Value) -> int:
    """Return a field's number as a signed 64-bit integer; 0 for anything else."""
    if not isinstance(value, int):
        return 0
    return value - (1 << 64) if value >> 63 else value


def text(value: Value) -> str:
    """Return a field's text; "" for anything else. Bytes that are not UTF-8 are escaped with their code."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else ""


def message(value: Value) -> bytes:
    """Return a field's inner message; empty for anything else."""
    return value if isinstance(value, bytes) else b""


def parse_pair(value: Value) -> tuple[str, str]:
    """Parse one entry of a `map<string, string>`. Errors: WireError."""
    found = dict(parse_fields(message(value)))
    return text(found.get(1, b"")), text(found.get(2, b""))


def encode(field: int, value: str | bytes | int) -> bytes:
    """Encode one field. Numbers below zero are not supported."""
    if isinstance(value, int):
        return _encode_varint(field << 3) + _encode_varint(value)
    data = value.encode() if isinstance(value, str) else value
    return _encode_varint(field << 3 | 2) + _encode_varint(len(data)) + data


def encode_pair(field: int, key: str, value: str) -> bytes:
    """Encode one entry of a `map<string, string>`."""
    return encode(field, encode(1, key) + encode(2, value))


def _encode_varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
