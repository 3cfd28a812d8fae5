"""Facts are dated by the time of writing, not by the time of reading."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tarfile
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bundle.make import make_tar
from unstuck.api.investigation import now
from unstuck.api.reading import read_paths
from unstuck.collect.bundle import read_bundle
from unstuck.collect.bundle.member_times import contradicts, moment
from unstuck.facts.aspects.objects import Events, Presence
from unstuck.facts.core import Fact, Ref, Source

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MADE = NOW - timedelta(days=2)
# An age is the only evidence of the time.
TABLE = b"LAST SEEN   TYPE      REASON             OBJECT   MESSAGE\n5m          Warning   FailedScheduling   pod/p    0/1 nodes are available\n"
OBJECT = b'{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p", "namespace": "f", "creationTimestamp": "%s"}}'
CREATED = NOW - timedelta(days=2, hours=1)
FILES = {"a/events.txt": TABLE, "a/pod.json": OBJECT % CREATED.strftime("%Y-%m-%dT%H:%M:%SZ").encode()}


def tarred(files: dict[str, bytes], written: float, form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), written
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


def zipped(files: dict[str, bytes], extra: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name, (2026, 11, 19, 12, 0, 0))
            info.extra = extra
            archive.writestr(info, data)
    return out.getvalue()


def seen(facts: Iterable[Fact]) -> set[datetime | None]:
    return {event.last for fact in facts if isinstance(fact, Events) for event in fact.items}


def stamp(at: datetime) -> bytes:
    return struct.pack("<2sHBi", b"UT", 5, 1, int(at.timestamp()))


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
def test_an_archive_tells_of_when_its_members_were_written(form: int) -> None:
    plain = tarred(FILES, MADE.timestamp(), form)
    for data in (plain, gzip.compress(plain), make_tar({"within.tar.gz": gzip.compress(plain)})):
        got = read_bundle("b", NOW, data=data)
        assert got.at == MADE
        assert seen(got.facts) == {MADE - timedelta(minutes=5)}


def test_a_zip_tells_it_with_a_zone_or_not_at_all() -> None:
    assert (
        read_bundle("b", NOW, data=zipped(FILES, struct.pack("<2sHI", b"XY", 4, 0) + stamp(MADE))).at == MADE
    )
    # A DOS timestamp is local time of an unknown zone.
    assert read_bundle("b", NOW, data=zipped(FILES, b"")).at == NOW
    assert read_bundle("b", NOW, data=zipped(FILES, struct.pack("<2sHB", b"UT", 1, 0))).at == NOW


def test_a_directory_and_a_packed_file_tell_it(tmp_path: Path) -> None:
    for name, data in {**FILES, "a/events.txt.gz": gzip.compress(TABLE)}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
        os.utime(tmp_path / name, (0, MADE.timestamp()))
    # Nothing is read from it, so its time does not matter.
    (tmp_path / "a/README").write_text("how to read this bundle\n")
    assert read_bundle(str(tmp_path), NOW).at == MADE
    assert read_bundle(str(tmp_path / "a/events.txt.gz"), NOW).at == MADE


def test_the_last_part_tells_when_all_was_written() -> None:
    got = read_bundle(
        "b",
        NOW,
        data=make_tar(
            {"x.tar": tarred(FILES, MADE.timestamp() - 90), "y.tar": tarred(FILES, MADE.timestamp())}
        ),
    )
    assert got.at == MADE


@pytest.mark.parametrize(
    "written",
    [0, 1, 315532800, (NOW + timedelta(days=1)).timestamp(), (CREATED - timedelta(hours=1)).timestamp()],
)
def test_a_time_that_cannot_be_meant_tells_nothing(written: float) -> None:
    """None, a tool's first year, a later one than now, or one before what stands in it: then no part's time is believed."""
    got = read_bundle("b", NOW, data=tarred(FILES, written))
    assert got.at == NOW
    assert seen(got.facts) == {NOW - timedelta(minutes=5)}


@given(st.none() | st.floats(), st.datetimes(timezones=st.just(UTC), min_value=datetime(2015, 1, 1)))  # noqa: DTZ001 - hypothesis wants it bare
def test_a_moment_is_never_later_than_now(written: float | None, read: datetime) -> None:
    assert moment(written, read) <= read


def test_clocks_may_differ_a_little() -> None:
    fact = Presence(
        about=Ref("Pod", "f", "p"), src=Source("x"), exists=True, created=MADE + timedelta(minutes=4)
    )
    assert not contradicts([fact], MADE)
    assert contradicts([fact], MADE - timedelta(minutes=2))


def test_files_are_read_as_of_when_they_were_written(tmp_path: Path) -> None:
    made = now().replace(microsecond=0) - timedelta(days=2)
    (tmp_path / "pods.txt").write_bytes(TABLE)
    (tmp_path / "pod.json").write_bytes(OBJECT % made.strftime("%Y-%m-%dT%H:%M:%SZ").encode())
    for file in tmp_path.iterdir():
        os.utime(file, (0, made.timestamp()))
    one, seen = read_paths((str(tmp_path / "pods.txt"),))
    assert one.now == made
    assert [t.en for t in seen.notes] == [f"read as of {made:%Y-%m-%d %H:%M} UTC, when it was written"]
    # The other file's time contradicts its content, so both count as current.
    os.utime(tmp_path / "pod.json", (0, made.timestamp() - 3600))
    both, seen = read_paths((str(tmp_path / "pods.txt"), str(tmp_path / "pod.json")))
    assert now() - both.now < timedelta(minutes=1)
    assert seen.notes == []


def test_what_a_pipe_brings_is_of_now() -> None:
    """As `unstuck read <(kubectl get pods)` does."""
    reading, writing = os.pipe()
    os.write(writing, TABLE)
    os.close(writing)
    try:
        snap, _ = read_paths((f"/dev/fd/{reading}",))
    finally:
        os.close(reading)
    assert now() - snap.now < timedelta(minutes=1)
