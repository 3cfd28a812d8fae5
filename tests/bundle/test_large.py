"""A large log gives the same facts as reading each of its lines, with the file's own line numbers."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from random import Random

import pytest

from tests.bundle.make import make_tar
from tests.text.biglog import log
from tests.text.support import NOW, pick
from unstuck.collect.bundle import BundleLimits, read_bundle
from unstuck.collect.text import read_text
from unstuck.collect.text.large_logs import thinning
from unstuck.collect.text.logs import words
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.wording.match import PATTERNS

JOURNAL = "Nov 21 00:05:00 node-1 kubelet[4242]: "


@pytest.mark.parametrize("prefix", ["", JOURNAL])
def test_a_large_log_tells_the_same(prefix: str, tmp_path: Path) -> None:
    text = log(thinning.FROM + 100_000, prefix=prefix)
    expected = set(read_text(text, "kubelet.log", NOW).facts)
    (tmp_path / "kubelet.log").write_text(text)
    got = read_bundle(str(tmp_path / "kubelet.log"), NOW)
    assert set(got.facts) == expected
    assert bool(pick(got.facts, LogSeen)) is bool(prefix) and pick(got.facts, Failure)
    assert set(read_bundle("b", NOW, data=make_tar({"kubelet.log": text.encode()})).facts) == expected


def test_its_lines_are_those_of_the_file(tmp_path: Path) -> None:
    text = log(thinning.FROM + 100_000)
    (tmp_path / "kubelet.log").write_text(text)
    lines = text.split("\n")
    for fact in pick(read_bundle(str(tmp_path / "kubelet.log"), NOW).facts, Failure):
        assert fact.src.quote[:40] in lines[int(fact.src.where.rpartition(":")[2]) - 1]


def test_what_tells_more_than_is_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "kubelet.log").write_text(log(thinning.FROM + 100_000, told=1.0))
    got = read_bundle(str(tmp_path / "kubelet.log"), NOW, BundleLimits(member=1 << 20))
    assert [s.en for s in got.notes] == ["kubelet.log: only its first 1 MiB were read"] and got.facts


class _Pieces:
    """A stream with small reads: blocks end anywhere."""

    def __init__(self, data: bytes, size: int) -> None:
        self._file, self._size = BytesIO(data), size

    def read(self, size: int, /) -> bytes:
        return self._file.read(min(size, self._size))


# The prefix of a record: nothing, a journal's stamp, host and program (one or several), a container's stamp.
_BEFORE: dict[str, tuple[str, ...]] = {
    "plain": ("",),
    "journal": ("{at:%b %d %H:%M:%S} node-1 kubelet[4242]: ",),
    "journals": (
        "{at:%b %d %H:%M:%S} node-1 kubelet[4242]: ",
        "{at:%b %d %H:%M:%S} node-1 kubelet[77]: ",
        "{at.month}月 {at:%d %H:%M:%S} node-2 kubelet[4242]: ",
        "{at:%Y-%m-%dT%H:%M:%S}+0000 node-1 containerd[7]: ",
        "{at:%b %d %H:%M:%S} node-1 kernel: ",
        "{at:%b %d %H:%M:%S} node-1 NetworkManager[812]: ",
    ),
    "stamped": ("{at:%Y-%m-%dT%H:%M:%S}.123456789Z ", "{at:%Y-%m-%dT%H:%M:%S}.123456789+08:00 stderr F "),
}
_CALM = [
    "SyncLoop ADD",
    "nothing to see",
    "Pod worker has observed request to terminate",
    "Running preStop hook",
    "SyncLoop (PLEG): event for pod",
]
_BETWEEN = (
    "",
    "# a word of whoever pasted it",
    "$ kubectl get pods -n f",
    "NAME  READY\nweb-0  0/1",
    "é",
    "-- Reboot --",
    "root@node-9:~# cat x",
)


def _record(random: Random, at: datetime, message: str, form: str) -> str:
    one = message.partition("\n")[0]
    match form:
        case "json":
            more = random.choice(
                (
                    '"v":{v}',
                    '"v":{v},"pod":{{"name":"w","namespace":"s"}}',
                    '"err":"{m}"',
                    '"v":{v},"x":"\\u0061il"',
                )
            )
            words = json.dumps(one)[1:-1]
            body = f'"caller":"x/y.go:3","msg":"{words}",' + more.format(
                v=random.choice((0, 2, 2, 4)), m=words
            )
            torn = random.random() < 0.03
            return f'{{"ts":{at.replace(tzinfo=UTC).timestamp() * 1000:.3f},{body}' + ("" if torn else "}")
        case "logfmt":
            words = one.replace('"', '\\"')
            level = random.choice(("error", "warning", "info", "info", "info"))
            return f'time="{at:%Y-%m-%dT%H:%M:%S}.{random.randint(1, 999):03}Z" level={level} msg="{words}"'
        case "klog":
            stamp = f"{random.choice('IIIIIIWEEEF')}{at:%m%d %H:%M:%S}.{random.randint(0, 999_999):06}"
            return f"{stamp}    4242 {random.choice(('x.go:1', 'job_controller.go:2', 'y.go:3'))}] {message}"
        case _:
            return one


def _said(seed: int, before: str, mixed: float, records: int = 700) -> str:
    """Return text for every pattern, repeatedly, at several severities, over days, with clock jumps,
    interspersed with other text.
    """
    random = Random(seed)  # noqa: S311 - not for secrets
    messages = [e.text for p in PATTERNS for e in p.examples if len(e.text) < 2000]
    messages += [f"{m}\nOutput: a\n\tb" for m in messages[::7]] + [
        "Diff:\n  - a\n  + Failed b",
        "f\0ailed to x",
        "fa\u200biled",
        "a\r b",
    ]
    messages += [
        'removing tracking finalizer: pods "w" is forbidden: x',
        "nfs: server a not responding",
        "Out of memory: Kill process 1 (a) score",
    ]
    forms = random.choice((["klog"], ["json"], ["klog", "logfmt"], ["klog", "json", "logfmt", "bare"]))
    out, at = [], datetime(2026, 11, 17, 23, 50)  # noqa: DTZ001 - a log's stamps tell no zone
    for _ in range(records):
        at += timedelta(seconds=random.choice((1, 7, 600)) if random.random() > 0.02 else -5000)
        message = random.choice(
            _CALM if random.random() < 0.6 else messages[: random.choice((3, 30, len(messages)))]
        )
        retry = ' No retries permitted until 2026-11-21 00:00:00.1 +0000 UTC m=+1.2 (durationBeforeRetry 2m2s). Error: "x"'
        message += retry.replace("1.2", str(random.random())) if random.random() > 0.9 else ""
        head = random.choice(_BEFORE[before]).format(at=at)
        form = "bare" if head.endswith(("kernel: ", "r[812]: ")) else random.choice(forms)
        if form != "bare" or "node" in head:
            out.append(head + _record(random, at, message, form))
        if random.random() < mixed:
            out.append(random.choice(_BETWEEN))
    return "\n".join(out) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("library", [True, False], ids=["library", "bare"])
@pytest.mark.parametrize("mixed", [0.0, 0.01], ids=["log", "mixed"])
@pytest.mark.parametrize("before", list(_BEFORE))
def test_whatever_it_says_and_wherever_blocks_end(
    before: str, mixed: float, library: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not library:
        monkeypatch.setitem(sys.modules, "ahocorasick_rs", None)
    words.make_finders.cache_clear()
    assert (words.make_finders() is not None) is library
    try:
        for seed in range(2):
            same(_said(seed, before, mixed), seed)
    finally:
        words.make_finders.cache_clear()


def test_a_journal_of_several_programs_and_machines() -> None:
    same(_said(1, "journals", 0.01, 250), 1)


def same(text: str, seed: int) -> None:
    """Check that the thinned text gives the same facts as the whole."""
    expected = set(read_text(text, "kubelet.log", NOW).facts)
    data = text.encode()
    kept, origin, cut = thinning.thin(data[:900], _Pieces(data[900:], 1 << (11 + 2 * seed % 8)), 1 << 24)
    assert not cut and set(read_text(kept, "kubelet.log", NOW, origin=origin).facts) == expected
    # If only a prompt names the machine, records with a container's stamp cannot be attributed to machines.
    assert len(kept) < len(text) or "node-9" in text


def test_what_is_said_again_and_again_is_held_once() -> None:
    line = 'E1121 00:{:02}:{:02}.000000    4242 x.go:1] Failed to delete cgroup paths for pod "9e964fdf-0000-4000-8000-000000000001"\n'
    text = "".join(line.format(*divmod(n, 60)) for n in range(3000))
    kept, origin, _ = thinning.thin(text.encode(), BytesIO(), 1 << 24)
    assert (
        kept.strip().count("\n") < 5
        and sum(origin.times.values()) + len(origin.numbers) - len(origin.times) >= 3000
    )
    assert [f.count for f in pick(read_text(kept, "k", NOW, origin=origin).facts, Failure)] == [3000]
