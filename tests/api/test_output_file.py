"""Output files: whole or not at all, readable only by their owner, and never written through another user's
files or links.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.render.support import POD, make_deleted_pod, make_snapshot
from unstuck.api.saved_files import write_saved
from unstuck.collect.bundle.write import BundleFile
from unstuck.collect.output_file import OutFile
from unstuck.errors import InputError
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref

SAVED = Saved(make_snapshot(*make_deleted_pod()), POD)


def _save(path: Path) -> None:
    write_saved(str(path), SAVED)


def _bundle(path: Path) -> None:
    with BundleFile(str(path), replace=True) as out:
        out.write(SAVED, "1", {})


def _plain(path: Path) -> None:
    with OutFile(str(path), replace=True) as file:
        file.write(b"x" * 100_000)


WRITERS = pytest.mark.parametrize("write", [_save, _bundle, _plain])
ROOT = os.geteuid() == 0


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


@WRITERS
@pytest.mark.parametrize("there", [None, 0o644])
def test_a_file_is_its_owners_alone_also_where_it_replaces_one_that_was_not(write, there, tmp_path):
    path = tmp_path / "f"
    if there:
        path.write_text("old")
        path.chmod(there)
    with umask(0):
        write(path)
    assert mode(path) == 0o600 and path.stat().st_size > 3
    assert list(tmp_path.iterdir()) == [path]


@WRITERS
@pytest.mark.parametrize("kind", ["link", "dangling link", "fifo", "directory"])
def test_what_is_no_regular_file_is_left_as_it_is(write, kind, tmp_path):
    victim, path = tmp_path / "victim", tmp_path / "f"
    victim.write_text("theirs")
    match kind:
        case "link":
            path.symlink_to(victim)
        case "dangling link":
            path.symlink_to(tmp_path / "nowhere")
        case "fifo":
            os.mkfifo(path)
        case "directory":
            path.mkdir()
    before = path.lstat().st_ino
    with pytest.raises(InputError, match="and was left as it is; give the name of a regular file"):
        write(path)
    assert path.lstat().st_ino == before and victim.read_text() == "theirs"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["f", "victim"]


@pytest.mark.parametrize("name", ["f.part", ".f.part"])
def test_a_link_that_waits_under_the_old_temporary_name_is_not_followed(name, tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("theirs")
    (tmp_path / name).symlink_to(victim)
    _save(tmp_path / "f")
    assert victim.read_text() == "theirs" and (tmp_path / "f").is_file() and not (tmp_path / "f").is_symlink()


def test_the_temporary_file_is_made_afresh_under_a_name_that_cannot_be_foreseen(tmp_path, monkeypatch):
    with OutFile(str(tmp_path / "f")) as file:
        (one,) = [p for p in tmp_path.iterdir() if p.name.endswith(".part")]
        assert mode(one) == 0o600
        file.write(b"1")
    with OutFile(str(tmp_path / "g")):
        (other,) = [p for p in tmp_path.iterdir() if p.name.endswith(".part")]
        assert other.name != one.name
    # Even a predicted name does not redirect the writing into another user's file.
    monkeypatch.setattr("os.urandom", lambda n: b"\0" * n)
    planted, victim = tmp_path / f".unstuck-{'00' * 8}.part", tmp_path / "victim"
    victim.write_text("theirs")
    planted.symlink_to(victim)
    with pytest.raises(InputError, match="cannot write"):
        _save(tmp_path / "h")
    assert victim.read_text() == "theirs" and not (tmp_path / "h").exists()


def test_a_name_that_is_taken_meanwhile_is_left_to_who_took_it(tmp_path):
    with pytest.raises(FileExistsError), OutFile(str(tmp_path / "f")) as file:
        file.write(b"mine")
        (tmp_path / "f").write_text("theirs")
    assert (tmp_path / "f").read_text() == "theirs" and len(list(tmp_path.iterdir())) == 1


def test_a_link_that_is_put_there_meanwhile_is_not_replaced(tmp_path):
    with (
        pytest.raises(InputError, match="is a symbolic link"),
        OutFile(str(tmp_path / "f"), replace=True) as file,
    ):
        file.write(b"mine")
        (tmp_path / "f").symlink_to(tmp_path / "victim")
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


@pytest.mark.parametrize("write", [_save, _bundle])
def test_a_directory_that_may_not_be_written_is_told(write, tmp_path):
    """Where the tests run as root a directory's mode holds nobody back; one that is not there, and /proc,
    do.
    """
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    places = [tmp_path / "gone" / "f", Path("/proc/unstuck-out"), *([] if ROOT else [closed / "f"])]
    for path in places:
        with pytest.raises((InputError, OSError)) as e:
            write(path)
        if write is _save:
            assert f"cannot write {path}: " in str(
                e.value
            ) and "name a file in a directory that you may write" in str(e.value)
    assert list(closed.iterdir()) == []


@WRITERS
@pytest.mark.parametrize("fails", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_what_was_there_and_nothing_half_written(write, fails, tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.write_text("old")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    match fails:
        case "write":
            opened = os.fdopen

            def small(number: int, *args: object, **more: object):
                # Every write to /dev/full fails as on a full disk.
                os.dup2(os.open("/dev/full", os.O_WRONLY), number)
                return opened(number, *args, **more)

            monkeypatch.setattr("os.fdopen", small)
        case "fsync":
            monkeypatch.setattr("os.fsync", full)
        case "replace":
            monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises((InputError, OSError), match="No space left on device"):
        write(path)
    monkeypatch.undo()
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def on_a_full_disk(where: Path, name: str) -> None:
    """Write in a separate process; print the error and the leftovers."""
    free = os.statvfs(where)
    (where / "filler").write_bytes(b"x" * (free.f_bavail * free.f_frsize - 4096))
    global SAVED  # noqa: PLW0603 - one that does not fit
    SAVED = Saved(
        make_snapshot(
            *(f for _ in range(300) for f in make_deleted_pod(Ref("Pod", "shop", os.urandom(40).hex())))
        ),
        POD,
    )
    try:
        {"_save": _save, "_bundle": _bundle, "_plain": _plain}[name](where / "f")
    except (InputError, OSError) as e:
        print(e)  # noqa: T201
    print(sorted(p.name for p in where.iterdir()))  # noqa: T201


@pytest.mark.skipif(
    not ROOT, reason="mounting a small file system needs root; a full disk is also played above"
)
@WRITERS
def test_a_small_disk_that_is_really_full(write, tmp_path):
    """In a mount namespace of its own, so that nothing stays mounted whatever happens."""
    path = str(tmp_path)
    call = (
        "from pathlib import Path; from tests.api.test_output_file import *; "
        f"on_a_full_disk(Path({path!r}), {write.__name__!r})"
    )
    command = f'mount -t tmpfs -o size=64k none "{tmp_path}" && exec "$0" -c "$1"'
    argv = ["unshare", "-m", "sh", "-c", command, sys.executable, call]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=120)
    assert "No space left on device" in done.stdout, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "['filler']"
