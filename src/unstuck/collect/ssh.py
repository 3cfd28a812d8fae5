"""Access to a node through the operator's own ssh: runs the shell collector there, and reads its output as a
recorded tree.

Source: ssh(1), ssh_config(5). The operator's configuration holds (hosts, keys, jumps); nothing is asked on
the terminal.
"""

from __future__ import annotations

import os
import re
import selectors
import shlex
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from unstuck.collect.node.answers import answer, survey
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import NoStreamError, parse, script_text
from unstuck.collect.script.recorded import RecordedRoot, limit_to_seen
from unstuck.facts.aspects.node_files import FileLines, SeccompRules
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.core import Fact, Ref, Refused, Source, Want, WhyOpen
from unstuck.facts.single_wants import list_single

_LARGEST = 32 << 20
# Seconds that the script may take; a node with nothing wrong takes one.
_MOST = 7
_LARGEST_WORDS = 64 << 10
_OVER = b"\n#end\n"
# Facts about a file whose content the script should return, with the script's name for it.
_OTHER_NAMES: Mapping[type[Fact], str] = {FileLines: "Log", SeccompRules: "Profile"}
# The script's sections without which no answer is whole.
_ASKED = frozenset(("asked", "mounts", "processes"))
# As root, or by sudo without a password. One command for every login shell: it is read by sh.
_REMOTE = """sh -c 'if [ "$(id -u)" = 0 ]; then exec sh -s -- "$@"; else exec sudo -n sh -s -- "$@"; fi' sh"""
_OPTIONS = (
    "BatchMode=yes",
    "ConnectionAttempts=1",
    "ServerAliveInterval=2",
    "ServerAliveCountMax=2",
    "RemoteCommand=none",
    "RequestTTY=no",
    "ClearAllForwardings=yes",
    "ForwardAgent=no",
    "ForwardX11=no",
    # A connection that is open already is used; none is left open.
    "ControlMaster=no",
)
_UID = re.compile(r"^[0-9A-Fa-f-]{32,36}$")
_HOST = re.compile(r"^[^\s-][^\s]*$")
# Messages of ssh and sudo, and their meanings; the first match counts.
_WORDS: tuple[tuple[str, WhyOpen, str], ...] = (
    (r"REMOTE HOST IDENTIFICATION HAS CHANGED", "denied", "host-key-changed"),
    (r"Host key verification failed", "denied", "host-key"),
    (r"[Pp]ermission denied|Too many authentication failures|no mutual signature", "denied", "denied"),
    (r"^sudo: |sudo: (?:command )?not found|sudo: No such file", "denied", "not-root"),
    (r"Could not resolve hostname|Name or service not known", "unreachable", "no-host"),
    (r"timed out|Timeout, server", "timeout", "silent"),
)


def _clock() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class _Heard:
    """The output. late: the time was over, or the answer was too long, before it had ended."""

    out: bytes
    words: str
    late: bool


@dataclass(frozen=True, slots=True)
class SshWay:
    """host: as for ssh (`node-7`, `root@10.0.0.7`, a name in ~/.ssh/config). now: the clock."""

    host: str
    now: Callable[[], datetime] = _clock
    name: str = "ssh"

    def look(self, node: str, pod: Ref | None, deadline: float, since: datetime | None = None) -> list[Fact]:
        """Return all facts of the node about itself and about this Pod.

        node: the Node's name, which must be the host's. pod: with its uid. deadline: seconds for all.
        since: when a deletion was requested, because the logs around it matter too.
        Never raises; a failure is one `Unreached` with the words of ssh.
        """
        if not _HOST.match(self.host):
            return [self._failed(node, "not-offered", "bad-host")]
        uid = pod.uid if pod is not None and pod.uid and _UID.match(pod.uid) else None
        began = time.monotonic()
        try:
            begin = int(since.timestamp()) if since else ""
            heard = self._run(
                f"{_REMOTE} '{uid or ''}' '' {max(1, min(_MOST, int(deadline) - 3))} {begin}", deadline
            )
        except FileNotFoundError:
            return [self._failed(node, "not-offered", "no-program")]
        except OSError as e:
            return [self._failed(node, "unreachable", "failed", e.strerror or "")]
        try:
            return self._read(heard, node, uid, deadline, since)
        except NoStreamError:
            return [self._no_answer(heard, node, round(time.monotonic() - began, 1))]
        except Exception as e:  # foreign bytes: if they break a reader, the answer goes on without them
            return [self._failed(node, "not-offered", "unreadable", type(e).__name__)]

    def answer(self, node: str, wants: Sequence[Want], deadline: float) -> list[Fact]:
        """Return the facts about single things that a look leaves out: paths, processes, words of its
        configuration. Never raises; [] where the host does not answer.
        """
        asked = "\n".join(list_asked(wants))
        if not asked or not _HOST.match(self.host):
            return []
        try:
            seconds = max(1, min(_MOST, int(deadline) - 2))
            heard = self._run(f"{_REMOTE} '' '' {seconds} ''", deadline, f"asked={shlex.quote(asked)}\n")
            recording = parse(heard.out)
            root = RecordedRoot(self.host, recording)
            view = NodeView(root, self.now())
            if recording.refused or view.name != node:
                return []
            whole = recording.ended and recording.done >= _ASKED
            facts = answer(view, wants)
            return [f if whole or isinstance(f, Refused) else replace(f, whole=False) for f in facts]
        except (OSError, NoStreamError):
            return []
        except Exception:  # foreign bytes, as in `look`
            return []

    def _read(
        self, heard: _Heard, node: str, uid: str | None, deadline: float, since: datetime | None
    ) -> list[Fact]:
        recording = parse(heard.out)
        if recording.refused:
            return [self._failed(node, "not-offered", "not-able", recording.refused)]
        root = RecordedRoot(self.host, recording)
        view = NodeView(root, self.now(), since=since)
        if view.name != node:
            return [self._failed(node, "not-offered", "other-node", view.name)]
        facts = list(limit_to_seen(root, survey(view, uid)))
        if not recording.ended:
            late = (
                f"{self.host} was not done after {deadline:g} s"
                if heard.late
                else f"the connection to {self.host} ended too early"
            )
            why: WhyOpen = "timeout" if heard.late else "unreachable"
            facts.append(
                Refused(about=view.ref, src=Source(f"node:{node}"), want="survey", why=why, detail=late)
            )
        return facts

    def _no_answer(self, heard: _Heard, node: str, seconds: float) -> Unreached:
        last = next((line.strip() for line in reversed(heard.words.splitlines()) if line.strip()), "")[:300]
        for pattern, why, reason in _WORDS:
            if re.search(pattern, heard.words, re.MULTILINE):
                return self._failed(node, why, reason, last, seconds)
        if heard.late:
            return self._failed(node, "timeout", "silent", last, seconds)
        return self._failed(node, "unreachable", "failed", last)

    def _failed(
        self, node: str, why: WhyOpen, reason: str, detail: str = "", seconds: float = 0.0
    ) -> Unreached:
        src, about = Source(f"ssh {self.host}", detail), Ref("Node", None, node)
        return Unreached(
            about=about,
            src=src,
            way=self.name,
            why=why,
            reason=reason,
            name=self.host,
            detail=detail,
            seconds=seconds,
        )

    def _run(self, command: str, deadline: float, before: str = "") -> _Heard:
        """Run ssh with the script on its standard input. before: lines of the shell in front of it. Errors:
        OSError if it does not start.
        """
        end = time.monotonic() + deadline
        connect = max(1, min(5, int(deadline / 2)))
        options = [word for option in (*_OPTIONS, f"ConnectTimeout={connect}") for word in ("-o", option)]
        # A file, not a pipe: an ssh that does not read would block the writer.
        with tempfile.TemporaryFile() as given:
            given.write((before + script_text()).encode())
            given.seek(0)
            child = subprocess.Popen(
                ["ssh", "-T", *options, "--", self.host, command],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        try:
            return _hear(child, end)
        finally:
            child.kill()
            with suppress(subprocess.TimeoutExpired):
                child.wait(1)
            for pipe in (child.stdout, child.stderr):
                if pipe is not None:
                    pipe.close()


def list_asked(wants: Sequence[Want]) -> list[str]:
    """Return the requests to the script, one line each: a kind and a name."""
    kinds = ((w, _OTHER_NAMES.get(w.fact, w.about.kind)) for w in list_single(wants))
    return list(dict.fromkeys(f"{kind} {w.about.name}" for w, kind in kinds))


def _hear(child: subprocess.Popen[bytes], end: float) -> _Heard:
    """Return both its outputs, until the script's last line, or both are closed, or the time is over."""
    assert child.stdout is not None and child.stderr is not None  # noqa: S101 - PIPE above
    parts: dict[int, bytearray] = {child.stdout.fileno(): bytearray(), child.stderr.fileno(): bytearray()}
    out, words = parts.values()
    late = False
    with selectors.DefaultSelector() as selector:
        for fd in parts:
            selector.register(fd, selectors.EVENT_READ)
        while selector.get_map() and not out.endswith(_OVER):
            ready = selector.select(max(0.0, end - time.monotonic()))
            if not ready or len(out) > _LARGEST:
                late = True
                break
            for key, _ in ready:
                part = os.read(key.fd, 1 << 16)
                parts[key.fd] += part
                if not part:
                    selector.unregister(key.fd)
            del words[:-_LARGEST_WORDS]
    return _Heard(bytes(out), words.decode("utf-8", "replace"), late)
