"""`unstuck.yaml`: its permitted content, and its effect on an answer."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.api.settings import Settings, SettingsError, parse_settings
from unstuck.api.settings_file import find_settings_path, load_settings
from unstuck.errors import InputError

TODAY = date(2026, 11, 27)
GOOD = """\
# what we know
language: zh
after: 1h30m
leave-out: [kube-system, "ci-*"]
known:
- cause: config.configmap-missing
  object: pod/web-*
  namespace: shop
  reason: "OPS-12: comes with the next release"
  until: 2026-12-20
  matches: 3
"""


def parsed(text: str) -> Settings:
    return parse_settings(text, "u.yaml", TODAY)


def test_all_that_may_stand_in_it() -> None:
    told = parsed(GOOD)
    (one,) = told.troubles
    assert (told.language, told.after, told.hidden_namespaces, told.notes) == (
        "zh",
        5400,
        ("kube-system", "ci-*"),
        (),
    )
    assert (one.line, one.cause, one.object, one.namespace, one.matches) == (
        6,
        "config.configmap-missing",
        "pod/web-*",
        "shop",
        3,
    )
    assert (one.reason, one.until) == ("OPS-12: comes with the next release", date(2026, 12, 20))


def test_an_empty_file_says_nothing() -> None:
    assert parsed("# nothing\n") == Settings("u.yaml")


@pytest.mark.parametrize(
    ("text", "line", "word"),
    [
        ("language: zh\nserver: https://x\n", 2, "'server'"),
        ("token: abc\n", 1, "'token'"),
        ("after: 1m\nexec: {command: rm}\n", 2, "'exec'"),
        ("language: fr\n", 1, "en or zh"),
        ("after: soon\n", 1, "duration"),
        ("after: 99999999999d\n", 1, "duration"),
        ("after: 1m\nafter: 2m\n", 2, "twice"),
        ("leave-out: kube-system\n", 1, "list"),
        ("- a\n- b\n", 1, "mapping"),
        ("a: [\n", 2, "YAML"),
        ("after: 1m\n\tx: y\n", 2, "YAML"),
        (GOOD.replace("2026-12-20", "soon"), 10, "day"),
        (GOOD.replace("config.configmap-missing", "everything"), 6, "cause's id"),
        (GOOD.replace("pod/web-*", "web"), 7, "KIND/NAME"),
        (GOOD.replace("matches: 3", "command: rm -rf"), 11, "'command'"),
        (GOOD.replace('  reason: "OPS-12: comes with the next release"\n', ""), 6, "reason is missing"),
        (GOOD.replace("  until: 2026-12-20\n", ""), 6, "until is missing"),
        (GOOD.replace('"OPS-12: comes with the next release"', '""'), 9, "a word"),
        ("a: &x [*x]\n", 1, ""),
    ],
)
def test_what_is_off_is_told_with_its_line(text: str, line: int, word: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parsed(text)
    assert caught.value.line == line and word in caught.value.text.en and caught.value.text.zh


@pytest.mark.parametrize(
    ("until", "said"), [("2026-11-26", "is told again"), ("2027-02-26", "more than 90 days")]
)
def test_what_has_ended_or_has_no_near_end_does_not_hold_and_is_said(until: str, said: str) -> None:
    told = parsed(GOOD.replace("2026-12-20", until))
    assert told.troubles == () and said in told.notes[0].en and told.notes[0].en.startswith("u.yaml:6: ")
    assert told.hidden_namespaces and told.language == "zh"


@pytest.mark.parametrize("until", ["2026-11-27", "2027-02-25"])
def test_from_today_to_the_ninetieth_day_it_holds(until: str) -> None:
    assert parsed(GOOD.replace("2026-12-20", until)).troubles


@given(st.text(max_size=200))
def test_whatever_stands_there_it_is_settings_or_a_word_about_it(text: str) -> None:
    try:
        assert isinstance(parsed(text), Settings)
    except SettingsError as e:
        assert e.text.en and e.text.zh


def test_a_file_that_cannot_be_used_is_said_and_nothing_of_it_holds(tmp_path: Path) -> None:
    file = tmp_path / "u.yaml"
    for content, said in (
        (b"known: [", "line"),
        (b"\xff\xfe", "UTF-8"),
        (b"a" * (1 << 20) + b"b", "1 MiB"),
        (b"server: x\n", "server"),
    ):
        file.write_bytes(content)
        told = load_settings(file)
        assert (
            told.troubles == ()
            and told.after is None
            and said in told.notes[0].en.replace(f"{file}:1", "line") + "line"
        )
        assert "the answer comes without it" in told.notes[0].en
    assert "no such file" in load_settings(tmp_path / "gone").notes[0].en
    assert load_settings(tmp_path).notes


def test_a_home_that_nobody_has_is_no_error() -> None:
    named = find_settings_path(None, {"UNSTUCK_CONFIG": "~nobody-has-this-name/u.yaml"})
    assert named is not None and load_settings(named).notes


def test_a_directory_that_cannot_be_looked_into_has_no_settings() -> None:
    assert find_settings_path(None, {"HOME": "/" + "x" * 5000}) is None


def test_it_is_never_taken_from_the_working_directory_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("unstuck.yaml", ".unstuck.yaml"):
        (tmp_path / name).write_text("language: zh\n")
    monkeypatch.chdir(tmp_path)
    assert find_settings_path(None, {"HOME": str(tmp_path / "home")}) is None
    assert find_settings_path(None, {"XDG_CONFIG_HOME": "."}) is None
    assert find_settings_path("unstuck.yaml", {}) == Path("unstuck.yaml")
    with pytest.raises(InputError):
        find_settings_path("gone.yaml", {})


def test_which_file_is_taken(tmp_path: Path) -> None:
    own = tmp_path / ".config" / "unstuck" / "unstuck.yaml"
    own.parent.mkdir(parents=True)
    own.write_text("")
    assert find_settings_path(None, {"HOME": str(tmp_path)}) == own
    assert find_settings_path(None, {"HOME": "/nowhere", "XDG_CONFIG_HOME": str(tmp_path / ".config")}) == own
    assert find_settings_path(None, {"HOME": str(tmp_path), "UNSTUCK_CONFIG": "/x/y.yaml"}) == Path(
        "/x/y.yaml"
    )


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_example_of_the_page_reads(lang: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / lang / "settings.md").read_text("utf-8")
    told = parsed(page.partition("```yaml\n")[2].partition("```")[0])
    assert len(told.troubles) == 1 and told.hidden_namespaces == ("kube-system",) and told.notes == ()
