"""What a lab changes of the whole machine is put back by the last one."""

from pathlib import Path

import pytest

from unstuck_lab.sysctls import CHANGED, INOTIFY, INOTIFY_NEEDED, prepare, restore


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    for name in CHANGED:
        file = tmp_path / "sys" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("128\n")
    return tmp_path / "sys"


def test_the_last_lab_puts_back_what_was_before_the_first(tmp_path: Path, settings: Path) -> None:
    record = tmp_path / "record.json"
    prepare(settings, record)
    (settings / "kernel/panic").write_text("10\n")  # as a kubelet does
    prepare(settings, record)  # a second lab
    restore(settings, record, others=True)
    assert (settings / "kernel/panic").read_text().strip() == "10"
    assert int((settings / INOTIFY).read_text()) == INOTIFY_NEEDED
    restore(settings, record, others=False)
    assert {(settings / name).read_text().strip() for name in CHANGED} == {"128"}
    assert not record.exists()


def test_a_higher_limit_is_left_alone(tmp_path: Path, settings: Path) -> None:
    (settings / INOTIFY).write_text("8192\n")
    prepare(settings, tmp_path / "record.json")
    assert (settings / INOTIFY).read_text() == "8192\n"


def test_nothing_recorded_is_nothing_put_back(tmp_path: Path, settings: Path) -> None:
    restore(settings, tmp_path / "record.json", others=False)
    assert (settings / INOTIFY).read_text() == "128\n"
