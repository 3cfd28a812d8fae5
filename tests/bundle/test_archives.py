"""The same facts from every form of an archive, and no harm from a hostile one."""

from __future__ import annotations

import gzip
import os
import resource
import subprocess
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.bundle.make import FILES, PACK, make_special, make_tar, make_zip
from tests.e2e.command import UNSTUCK
from tests.examples import scale_examples
from tests.text.support import NOW, YAML
from unstuck.collect.bundle import BundleLimits, BundleResult, read_bundle
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.core import Fact

SMALL = BundleLimits(unpacked=1 << 20, member=1 << 16, members=50, ratio_from=1 << 16, nested=1 << 18)


def reading(data: bytes, limits: BundleLimits | None = None) -> BundleResult:
    return read_bundle("b", NOW, limits, data=data)


def told(result: BundleResult) -> set[str]:
    return {type(f).__name__ + str(f.about) for f in result.facts}


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    return tmp_path


FORMS = [pytest.param(lambda p=p: PACK[p](make_tar(FILES)), id=f"tar{p}") for p in PACK] + [
    pytest.param(lambda: make_zip(FILES), id="zip"),
    pytest.param(lambda: make_tar(FILES, tarfile.USTAR_FORMAT), id="ustar"),
    pytest.param(lambda: make_tar(FILES, tarfile.GNU_FORMAT), id="gnu"),
    pytest.param(lambda: make_tar({"in.tar.gz": gzip.compress(make_tar(FILES))}), id="nested"),
    pytest.param(lambda: make_tar({"in.zip": make_zip(FILES)}), id="zip in tar"),
    pytest.param(lambda: make_zip({"in.tgz": gzip.compress(make_tar(FILES))}), id="tar in zip"),
    pytest.param(
        lambda: gzip.compress(make_tar(FILES)[:1000]) + gzip.compress(make_tar(FILES)[1000:]) + b"\0" * 100,
        id="gzip in parts",
    ),
]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_tells_what_the_directory_tells(
    form: Callable[[], bytes], plain: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    expected = read_bundle(str(plain), NOW)
    got = reading(form())
    assert told(got) == told(expected) and len(expected.facts) > 10
    assert got.notes == [] and got.not_understood == []
    file = tmp_path_factory.mktemp("any") / "name"
    file.write_bytes(form())
    assert told(read_bundle(str(file), NOW)) == told(expected)


def test_long_names_and_their_lines_are_quoted() -> None:
    name = "a/" * 120 + "pods.yaml"
    for form in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        got = reading(make_tar({name: YAML.encode()}, form))
        assert {f.src.where for f in got.facts} == {f"{name}:1"}


@pytest.mark.parametrize("name", ["../../etc/cron.d/x", "/etc/cron.d/x", "a/../../x", "\x1b[2Jx", "a\nb"])
def test_a_name_leads_nowhere(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for data in (make_tar({name: YAML.encode()}), make_zip({name: YAML.encode()})):
        got = reading(data)
        assert [f for f in got.facts if isinstance(f, Phase)]
        assert not any(ord(c) < 32 for f in got.facts for c in f.src.where)
    assert list(tmp_path.iterdir()) == []


def test_links_and_devices_are_passed_over() -> None:
    got = reading(make_tar(FILES, more=make_special))
    assert told(got) == told(reading(make_tar(FILES)))
    assert "passwd" not in repr(got.facts) and got.notes == []


def test_a_member_without_a_name_is_passed_over() -> None:
    # A zip's name ends at its first NUL.
    for data in (make_zip({"Q.x": b"x", **FILES}).replace(b"Q.x", b"\0.x"), make_tar({"": b"x", **FILES})):
        assert told(reading(data)) == told(reading(make_tar(FILES)))


def test_in_a_directory_links_are_not_followed_and_pipes_not_opened(plain: Path) -> None:
    before = told(read_bundle(str(plain), NOW))
    (plain / "out").symlink_to("/etc/passwd")
    (plain / "loop").symlink_to(".")
    os.mkfifo(plain / "pipe")
    (plain / "secret.txt").write_text("x")
    (plain / "secret.txt").chmod(0)
    assert told(read_bundle(str(plain), NOW)) == before


@pytest.mark.parametrize(
    ("data", "words"),
    [
        pytest.param(lambda: gzip.compress(make_tar({"x": b"\0" * (1 << 20)})), "times its size", id="ratio"),
        pytest.param(lambda: make_zip({"x": b" " * (1 << 20)}), "times its size", id="zip's ratio"),
        pytest.param(
            lambda: make_tar({"x": os.urandom(2 << 20)}), "more than 1 MiB when unpacked", id="size"
        ),
        pytest.param(lambda: make_tar({"x.txt": b"a b\n" * 30_000}), "only its first 0 MiB", id="member"),
        pytest.param(
            lambda: make_tar({f"{n}": b"" for n in range(60)}), "more than 50 members", id="members"
        ),
        pytest.param(
            lambda: make_zip({f"{n}": b"" for n in range(60)}), "more than 50 members", id="zip's members"
        ),
        pytest.param(
            lambda: make_tar(
                {
                    "a.tar": make_tar(
                        {"b.tar": make_tar({"c.tar": make_tar({"d.tar": make_tar({"e": b"x"})})})}
                    )
                }
            ),
            "deeper than 3",
            id="depth",
        ),
        pytest.param(
            lambda: gzip.compress(gzip.compress(gzip.compress(gzip.compress(b"x")))),
            "deeper than 3",
            id="layers",
        ),
        pytest.param(lambda: gzip.compress(make_tar(FILES))[:-300], "damaged or cut off", id="cut gzip"),
        pytest.param(lambda: make_tar(FILES)[:1200], "damaged or cut off", id="cut tar"),
        pytest.param(lambda: make_zip(FILES)[:-30], "damaged", id="cut zip"),
        pytest.param(
            lambda: make_tar({"big.zip": make_zip({"x": os.urandom(1 << 19)})}),
            "within another was not read",
            id="nested",
        ),
    ],
)
def test_each_limit_is_told_when_it_bites(data: Callable[[], bytes], words: str) -> None:
    got = reading(data(), SMALL)
    assert any(words in s.en for s in got.notes), got.notes
    assert all(s.zh and s.zh != s.en for s in got.notes)


def test_what_was_read_before_a_limit_counts() -> None:
    cut = gzip.compress(make_tar({"a.yaml": YAML.encode(), "b": os.urandom(1 << 19)}))[:-1000]
    got = reading(cut)
    assert [f for f in got.facts if isinstance(f, Phase)] and len(got.notes) == 1


HOSTILE: list[tuple[str, bytes]] = [
    (
        "aliases.yaml",
        b"kind: Pod\nmetadata: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]\n",
    ),
    ("tag.yaml", b"kind: Pod\nmetadata: !!python/object/apply:os.system ['touch pwned']\n"),
    ("deep.json", b'{"kind": "Pod", "metadata": ' + b'{"a":' * 50_000 + b"1" + b"}" * 50_001),
    ("open.json", b'{"kind": "Pod",\n' * 3_000),
    ("nul.log", b"E1121 00:07:16.100000    4242 a.go:1] x\0y\n" * 100),
    ("escape.log", b"E1121 00:07:16.100000    4242 a.go:1] \x1b]0;x\x07\x1b[2J\n" * 100),
    ("broken.txt", bytes(range(1, 256)) * 400),
    ("line.log", b"E1121 00:07:16.100000    4242 a.go:1] " + b"x" * 10_000_000),
]


@pytest.mark.parametrize(("name", "data"), HOSTILE, ids=[n for n, _ in HOSTILE])
def test_hostile_contents_harm_nobody(
    name: str, data: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    got = reading(make_tar({name: data, "good.yaml": YAML.encode()}))
    assert [f.phase for f in got.facts if isinstance(f, Phase)] == ["Running"]
    assert list(tmp_path.iterdir()) == []
    assert not any(ord(c) < 32 and c not in "\n\t" for f in got.facts for c in f.src.quote)


def _bombs(folder: Path) -> list[Path]:
    """Return archives that unpack to gigabytes, a tar with a false size, a million members, and an extended
    header of a gigabyte.
    """
    zeros = gzip.compress(b"\0" * (32 << 20))
    held = tarfile.TarInfo("x.txt")
    held.size = 100 * (32 << 20)
    (folder / "bomb.tar.gz").write_bytes(gzip.compress(held.tobuf()) + zeros * 100)
    (folder / "bomb.gz.gz").write_bytes(gzip.compress(zeros * 400))
    claims = tarfile.TarInfo("x")
    claims.size = 1 << 40
    (folder / "claims.tar").write_bytes(claims.tobuf() + b"x" * 1024)
    claims.type, claims.size = tarfile.XHDTYPE, 1 << 30
    (folder / "header.tgz").write_bytes(gzip.compress(claims.tobuf()) + gzip.compress(b"1" * (32 << 20)) * 40)
    empty = tarfile.TarInfo("x").tobuf()
    (folder / "many.tgz").write_bytes(gzip.compress(empty * 20_000) * 50)
    return sorted(folder.iterdir())


@pytest.mark.slow
def test_bombs_end_within_a_gigabyte_of_address_space(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "at").mkdir()
    for bomb in _bombs(tmp_path / "in"):
        done = subprocess.run(
            [UNSTUCK, "read", str(bomb), "--lang", "en"],
            capture_output=True,
            cwd=tmp_path / "at",
            timeout=300,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)),
            check=False,
        )
        said = done.stderr.decode()
        assert done.returncode == 3, (bomb.name, said)
        # Binary data is left after its first bytes; all others report the limit reached.
        assert "Traceback" not in said and "nothing in" in said, (bomb.name, said)
        assert len(said.splitlines()) == (1 if bomb.name == "bomb.gz.gz" else 2), (bomb.name, said)
    assert list((tmp_path / "at").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("piped", [False, True], ids=["file", "pipe"])
def test_a_paste_needs_no_room_but_its_own(piped: bool, tmp_path: Path) -> None:
    (tmp_path / "x.yaml").write_text(YAML)
    with (tmp_path / "x.yaml").open() as file:
        done = subprocess.run(
            [UNSTUCK, "read", "-" if piped else file.name, "--show-facts"],
            stdin=file,
            capture_output=True,
            timeout=300,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)),
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, b"") and b"Phase" in done.stdout


GOOD = [PACK[p](make_tar(FILES)) for p in PACK] + [
    make_zip(FILES),
    make_tar({"a.zip": make_zip(FILES), "b.tgz": gzip.compress(make_tar(FILES))}, more=make_special),
]


@settings(max_examples=scale_examples(150), deadline=None)
@given(
    st.sampled_from(GOOD),
    st.lists(st.tuples(st.integers(0, 1 << 20), st.binary(min_size=1, max_size=40)), max_size=6),
    st.integers(0, 1 << 20),
)
def test_mangled_archives_raise_nothing(data: bytes, changes: list[tuple[int, bytes]], cut: int) -> None:
    mangled = bytearray(data)
    for at, new in changes:
        where = at % len(data)
        mangled[where : where + len(new)] = new
    facts: list[Fact] = reading(bytes(mangled[: cut % len(data) or None]), replace(SMALL, facts=1000)).facts
    assert len(facts) < 2000
