"""Requests end with an answer, or with a value for the reason against it, on a real server on loopback."""

from __future__ import annotations

import gzip
import json
import time

import pytest

from tests.kube.server import Handler, listening, serving
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.errors import AccessError


def client(url: str, seconds: float = 5.0, **access: object) -> Client:
    return Client(Access("test", url, **access), seconds, env={})


def answers(*steps: object):
    """Return a script that runs one step for each request; the last step is repeated."""
    left = list(steps)

    def script(h: Handler) -> None:
        step = left.pop(0) if len(left) > 1 else left[0]
        step(h)

    return script


def ok(h: Handler) -> None:
    h.say(200, {"kind": "Pod"})


def test_an_answer_is_its_document_and_connections_are_kept():
    with serving(ok) as s:
        c = client(s.url)
        assert [c.get(f"/api/v1/x{i}").doc for i in range(3)] == [{"kind": "Pod"}] * 3
        assert len({h.client_address for h in s.seen}) == 1
        assert c.requests == ["/api/v1/x0", "/api/v1/x1", "/api/v1/x2"]


def test_too_many_requests_waits_as_told_and_asks_again():
    with serving(answers(lambda h: h.say(429, Retry_After="0"), ok)) as s:
        c = client(s.url)
        assert c.get("/x").ok
        assert len(c.requests) == 2


def test_too_many_requests_for_ever_becomes_a_value():
    with serving(lambda h: h.say(429, {"message": "slow down"}, Retry_After="0")) as s:
        reply = client(s.url).get("/x")
        assert (reply.ok, reply.why, reply.detail) == (False, "unreachable", "slow down")
        assert len(s.seen) == 4


def test_a_server_with_too_many_requests_is_left_alone_by_all_threads():
    """Its own words for that are no document; one object that cannot be told yet (429 with a document)
    holds up nothing else.
    """
    at: list[float] = []

    def busy(h: Handler) -> None:
        at.append(time.monotonic())
        h.say(429, b"Too many requests, please try again later.", Retry_After="1")

    with serving(answers(busy, lambda h: (at.append(time.monotonic()), ok(h)))) as s:
        c = client(s.url)
        assert c.get("/first", retries=0).status == 429
        assert c.get("/another").ok
        assert at[1] - at[0] >= 0.9


def test_to_wait_for_ones_turn_is_no_part_of_the_time_for_an_answer():
    with serving(ok) as s:
        c = client(s.url, seconds=1.5)
        c.pace(0.5)
        assert [c.get(f"/x{i}").ok for i in range(2)] == [True, True]


@pytest.mark.parametrize("header", ["86400", "Wed, 21 Oct 2099 07:28:00 GMT", "-1", "1e9", "²"])
def test_a_retry_after_beyond_the_deadline_is_not_waited_for(header):
    with serving(lambda h: h.say(429, Retry_After=header.encode("utf-8").decode("latin-1"))) as s:
        assert client(s.url, seconds=1).get("/x").why == "unreachable"


def test_a_server_error_is_asked_again():
    with serving(
        answers(lambda h: h.say(503, Retry_After="0"), lambda h: h.say(500, Retry_After="0"), ok)
    ) as s:
        assert client(s.url).get("/x").ok


def test_a_dropped_connection_is_asked_again_on_a_new_one():
    with serving(answers(ok, lambda h: h.drop(), ok)) as s:
        c = client(s.url)
        assert c.get("/x").ok
        assert c.get("/y").ok


def test_a_server_that_always_drops_is_unreachable():
    with serving(lambda h: h.drop()) as s:
        reply = client(s.url).get("/x", retries=1)
        assert (reply.status, reply.why) == (0, "unreachable")


@pytest.mark.parametrize("seconds", [0.3])
def test_a_server_that_hangs_is_a_timeout(seconds):
    with serving(lambda h: h.server.hold.wait(20)) as s:
        reply = client(s.url, seconds).get("/x")
        assert (reply.status, reply.why) == (0, "timeout")


@pytest.mark.parametrize(
    "part",
    [
        b"HTTP/1.1 200 OK\r\nX: ",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n\r\n",
    ],
)
def test_a_server_that_drips_is_a_timeout(part):
    def drip(connection):
        try:
            connection.recv(65536)
            connection.sendall(part)
            for _ in range(200):
                connection.sendall(b"x")
                time.sleep(0.05)
        except OSError:
            pass

    with listening(drip) as port:
        reply = client(f"http://127.0.0.1:{port}", 0.5).get("/x", retries=0)
        assert (reply.status, reply.why) == (0, "timeout")


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"SSH-2.0-OpenSSH_9\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{}",
    ],
)
def test_what_is_no_http_is_unreachable(said):
    def talk(connection):
        connection.recv(65536)
        connection.sendall(said)
        connection.close()

    with listening(talk) as port:
        assert client(f"http://127.0.0.1:{port}", 2).get("/x", retries=0).why == "unreachable"


def test_a_closed_port_is_told_in_one_line():
    with listening(lambda c: c.close()) as port:
        pass
    c = client(f"http://127.0.0.1:{port}")
    error = c.error(c.get("/x"))
    assert f"http://127.0.0.1:{port}" in str(error)
    assert "Connection refused" in str(error)


def test_an_unknown_host_is_unreachable():
    assert client("http://no-such-host.invalid", 5).get("/x", retries=0).why in ("unreachable", "timeout")


@pytest.mark.parametrize(
    ("status", "why"), [(403, "denied"), (400, "not-offered"), (418, "not-offered"), (404, None), (410, None)]
)
def test_refusals_are_values_with_the_servers_words(status, why):
    with serving(lambda h: h.say(status, {"message": "because"})) as s:
        reply = client(s.url).get("/x")
        assert (reply.ok, reply.status, reply.why, reply.message) == (False, status, why, "because")
        assert len(s.seen) == 1


def test_a_missing_object_is_told_from_a_missing_type():
    missing = {"kind": "Status", "details": {"name": "app", "kind": "configmaps"}, "code": 404}
    with serving(answers(lambda h: h.say(404, missing), lambda h: h.say(404, b"404 page not found"))) as s:
        c = client(s.url)
        assert c.get("/x").object_missing
        assert not c.get("/y").object_missing


@pytest.mark.parametrize(
    "body", [b"", b"null", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": 1e999}', b'"\\ud800"']
)
def test_a_body_of_any_kind_is_a_mapping(body):
    with serving(lambda h: h.say(200, body)) as s:
        assert dict(client(s.url).get("/x").doc) in ({}, {"a": float("inf")})


def test_gzip_is_unpacked_and_a_broken_one_is_a_value():
    packed = gzip.compress(json.dumps({"kind": "Pod"}).encode())
    steps = answers(
        lambda h: h.say(200, packed, Content_Encoding="gzip"),
        lambda h: h.say(200, b"no gzip", Content_Encoding="gzip"),
    )
    with serving(steps) as s:
        c = client(s.url)
        assert c.get("/x").doc == {"kind": "Pod"}
        assert c.get("/x").why == "unreachable"


def test_names_from_strangers_stay_one_path_segment():
    from unstuck.collect.objects.kinds import builtin

    with serving(ok) as s:
        pod = builtin("Pod")
        assert pod is not None
        client(s.url).get(pod.path("a", "x?watch=true\r\nX: y"))
        assert s.seen[0].path == "/api/v1/namespaces/a/pods/x%3Fwatch%3Dtrue%0D%0AX:%20y"
        # Some proxies read an escaped slash as a slash.
        client(s.url).get(pod.path("a/../b", "x"))
        assert len(s.seen) == 1


def test_a_token_goes_out_and_one_with_a_line_break_is_refused_in_one_line():
    with serving(ok) as s:
        client(s.url, token="abc").get("/x")
        assert s.seen[0].headers["Authorization"] == "Bearer abc"
        with pytest.raises(AccessError, match="no HTTP header"):
            client(s.url, token="a\r\nX: y").get("/x")


def test_basic_credentials_and_impersonation_go_out():
    with serving(ok) as s:
        headers = (("Impersonate-User", "jo"), ("Impersonate-Group", "a"), ("Impersonate-Group", "b"))
        client(s.url, basic=("me", "pw"), headers=headers).get("/x")
        assert s.seen[0].headers["Authorization"] == "Basic bWU6cHc="
        assert s.seen[0].headers.get_all("Impersonate-Group") == ["a", "b"]


def test_a_token_file_is_read_anew_for_each_request(tmp_path):
    file = tmp_path / "token"
    file.write_text("one\n")
    with serving(ok) as s:
        c = client(s.url, token_file=str(file))
        c.get("/x")
        file.write_text("two\n")
        c.get("/x")
        assert [h.headers["Authorization"] for h in s.seen] == ["Bearer one", "Bearer two"]


def test_refused_credentials_are_one_line_that_says_whose():
    with serving(lambda h: h.say(401, {"message": "Unauthorized"})) as s:
        c = client(s.url, user="jo", token="x")
        assert "refused the credentials of user 'jo' of context 'test'" in str(c.error(c.get("/x")))
