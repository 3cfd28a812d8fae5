"""A server may send answers of any length: memory stays bounded, and unseen parts are reported."""

from __future__ import annotations

import gc
import gzip
import itertools
import json
import threading
import time
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from tests.kube.cluster import OBJECTS, cluster, load_recorded
from tests.kube.server import Handler, serving
from tests.kube.small import Small, make_healthy_cluster, small
from tests.kube.test_client import client
from unstuck import api
from unstuck.collect.kube.questions.objects import kind_named
from unstuck.collect.kube.scan import metadata, tables
from unstuck.collect.kube.transport import room
from unstuck.collect.kube.transport.client import Client
from unstuck.collect.kube.transport.kubeconfig import Access
from unstuck.collect.kube.transport.room import MIB, Room, Share, TooLarge
from unstuck.collect.kube.transport.session import Session
from unstuck.errors import Unreachable
from unstuck.facts.aspects.objects import Names
from unstuck.facts.core import Ref, Refused, Want

POD = "/api/v1/namespaces/shop/pods/web-0"


def endless(head: bytes, part: bytes) -> Callable[[Handler], None]:
    """Send an endless answer in chunks, and count the sent bytes in `sent`."""

    def script(h: Handler) -> None:
        h.send_response(200)
        h.send_header("Transfer-Encoding", "chunked")
        h.end_headers()
        h.close_connection = True
        block = part * (MIB // len(part))
        with suppress(OSError):
            h.wfile.write(b"%x\r\n%s\r\n" % (len(head), head))
            while not h.server.hold.is_set():
                h.wfile.write(b"%x\r\n%s\r\n" % (len(block), block))
                script.sent += len(block)

    script.sent = 0
    return script


def peak(act: Callable[[], object]) -> int:
    """Measure Python's peak memory during the block, in bytes, beyond the memory before."""
    gc.collect()
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


# --- one answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "part"), [(b"[", b"{},"), (b'{"items":[', b"[[]],"), (b'{"a":"', b"x"), (b" ", b" ")]
)
def test_an_answer_that_never_ends_is_left_after_32_mib(head, part):
    script = endless(head, part)
    with serving(script) as s:
        reply = client(s.url, 60).get(POD)
        assert (reply.why, reply.status, reply.body) == ("too-large", 0, b"")
        assert reply.detail == f"GET {POD}: more than 32 MiB"
        assert len(s.seen) == 1  # the answer is not requested again
    # Sockets buffer some bytes on either side.
    assert script.sent < 80 * MIB


def test_what_says_that_it_is_too_large_is_not_read_at_all():
    def script(h: Handler) -> None:
        h.send_response(200)
        h.send_header("Content-Length", str(1 << 50))
        h.end_headers()
        h.close_connection = True
        h.server.hold.wait(20)

    with serving(script) as s:
        began = time.monotonic()
        assert client(s.url, 10).get("/x").why == "too-large"
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "part", [b"{},", b"[],", b'{"":0},', b'["ab"],', b"[[[[[[]]]]]],", b'{"a":{"b":{"c":{}}}},']
)
def test_a_document_that_would_become_many_times_as_large_is_not_decoded(part):
    body = b'{"items":[' + part * (24 * MIB // len(part)) + b"0]}"
    with serving(lambda h: h.say(200, body)) as s:
        c = client(s.url, 30)
        held = peak(lambda: c.get(POD))
        reply = c.get(POD)
        assert reply.detail == f"GET {POD}: more than 256 MiB once it is decoded"
    # The answer itself, its parts while they are put together, and the server's side of this process.
    assert held < 150 * MIB


@pytest.mark.parametrize("status", [401, 403, 404, 500])
def test_a_refusal_stays_one_however_long_it_is(status):
    body = b'{"message":"because","details":[' + b"{}," * (4 * MIB) + b"0]}"
    with serving(lambda h: h.say(status, body)) as s:
        reply = client(s.url, 30).get("/x", retries=0)
    assert reply.status == status and not reply.ok and len(reply.body) <= MIB


def test_a_gzip_bomb_is_left_before_it_is_unpacked():
    packer = zlib.compressobj(6, wbits=31)
    bomb = b"".join(packer.compress(b" " * MIB) for _ in range(256)) + packer.flush()
    assert len(bomb) < MIB
    with serving(lambda h: h.say(200, bomb, Content_Encoding="gzip")) as s:
        c = client(s.url, 30)
        assert peak(lambda: c.get("/x")) < 110 * MIB
        assert c.get("/x").detail.endswith("/x: more than 32 MiB")


def test_one_long_string_is_read_and_cut():
    obj = {**next(o for o in OBJECTS if o["kind"] == "Pod")}
    obj = {**obj, "metadata": {**obj["metadata"], "annotations": {"a": "x" * (20 * MIB)}}}
    where = f"/api/v1/namespaces/{obj['metadata']['namespace']}/pods/{obj['metadata']['name']}"
    with cluster({where: obj}) as c:
        _, facts = c.collector.start(Ref("Pod", obj["metadata"]["namespace"], obj["metadata"]["name"]))
        assert facts and sum(len(repr(f)) for f in facts) < MIB


# --- the cost of decoding
# ------------------------------------------------------------------------------------


def shapes() -> Iterator[tuple[str, bytes]]:
    """Yield documents with the maximum memory for their length."""
    many = 60_000
    units = [
        b"{},",
        b"[],",
        b"[[[[[[[[]]]]]]]],",
        b'{"a":{"a":{"a":{"a":{}}}}},',
        b'{"":0},',
        b"0.1,",
        b"[0.1],",
        b"1000,",
        b'"ab",',
    ]
    units += [
        b'["ab"],',
        b'{"a":0,"b":0,"c":0,"d":0,"e":0,"f":0},',
        '"😀",'.encode(),
        '"aaaaaaaaaaaaaaaaaaaa😀",'.encode(),
        b'"\\ud83d\\ude00",',
    ]
    for unit in units:
        yield unit.decode(), b"[" + unit * many + b"0]"
    yield "keys of their own", json.dumps({f"{i:x}": 0 for i in range(many)}, separators=(",", ":")).encode()
    yield (
        "keys and strings of their own",
        json.dumps({f"{i:x}": f"{i:x}" for i in range(many)}, separators=(",", ":")).encode(),
    )
    yield (
        "objects with a key of their own",
        json.dumps([{f"{i:x}": f"{i:x}"} for i in range(many)], separators=(",", ":")).encode(),
    )
    yield "one long string with an emoji", json.dumps(["a" * 3_000_000 + "😀"], ensure_ascii=False).encode()


@pytest.mark.parametrize(("name", "body"), [*shapes()], ids=lambda v: v if isinstance(v, str) else "")
def test_no_document_takes_more_than_three_times_what_was_counted_for_it(name, body):
    assert peak(lambda: json.loads(body)) <= 3 * room._estimate_decoded(body)


def test_objects_of_kubernetes_are_not_counted_for_much_more_than_they_take():
    page = json.dumps({"items": OBJECTS * 30}, separators=(",", ":")).encode()
    assert (
        peak(lambda: json.loads(page))
        <= room._estimate_decoded(page) + len(page)
        <= 2.5 * peak(lambda: json.loads(page))
    )


ROWS = [
    '{"cells":["ab","cd"]}',
    '{"cells":["ab",' + ",".join(["0.1"] * 30) + "]}",
    '{"cells":["ab",1000,"' + "a" * 60 + '😀"],"object":{"metadata":{"name":"ab"}}}',
    '{"cells":["ab","cd"],"x":[' + ",".join(["[{}]"] * 30) + "]}",
]


@pytest.mark.parametrize("row", ROWS)
def test_no_table_takes_more_than_three_times_what_was_counted_for_it(row):
    body = ('{"kind":"Table","rows":[' + ",".join([row] * 50_000) + "]}").encode()
    assert peak(lambda: tables._tables.decode(body)) <= 3 * (room._estimate_declared(body) + len(body))


@pytest.mark.parametrize("row", ["{}", '{"cells":[]}', '{"cells":[0]}', '{"cells":null}'])
def test_a_table_of_rows_without_cells_ends_at_the_first(row):
    body = ('{"kind":"Table","rows":[' + ",".join([row] * 200_000) + "]}").encode()

    def decode() -> None:
        with pytest.raises(msgspec.ValidationError):
            tables._tables.decode(body)

    assert peak(decode) < MIB


def test_a_list_of_metadata_of_two_bytes_each_ends(monkeypatch):
    monkeypatch.setattr(metadata, "MOST", 1000)
    items = b"\x12\x00" * 5000
    body = b"k8s\x00\x12" + bytes([len(items) & 0x7F | 0x80, len(items) >> 7]) + items
    with pytest.raises(TooLarge, match="more than 1000 objects"):
        metadata.parse(body)
    with serving(lambda h: h.say(200, body)) as s:
        found = tables.metas(Session(client(s.url), "shop"), kind_named("Pod"), None, {})
    assert (
        not found.whole
        and found.read.reply.why == "too-large"
        and "more than 1000 objects" in found.read.reply.detail
    )


# --- several at once ----------------------------------------------------------------------------------------


def test_several_answers_share_the_room_and_give_it_back(monkeypatch):
    body = json.dumps({"a": "x" * (3 * MIB)}).encode()
    with serving(lambda h: h.say(200, body)) as s:
        c = client(s.url, 30)
        c._room = Room(40 * MIB)
        held = [c.get(f"/x{i}") for i in range(5)]
        assert [r.why for r in held] == [None, None, None, "too-large", "too-large"]
        assert held[-1].detail == "GET /x4: more than 40 MiB with what else is held"
        del held[0]
        assert c.get("/y").ok
        held.clear()
        gc.collect()
        assert c._room._taken == 0


def test_threads_together_hold_no_more_than_there_is_room_for():
    big = b"x" * (8 * MIB)
    with serving(lambda h: h.say(200, big)) as s:
        c = client(s.url, 60)
        c._room = Room(30 * MIB)
        most, over = 0, threading.Event()

        def watch() -> None:
            nonlocal most
            while not over.is_set():
                most = max(most, c._room._taken)
                time.sleep(0.001)

        watching = threading.Thread(target=watch)
        watching.start()
        kept: list[object] = []
        asking = [threading.Thread(target=lambda i=i: kept.append(c.get(f"/x{i}"))) for i in range(8)]
        for t in asking:
            t.start()
        for t in asking:
            t.join()
        over.set()
        watching.join()
        assert len(kept) == 8 and most <= 30 * MIB
        assert {r.why for r in kept} >= {"too-large"}


def test_a_share_that_is_given_back_while_another_is_taken_holds_nothing_up():
    room_ = Room(100)
    one = Share(room_)
    one.take(60)
    two = Share(room_)
    with pytest.raises(TooLarge):
        two.take(50)
    with room_._lock:  # as when a collection of garbage ends a Share within `take`
        del one
    two.take(90)
    del two
    assert room_._taken == 0


# --- lists --------------------------------------------------------------------------------------------------


def config_maps(count: int, size: int) -> Callable[[dict[str, str]], tuple[int, object]]:
    """Answer with this many, page by page on request; from the cache all of them at once, like the server."""
    items = [
        {"metadata": {"name": f"c{i:04}", "uid": f"u{i}", "annotations": {"a": "x" * size}}}
        for i in range(count)
    ]

    def page(query: dict[str, str]) -> tuple[int, object]:
        start = int(query.get("continue") or 0)
        end = count if query.get("resourceVersion") == "0" else start + int(query["limit"])
        more = {"continue": str(end)} if end < count else {}
        return 200, {"kind": "List", "metadata": more, "items": items[start:end]}

    return page


@pytest.mark.parametrize("params", [{}, {"resourceVersion": "0"}], ids=["pages", "from the cache"])
def test_a_page_that_is_too_large_is_asked_for_again_with_fewer_objects(params, monkeypatch):
    monkeypatch.setattr(room, "LARGEST", MIB)
    with cluster({"/api/v1/namespaces/shop/configmaps": config_maps(300, 20_000)}) as c:
        found = Session(c.client, "shop").listing(kind_named("ConfigMap"), "shop", params)
        limits = [h.path.partition("limit=")[2].partition("&")[0] for h in c.server.seen]
    assert found.whole and sorted(i["metadata"]["name"] for i in found.items) == [
        f"c{i:04}" for i in range(300)
    ]
    assert limits == ["500", "62", *["7"] * 43]


def test_a_list_of_which_even_one_object_is_too_large_is_said_not_to_have_been_read(monkeypatch):
    monkeypatch.setattr(room, "LARGEST", MIB)
    with cluster({"/api/v1/namespaces/shop/configmaps": config_maps(3, 2 * MIB)}) as c:
        (fact,) = c.collector.collect([Want(Names, Ref("ConfigMapList", "shop"))])
        assert len(c.server.seen) == 4
    assert isinstance(fact, Refused) and fact.why == "too-large"
    assert fact.detail == "GET /api/v1/namespaces/shop/configmaps: more than 1 MiB"


def test_a_list_of_large_pages_that_never_ends_is_read_to_a_limit(monkeypatch):
    monkeypatch.setattr(room, "LARGEST", MIB)
    counter = itertools.count()

    def page(query: dict[str, str]) -> tuple[int, object]:
        limit = int(query["limit"])
        item = {"metadata": {"name": f"x{next(counter)}", "uid": "u", "annotations": {"a": "x" * 100_000}}}
        return 200, {"metadata": {"continue": item["metadata"]["name"]}, "items": [item] * limit}

    with cluster({"/api/v1/namespaces/shop/configmaps": page}) as c:
        c.client._room = Room(64 * MIB)
        found = Session(c.client, "shop").listing(kind_named("ConfigMap"), "shop")
        assert not found.whole and len(c.server.seen) < 200
        assert found.read.reply.why == "too-large" and c.client._room._taken <= 64 * MIB


@pytest.mark.parametrize(
    "body", [b"", b"null", b"<html>log in</html>", b"[]", b'{"kind":"List"}', b'{"kind":"Status"']
)
def test_what_is_no_list_is_not_taken_for_a_list_without_objects(body):
    with cluster({"/api/v1/namespaces/shop/configmaps": (200, body)}) as c:
        (fact,) = c.collector.collect([Want(Names, Ref("ConfigMapList", "shop"))])
    assert isinstance(fact, Refused) and fact.detail == "the server's answer is no list"


# --- the report to the user
# -----------------------------------------------------------------------------------


def test_an_object_that_is_too_large_is_one_line_that_names_it():
    with serving(endless(b"[", b"{},")) as s:
        from unstuck.collect.kube.collector import KubeCollector

        collector = KubeCollector(Client(Access("test", s.url, "shop"), 60, env={}))
        with pytest.raises(Unreachable) as e:
            collector.start(Ref("ConfigMap", "shop", "big"))
    text = (
        "was not read, the answer is too large: GET /api/v1/namespaces/shop/configmaps/big: more than 32 MiB"
    )
    assert text in str(e.value) and "try again" not in str(e.value) and "\n" not in str(e.value)
    assert "应答过大" in e.value.said.zh


def test_a_scan_says_what_it_did_not_see_for_that(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(room, "LARGEST_LIST", MIB)
    monkeypatch.setattr(room, "LARGEST", MIB)

    def flood(handler: Handler, path: str) -> bool:
        if path.endswith(("/default/pods", "/deployments")):
            handler.say(200, b" " * (2 * MIB))
            return True
        return False

    with small(Small(make_healthy_cluster(), flood), tmp_path) as (_, kubeconfig):
        report = api.connect(kubeconfig=str(kubeconfig)).scan()
    pods = "/api/v1/namespaces/default/pods"
    assert f"PodList default — the answer is too large: GET {pods}: more than 1 MiB" in report.to_text(
        "en", 120
    )
    assert f"应答过大：GET {pods}：超过 1 MiB" in report.to_text("zh", 120)
    document = report.to_document()
    assert [(n["about"]["kind"], n["why_open"]) for n in document["not_seen"]] == [
        ("DeploymentList", "too-large"),
        ("PodList", "too-large"),
    ]


def test_what_was_recorded_of_real_servers_fits():
    for name in ("objects.json", "apis.json", "groups.json", "api.json"):
        Share(Room()).take_decoded(gzip.decompress(gzip.compress(json.dumps(load_recorded(name)).encode())))
