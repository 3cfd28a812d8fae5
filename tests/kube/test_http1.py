"""The three ways in which a body ends, in parts of any size; and what is no HTTP."""

from __future__ import annotations

import socket
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.collect.kube.transport.http1 import AnswerReader, Head, MalformedError, write_head
from unstuck.collect.kube.transport.room import Room, Share, TooLarge

_CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
_ANSWERS = {
    b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello": b"hello",
    b"HTTP/1.1 404 Not Found\r\ncontent-length:0\r\n\r\n": b"",
    b"HTTP/1.1 204 No Content\r\n\r\n": b"",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}": b"{}",
    b"HTTP/1.1 200\nContent-Length: 2\n\n{}": b"{}",
    _CHUNKED + b"5\r\nhello\r\n6;name=value\r\n world\r\n0\r\n\r\n": b"hello world",
    _CHUNKED + b"0A \r\n0123456789\r\n0\r\nExpires: never\r\nWarning: none\r\n\r\n": b"0123456789",
}


class _Parts:
    """A socket that gives these parts, then its end."""

    def __init__(self, parts: list[bytes]) -> None:
        self._parts = parts

    def recv(self, _size: int) -> bytes:
        return self._parts.pop(0) if self._parts else b""


def _reader(data: bytes, size: int = 1 << 14) -> AnswerReader:
    parts = [data[i : i + size] for i in range(0, len(data), size)]
    return AnswerReader(cast(socket.socket, _Parts(parts)))


def _read(reader: AnswerReader) -> tuple[Head, bytes]:
    head = reader.read_head()
    return head, reader.read_body(head, Share(Room()))


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1 << 14])
@pytest.mark.parametrize("answer", _ANSWERS)
def test_an_answer_in_parts_of_any_size_twice_on_one_connection(answer: bytes, size: int) -> None:
    reader = _reader(answer * 2, size)
    for _ in range(2):
        head, body = _read(reader)
        assert (body, head.closes) == (_ANSWERS[answer], False)
    assert not reader.ahead


@given(st.lists(st.binary(min_size=1, max_size=60), max_size=9), st.integers(1, 70))
def test_chunks_of_anything_are_what_was_sent(chunks: list[bytes], size: int) -> None:
    sent = b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks)
    assert _read(_reader(_CHUNKED + sent + b"0\r\n\r\n", size))[1] == b"".join(chunks)


@pytest.mark.parametrize("size", [1, 1 << 14])
def test_without_a_length_the_end_of_the_connection_is_the_end(size: int) -> None:
    head, body = _read(_reader(b"HTTP/1.1 200 OK\r\n\r\nall of it", size))
    assert (head.closes, body) == (True, b"all of it")


@pytest.mark.parametrize(
    ("head", "closes"),
    [
        (b"HTTP/1.1 200 OK\r\n", False),
        (b"HTTP/1.1 200 OK\r\nConnection: Close\r\n", True),
        (b"HTTP/1.0 200 OK\r\n", True),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n", False),
    ],
)
def test_who_closes_says_so(head: bytes, closes: bool) -> None:
    assert _reader(head + b"Content-Length: 0\r\n\r\n").read_head().closes is closes


def test_the_first_header_of_a_name_counts_in_any_case() -> None:
    head = _reader(
        b"HTTP/1.1 429 Too Many Requests\r\nRETRY-after:  7 \r\nRetry-After: 9\r\n\r\n"
    ).read_head()
    assert (head.status, head.reason, head.headers["retry-after"]) == (429, "Too Many Requests", "7")


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nX: " + b"x" * (2 << 20),
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: br\r\n\r\n{}",
        _CHUNKED + b"5\r\nhel",
        _CHUNKED + b"5\r\nhello\r\n",
        _CHUNKED + b"-5\r\nhello\r\n0\r\n\r\n",
        _CHUNKED + b"0x5\r\nhello\r\n0\r\n\r\n",
        _CHUNKED + b"1_0\r\nhello\r\n0\r\n\r\n",
        _CHUNKED + b"\r\n",
    ],
)
def test_what_is_no_answer_is_malformed(data: bytes) -> None:
    with pytest.raises(MalformedError):
        _read(_reader(data))


def test_a_connection_that_was_closed_before_the_answer_is_reset() -> None:
    with pytest.raises(ConnectionResetError):
        _reader(b"").read_head()


@pytest.mark.parametrize(
    "body",
    [
        b"Content-Length: 99999999999999999999\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n",
    ],
)
def test_a_size_beyond_the_limit_is_not_waited_for(body: bytes) -> None:
    with pytest.raises(TooLarge):
        _read(_reader(b"HTTP/1.1 200 OK\r\n" + body))


def test_a_head_is_written_in_lines() -> None:
    written = write_head("GET", "/api?limit=1", [("Host", "a:1"), ("Accept", "b")])
    assert written == b"GET /api?limit=1 HTTP/1.1\r\nHost: a:1\r\nAccept: b\r\n\r\n"


@pytest.mark.parametrize("value", ["a\r\nX: b", "a\nb", "a\0", "\u4e2d"])
def test_a_header_that_would_be_two_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        write_head("GET", "/", [("Authorization", value)])


@pytest.mark.parametrize("target", ["/a b", "/a\r\nHost: b", "/\u4e2d"])
def test_a_target_that_would_be_more_is_refused(target: str) -> None:
    with pytest.raises(MalformedError):
        write_head("GET", target, [])
