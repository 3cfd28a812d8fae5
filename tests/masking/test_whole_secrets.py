"""No tail of a secret is left: it is masked to the end given by its frame."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from unstuck.collect.masking import mask

PRINTABLE = st.characters(min_codepoint=0x20, max_codepoint=0x7E)
TAIL = 4
# Each frame with its excluded characters, which make the secret's end certain.
FRAMES: dict[str, tuple[Callable[[str], str], str]] = {
    "in quotes": (lambda s: f'start password="{s}" user=x', '"\\'),
    "in single quotes": (lambda s: f"--db-password='{s}' --user x", "'\\"),
    "after a flag": (lambda s: f"run --token '{s}' --user x", "'\\"),
    "yaml": (lambda s: f"  clientSecret: '{s.replace(chr(39), chr(39) * 2)}'", "\\"),
    "json": (lambda s: json.dumps({"apiKey": s, "user": "x"}), ""),
    "json of a variable": (lambda s: json.dumps({"name": "DB_PASSWORD", "value": s}), ""),
    "json in json": (lambda s: json.dumps({"msg": json.dumps({"password": s, "user": "x"})}), ""),
    "to the blank": (lambda s: f"password={s} user=x", " \"',;&"),
    "address": (lambda s: f"dial redis://:{s}@cache:6379/0 failed", " \"'<>"),
    "address with a user": (lambda s: f"dial amqp://app:{s}@mq:5672 failed", " \"'<>"),
}


def test_a_secret_in_quotes_is_no_path_for_its_slash() -> None:
    assert mask("run --token '/ q7Z#' --user x") == "run --token '***' --user x"
    assert mask("run --token /var/run/token --user x") == "run --token /var/run/token --user x"


@pytest.mark.parametrize("frame", FRAMES)
@given(st.data())
def test_neither_a_secret_nor_its_end_is_left(frame: str, data: st.DataObject) -> None:
    framed, without = FRAMES[frame]
    # Endings that do not occur in a frame by chance.
    secret = data.draw(st.text(PRINTABLE.filter(lambda c: c not in without), max_size=24)) + "q7Z#"
    if frame.startswith("address") and secret[:1].isdigit():
        secret = f"x{secret}"
    assert "q7Z#"[-TAIL:] not in mask(framed(secret)), mask(framed(secret))


@given(st.text(max_size=60), st.text(max_size=60))
@example("password=", "a,b")
def test_masking_adds_stars_and_no_other_character(before: str, after: str) -> None:
    line = f"{before}password=hunter2{after}"
    assert set(mask(line)) <= {*line, "*"}


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("password=a,bSECRETTAIL", "password=***"),
        ("password=a;bSECRETTAIL==", "password=***"),
        ("pwd=x&y'z user=me", "pwd=*** user=me"),
        ('password="my secret tail", retrying', 'password="***", retrying'),
        ("password: 'it''s mine' ok", "password: '***' ok"),
        ('--password "my secret tail" --host h', '--password "***" --host h'),
        (
            r'msg="{\"password\":\"my \\\"se cret\",\"user\":\"me\"}"',
            r'msg="{\"password\":\"***\",\"user\":\"me\"}"',
        ),
        ("cut in the middle: token='abc def gh", "cut in the middle: token='***"),
        (
            '|{"name":"DB_PASSWORD","value":83749204}|, {"name":"PORT","value":80}',
            '|{"name":"DB_PASSWORD","value":***, {"name":"PORT","value":80}',
        ),
        ("redis://:p4ss/word@h:6379/1", "redis://:***@h:6379/1"),
        ("https://me:p@ss@host/x", "https://me:***@host/x"),
    ],
)
def test_it_ends_where_its_frame_ends(line: str, left: str) -> None:
    assert mask(line) == left


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("username=u,password=p4ss,vers=3.0,addr=10.0.0.1", "username=u,password=***,vers=3.0,addr=10.0.0.1"),
        ("GET /x?token=abc123&pretty=true", "GET /x?token=***&pretty=true"),
        ("password=abc, user=me", "password=***, user=me"),
        ("(token=abc123) next", "(token=*** next"),
    ],
)
def test_other_fields_stay(line: str, left: str) -> None:
    assert mask(line) == left


@pytest.mark.parametrize(
    "line",
    [
        (
            "pull "
            "registry.example:5000/team/"
            "web@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
        ),
        "https://10.0.0.1:6443/api/v1/pods: EOF",
        "ssh://git@host/x.git",
        'password: ""',
        "asked http://auth.front.svc:80/whoami: 502 Bad Gateway",
        "dial tcp token-issuer:8443: connect: connection refused",
        "lookup of secrets.vault.svc.cluster.local:8200 failed",
    ],
)
def test_what_is_no_secret_stays(line: str) -> None:
    assert mask(line) == line
