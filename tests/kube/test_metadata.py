"""Lists of metadata only: the same from the server's two formats. Against a real server:
tests/e2e/test_scale.py.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.collect.kube.scan.metadata import Meta, parse
from unstuck.collect.runtime.protobuf import encode

SECONDS = 1_790_000_000
MOMENT = "2026-09-21T14:13:20Z"
NAMES = st.text("abcdefghijklmnopqrstuvwxyz0123456789.-", min_size=1, max_size=253)


def in_json(items: list[Meta] | None, more: str = "") -> bytes:
    """Return the JSON in the server's form, which omits an empty list."""
    docs = [
        {
            "metadata": {
                "name": m.name,
                **({"namespace": m.namespace} if m.namespace else {}),
                "generation": 2,
                "creationTimestamp": MOMENT,
                **({"deletionTimestamp": m.deletion_timestamp} if m.deletion_timestamp else {}),
                "labels": {"a": "b"},
            }
        }
        for m in items or ()
    ]
    return json.dumps(
        {"kind": "PartialObjectMetadataList", "metadata": {"continue": more}, "items": docs or None}
    ).encode()


def in_protobuf(items: list[Meta], more: str = "", generation: int = 2) -> bytes:
    """Return the protobuf by the field numbers of generated.proto; empty strings are written, too."""

    def item(m: Meta) -> bytes:
        moment = encode(1, SECONDS) + encode(2, 0)
        inner = (
            encode(1, m.name)
            + encode(2, "")
            + encode(3, m.namespace)
            + encode(4, "")
            + encode(5, "0f" * 18)
            + encode(6, "17")
            + encode(7, generation)
        )
        inner += encode(8, moment) + (encode(9, moment) + encode(10, 30) if m.deletion_timestamp else b"")
        return encode(
            1,
            inner
            + encode(11, encode(1, "a") + encode(2, "b"))
            + encode(17, encode(1, "kubelet") + encode(7, "J" * 700)),
        )

    raw = encode(1, encode(1, "") + encode(2, "99") + encode(3, more)) + b"".join(
        encode(2, item(m)) for m in items
    )
    return (
        b"k8s\x00"
        + encode(1, encode(1, "meta.k8s.io/v1") + encode(2, "PartialObjectMetadataList"))
        + encode(2, raw)
        + encode(3, "")
        + encode(4, "")
    )


ITEMS = st.lists(st.builds(Meta, NAMES, NAMES | st.just(""), st.none() | st.just(MOMENT)), max_size=5)


@given(ITEMS, NAMES | st.just(""), st.integers(0, 300))
def test_both_forms_tell_the_same(items: list[Meta], more: str, generation: int) -> None:
    assert parse(in_json(items, more)) == parse(in_protobuf(items, more, generation)) == (items, more)


@pytest.mark.parametrize("body", [in_json(None), in_protobuf([]), b'{"items":[],"metadata":{}}'])
def test_an_empty_list_is_a_list(body: bytes) -> None:
    assert parse(body) == ([], "")


@pytest.mark.parametrize("generation", [0, 127, 128, 2**40])
def test_a_number_of_any_length_is_passed_over(generation: int) -> None:
    meta = Meta("web", "shop", MOMENT)
    assert parse(in_protobuf([meta], generation=generation)) == ([meta], "")


@given(st.integers(5, 900))
def test_what_was_cut_off_is_no_list(cut: int) -> None:
    # Its envelope ends with two empty fields of four bytes in all.
    assert parse(in_protobuf([Meta("web", "shop")])[:-cut]) is None


@pytest.mark.parametrize(
    "body", [b"", b"k8s\x00", b"k8s\x00\x12\xff\xff\xff\xff\xff\xff", b"{", b"[]", b'{"items":7}']
)
def test_what_is_no_list_is_none(body: bytes) -> None:
    assert parse(body) is None
