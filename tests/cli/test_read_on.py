"""`read` on a terminal continues: each further paste is answered together with all earlier ones."""

from __future__ import annotations

import sys

import pytest

from tests.e2e.command import Terminal

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs a pty as Linux has it")
EOT = b"\x04"
ROW = (
    b"NAME    READY   STATUS                       RESTARTS   AGE\nweb-0   0/1     "
    b"CreateContainerConfigError   0          2d\n"
)
EVENT = (
    b"LAST SEEN   TYPE      REASON   OBJECT      MESSAGE\n"
    b'2m          Warning   Failed   pod/web-0   Error: configmap "app-conf" not found\n'
)
ASKED, AGAIN = b"Paste what", b"Paste the next"


def test_the_second_paste_is_answered_with_the_first_and_q_ends() -> None:
    with Terminal("read", kubeconfig=None) as terminal:
        terminal.read_until(ASKED)
        terminal.type(ROW + EOT)
        terminal.read_until(AGAIN)
        assert b"web-0" in terminal.out and b"app-conf" not in terminal.out
        terminal.out = b""
        terminal.type(EVENT + EOT)
        terminal.read_until(AGAIN)
        # The event names the ConfigMap, the table that the Pod waits: one answer about one Pod.
        answer = terminal.out.replace(EVENT.replace(b"\n", b"\r\n"), b"")
        assert b"app-conf" in answer and b"web-0" in answer
        # Pasted text is in no file for a command to name.
        assert b"stdin-2 -" not in answer
        terminal.type(b"q\n")
        assert terminal.finish() in (1, 2)


def test_the_end_of_input_twice_ends() -> None:
    with Terminal("read", "-", kubeconfig=None) as terminal:
        terminal.read_until(ASKED)
        terminal.type(ROW + EOT)
        terminal.read_until(AGAIN)
        terminal.type(EOT)
        assert terminal.finish() in (1, 2)


def test_what_is_no_evidence_is_said_and_does_not_end_it() -> None:
    with Terminal("read", kubeconfig=None) as terminal:
        terminal.read_until(ASKED)
        terminal.type(b"Error: UPGRADE FAILED: timed out waiting for the condition\n" + EOT)
        terminal.read_until(AGAIN)
        assert b"it is an error of Helm" in terminal.out
        terminal.type(ROW + EOT)
        terminal.read_until(b"web-0 ")
        terminal.type(EOT)
        assert terminal.finish() in (1, 2)


def test_a_further_paste_that_is_no_evidence_does_not_repeat_the_answer() -> None:
    with Terminal("read", kubeconfig=None) as terminal:
        terminal.read_until(ASKED)
        terminal.type(ROW + EOT)
        terminal.read_until(AGAIN)
        terminal.out = b""
        terminal.type(b"Error: UPGRADE FAILED: timed out waiting for the condition\n" + EOT)
        terminal.read_until(AGAIN)
        assert b"it is an error of Helm" in terminal.out and b"the answer above stands" in terminal.out
        assert b"web-0" not in terminal.out and b"stdin-2" not in terminal.out
        terminal.out = b""
        terminal.type(EVENT + EOT)
        terminal.read_until(AGAIN)
        # Unreadable text is not kept.
        assert b"app-conf" in terminal.out and b"nothing in" not in terminal.out
        terminal.type(b"q\n")
        assert terminal.finish() in (1, 2)


def test_once_is_the_way_of_before() -> None:
    with Terminal("read", "--once", "-", kubeconfig=None) as terminal:
        # A block-wise reader sees the end only at its second signal.
        terminal.type(ROW + EOT + EOT)
        assert terminal.finish() in (1, 2)
        assert ASKED not in terminal.out and AGAIN not in terminal.out


def test_nothing_at_all_is_said() -> None:
    with Terminal("read", kubeconfig=None) as terminal:
        terminal.read_until(ASKED)
        terminal.type(EOT)
        assert terminal.finish() == 3
        assert b"nothing in - could be read" in terminal.out
