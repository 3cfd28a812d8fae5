"""A saved Snapshot gives the same bytes again, in either language and every format."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.closed import CLOSED
from tests.contract.support import Loaded, load_all
from tests.render.support import POD, make_deleted_pod, make_denied, make_node_facts, make_snapshot
from tests.render.test_visible import harmful
from unstuck.api.ranking import SCAN, WORST
from unstuck.api.replaying import replay, replay_saved
from unstuck.api.report import report_of
from unstuck.api.saved_files import LARGEST, parse_saved, read_saved, write_saved
from unstuck.cli.answers import OutputOptions, answer, format_report
from unstuck.errors import InputError
from unstuck.facts.codec import Saved
from unstuck.facts.core import Ref

SHAPES = [OutputOptions(o, lang) for o in ("text", "json", "yaml") for lang in ("en", "zh")] + [
    OutputOptions("text", "en", explain=True)
]
CASES = load_all()


# The shapes of parts already checked against the schema; checking the same again takes most of a case's time.
SEEN: set[tuple[str, object]] = set()


def parts(value: object, at: str = "") -> Iterator[tuple[str, object]]:
    """Yield each place of a document with its keys or its value: a one-word text itself, any other value by
    its type.
    """
    if isinstance(value, dict):
        yield at, tuple(sorted(value))
        for key, inner in value.items():
            yield from parts(inner, f"{at}/{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from parts(inner, f"{at}/")
    else:
        word = isinstance(value, str) and value.replace("-", "").isalpha() and not at.endswith("/name")
        yield at, value if word else type(value)


def direct(saved: Saved, shape: OutputOptions) -> str:
    return format_report(replay_saved(saved), shape)


@pytest.mark.slow
@pytest.mark.parametrize("loaded", CASES, ids=[c.name for c in CASES])
def test_every_case_replays_to_the_same_bytes(loaded: Loaded, tmp_path: Path) -> None:
    saved = Saved(loaded.snapshot, loaded.subject)
    write_saved(str(tmp_path / "s.json"), saved)
    first, again = (
        report_of(saved, (loaded.diagnosis,), "why"),
        replay_saved(read_saved(str(tmp_path / "s.json"))),
    )
    for shape in (OutputOptions("text", "en"), OutputOptions("text", "zh"), OutputOptions("json", "en")):
        out = format_report(first, shape)
        assert format_report(again, shape) == out
        assert not harmful(out)
    document = json.loads(out)
    kinds = set(parts(document))
    if kinds - SEEN:
        CLOSED.validate(document)
        SEEN.update(kinds)


@pytest.mark.parametrize("asked", [POD, None, Ref(SCAN), Ref(SCAN, "default"), Ref(WORST, "default")])
def test_whatever_was_asked(asked: Ref | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved = Saved(make_snapshot(*make_deleted_pod(), *make_node_facts(), make_denied()), asked, after=5.0)
    plain, packed = (str(tmp_path / name) for name in ("s.json", "s.json.gz"))
    for name in (plain, packed):
        write_saved(name, saved)
    assert gzip.decompress(Path(packed).read_bytes()) == Path(plain).read_bytes()
    # A compressed file contains the plain one, so reading it is checked only in the first format.
    for shape, name in [*((shape, plain) for shape in SHAPES), (SHAPES[0], packed)]:
        assert answer(replay(name), shape) == 1
        assert capsys.readouterr().out == direct(saved, shape)


def test_the_same_snapshot_is_the_same_file(tmp_path: Path) -> None:
    facts = [*make_deleted_pod(), *make_node_facts()]
    write_saved(str(tmp_path / "a.gz"), Saved(make_snapshot(*facts), POD))
    write_saved(str(tmp_path / "b.gz"), Saved(make_snapshot(*reversed(facts), *facts), POD))
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_a_file_that_unpacks_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unstuck.api.saved_files.LARGEST", 1 << 20)
    with pytest.raises(InputError, match="unpacks to more"):
        parse_saved(gzip.compress(b" " * (1 << 22)), "bomb.gz")
    assert LARGEST > 1 << 20


@pytest.mark.parametrize(
    "data", [b"", b"\x1f\x8b", b"{", b"[]", b"[" * 100_000, b"\xff\xfe", b'{"format": 1}', b'{"format": "1"}']
)
def test_what_is_no_snapshot_is_one_line(data: bytes) -> None:
    with pytest.raises(InputError) as e:
        parse_saved(data, "x")
    assert "\n" not in str(e.value)


def test_a_later_versions_facts_are_passed_over(tmp_path: Path) -> None:
    write_saved(str(tmp_path / "s"), Saved(make_snapshot(*make_deleted_pod()), POD))
    doc = json.loads((tmp_path / "s").read_text())
    doc["facts"].append({"type": "FactOfTomorrow", "about": {"kind": "Pod"}, "src": {"where": "x"}})
    again = parse_saved(json.dumps(doc).encode(), "s")
    assert direct(again, SHAPES[2]) == direct(Saved(make_snapshot(*make_deleted_pod()), POD), SHAPES[2])
