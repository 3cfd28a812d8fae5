"""`unstuck scan --watch` on a terminal and on pipes."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.command import UNSTUCK, Terminal, make_environment
from tests.kube.server import Handler
from tests.kube.small import Small, make_healthy_cluster, make_namespace, make_pod_with_map, small
from tests.patience import stretch
from unstuck.render.cells import count_cells

OTHER, USUAL = b"\x1b[?1049h", b"\x1b[?1049l"
# These sequences would remove lines from the terminal's history.
CLEARING = (b"\x1b[3J", b"\x1bc")


def two() -> list[dict[str, object]]:
    return [
        *make_healthy_cluster(),
        make_namespace("kube-system"),
        make_pod_with_map("web-1", "default"),
        make_pod_with_map("web-2", "default", "other-conf"),
    ]


@contextmanager
def watched(path: Path, cluster: Small, *args: str, size: tuple[int, int] = (100, 24)) -> Iterator[Terminal]:
    env = {"XDG_STATE_HOME": str(path / "state")}
    with (
        small(cluster, path) as (_, kubeconfig),
        Terminal("scan", "-w", "--every", "1s", *args, kubeconfig=kubeconfig, env=env, size=size) as terminal,
    ):
        yield terminal


def until(terminal: Terminal, *parts: str, without: str = "") -> None:
    """Read until the screen contains these texts."""
    end = time.monotonic() + stretch(30)
    while not (
        all(p in "\n".join(terminal.screen) for p in parts)
        and (not without or without not in "\n".join(terminal.screen))
    ):
        assert time.monotonic() < end, f"no {parts} in {terminal.screen}"
        terminal.read_more()


@pytest.mark.slow
def test_what_is_new_and_what_went_is_marked_and_the_history_is_untouched(tmp_path: Path) -> None:
    cluster = Small(two())
    with watched(tmp_path, cluster) as terminal:
        before = terminal.modes
        until(terminal, "2 incidents", "default/pod/web-1", "default/pod/web-2")
        assert terminal.out.startswith(OTHER) or OTHER in terminal.out.partition(b"web-1")[0]
        cluster.objects[:] = [*two()[:-1], make_pod_with_map("web-3", "default", "third-conf")]
        until(terminal, "+1", "-1", "- default/pod/web-2  gone", "default/pod/web-3")
        (new,) = [row for row in terminal.screen if "default/pod/web-3" in row]
        (old,) = [row for row in terminal.screen if "default/pod/web-1" in row]
        assert new.startswith("+ ") and not old.startswith("+")
        assert "every 1 s" in terminal.screen[0] and "Z (" in terminal.screen[0]
        terminal.type(b"q")
        assert terminal.finish(10) == 1
        assert terminal.out.rstrip().endswith(USUAL) and terminal.modes == before
    assert not [c for c in CLEARING if c in terminal.out] and b"Traceback" not in terminal.out


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_whatever_ends_it_the_terminal_is_as_it_was(number: signal.Signals, tmp_path: Path) -> None:
    with watched(tmp_path, Small(two())) as terminal:
        before = terminal.modes
        until(terminal, "2 incidents")
        assert terminal.modes != before
        # Neither Ctrl-Z nor Ctrl-\\.
        terminal.type(b"\x1a\x1c")
        terminal.child.send_signal(number)
        assert terminal.finish(10) == (130 if number == signal.SIGINT else -number)
        assert terminal.out.rpartition(USUAL)[1] and OTHER not in terminal.out.rpartition(USUAL)[2]
        assert b"\x1b[?25h" in terminal.out and terminal.modes == before


@pytest.mark.slow
def test_keys_filter_open_and_show_members(tmp_path: Path) -> None:
    with watched(tmp_path, Small(two())) as terminal:
        until(terminal, "default/pod/web-1", "default/pod/web-2")
        terminal.type(b"/other")
        until(terminal, "default/pod/web-2", "/other", without="default/pod/web-1")
        terminal.type(b"\x1b")
        until(terminal, "default/pod/web-1")
        terminal.type(b"m")
        until(terminal, "Pod default/web-1", "Pod default/web-2")
        terminal.type(b"m")
        until(terminal, "default/pod/web-1", without="Pod default/web-1")
        terminal.type(b"2\r")
        until(terminal, "Pod default/web-2", "other-conf does not exist", "q back")
        terminal.type(b"q")
        until(terminal, "default/pod/web-1", "default/pod/web-2", "q quit")
        terminal.type(b"q")
        assert terminal.finish(10) == 1


@pytest.mark.slow
def test_another_size_is_drawn_at_once_and_nothing_is_wider_or_higher(tmp_path: Path) -> None:
    with watched(tmp_path, Small(two())) as terminal:
        until(terminal, "default/pod/web-2")
        for columns, lines in ((60, 8), (24, 5), (140, 40)):
            terminal.resize(columns, lines)
            until(terminal, "here", "web-1" if lines > 5 else "here")
            end = time.monotonic() + stretch(10)
            while not (max(map(count_cells, terminal.screen)) <= columns and len(terminal.screen) <= lines):
                assert time.monotonic() < end
                terminal.read_more()
        terminal.type(b"q")
        assert terminal.finish(10) == 1


@pytest.mark.slow
def test_a_round_that_fails_is_said_and_the_watch_goes_on(tmp_path: Path) -> None:
    down = False

    def before(handler: Handler, _: str) -> bool:
        if down:
            handler.say(403, {"kind": "Status", "message": "forbidden for a moment"})
        return down

    with watched(tmp_path, Small(two(), before)) as terminal:
        until(terminal, "2 incidents")
        down = True
        until(terminal, "no scan at ", "default/pod/web-1")
        down = False
        until(terminal, "2 incidents", without="no scan at ")
        terminal.type(b"q")
        assert terminal.finish(10) == 1


@pytest.mark.slow
def test_what_cannot_be_asked_at_all_ends_it_with_one_line_on_the_usual_screen(tmp_path: Path) -> None:
    def no(handler: Handler, _: str) -> bool:
        handler.say(403, {"kind": "Status", "message": "forbidden"})
        return True

    with watched(tmp_path, Small(two(), no)) as terminal:
        before = terminal.modes
        assert terminal.finish(20) == 3
        assert b"error: " in terminal.out.rpartition(USUAL)[2] and terminal.modes == before


@pytest.mark.slow
def test_on_pipes_rounds_follow_each_other_and_a_failed_one_is_said(tmp_path: Path) -> None:
    rounds = 0

    def third(handler: Handler, path: str) -> bool:
        nonlocal rounds
        rounds += path.endswith("/default/pods")
        if rounds == 2:
            handler.say(403, {"kind": "Status", "message": "forbidden for a moment"})
        return rounds == 2

    with small(Small(two(), third), tmp_path) as (_, kubeconfig):
        argv = [UNSTUCK, "scan", "-w", "--every", "1s", "--qps", "1000"]
        env = make_environment(kubeconfig, {"XDG_STATE_HOME": str(tmp_path / "state")})
        with subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env
        ) as child:
            assert child.stdout is not None and child.stderr is not None
            heads = 0
            while heads < 3:
                row = child.stdout.readline()
                assert row, child.stderr.read()
                heads += b"here: " in row
            # A leaving reader ends it.
            child.stdout.close()
            assert child.wait(stretch(30)) in (1, 2)
            said = child.stderr.read()
    assert b"\x1b" not in said and b"Traceback" not in said
