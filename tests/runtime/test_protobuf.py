"""The wire format, against bytes of protoc's own encoder, and against invalid bytes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.collect.runtime import cri
from unstuck.collect.runtime.protobuf import (
    WireError,
    encode,
    encode_pair,
    number,
    parse_fields,
    parse_pair,
    text,
)

ID = "0a" * 32


def test_what_is_written_reads_back_in_order() -> None:
    data = encode(1, "lab") + encode(3, 300) + encode(2, b"\x00\xff") + encode(1, "again")
    assert list(parse_fields(data)) == [(1, b"lab"), (3, 300), (2, b"\x00\xff"), (1, b"again")]


def test_a_negative_number_takes_ten_bytes_and_stays_negative() -> None:
    ((_, value),) = parse_fields(b"\x38" + b"\xff" * 9 + b"\x01")
    assert number(value) == -1


def test_fields_of_fixed_width_and_unknown_ones_are_passed_over() -> None:
    data = b"\x09" + b"\x01" * 8 + b"\x15" + b"\x02" * 4 + encode(2, "kept")
    assert dict(parse_fields(data))[2] == b"kept"


@pytest.mark.parametrize(
    "data",
    [b"\x0a\x05ab", b"\x08", b"\x0b", b"\x00\x00", b"\x80" * 20, b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f"],
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    with pytest.raises(WireError):
        list(parse_fields(data))


def test_an_entry_of_a_map_reads_whatever_its_order() -> None:
    assert parse_pair(encode(2, "v") + encode(1, "k")) == ("k", "v")
    assert text(b"\xff") == "\\xff"


def test_a_list_of_containers_reads_by_the_numbers_of_the_cri() -> None:
    labels = encode_pair(8, "io.kubernetes.pod.uid", "u-1") + encode_pair(8, "other", "x")
    row = (
        encode(1, ID)
        + encode(2, "box")
        + encode(3, encode(1, "web") + encode(2, 3))
        + encode(6, 1)
        + encode(7, 5)
        + labels
        + encode(99, "of a later version")
    )
    assert cri.parse_containers(encode(1, row)) == [cri.CriListing(ID, "web", "u-1", "running", False)]


def test_a_state_of_0_is_left_out_on_the_wire_and_is_created() -> None:
    assert cri.parse_containers(encode(1, encode(1, ID)))[0].state == "created"
    assert cri.parse_sandboxes(encode(1, encode(1, ID)))[0].state == "running"
    assert cri.parse_sandboxes(encode(1, encode(1, ID) + encode(3, 1)))[0].state == "exited"


def test_a_sandbox_tells_its_pod() -> None:
    meta = encode(1, "web-0") + encode(2, "u-1") + encode(3, "shop")
    assert cri.parse_sandboxes(encode(1, encode(1, ID) + encode(2, meta))) == [
        cri.CriListing(ID, "web-0", "u-1", "running", True)
    ]


@given(st.binary(max_size=400))
def test_any_bytes_are_a_list_or_refused(data: bytes) -> None:
    for read in (cri.parse_containers, cri.parse_sandboxes):
        try:
            read(data)
        except WireError:
            continue
