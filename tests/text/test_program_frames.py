"""Fatal messages of programs read alike below every command that prints their output."""

from __future__ import annotations

import pytest

from tests.text.support import NOW
from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.aspects.pod import LastLines
from unstuck.wording.program.read import OF_CALLERS, WORDS, read_complaint

_FILE = f"/var/log/containers/web-0_shop_app-{'0a4c17fe' * 8}.log"
_CRI = "2026-11-21T00:07:16.100000000Z stderr F "
FRAMES = {
    "kubectl logs": ("$ kubectl logs -n shop web-0\n", ""),
    "without a Namespace": ("$ kubectl logs web-0\n", ""),
    "of a workload": ("$ kubectl logs -n shop deploy/web\n", ""),
    "by a label": ("$ kubectl logs -n shop -l app=web\n", ""),
    "a file of its node": (f"# cat {_FILE}\n", _CRI),
    "docker logs": ("# docker logs 0a4c17fe2bd8\n", ""),
    "podman logs": ("$ podman logs web\n", ""),
    "crictl logs": ("# crictl logs 0a4c17fe2bd84\n", ""),
}
# A server's messages about its callers end no program.
SAID = {
    e.text: said.error
    for w in WORDS
    if not w.vague
    for e in w.examples
    if (said := read_complaint(e.text)) and said.error not in OF_CALLERS
}


@pytest.mark.parametrize("name", FRAMES)
def test_a_program_s_own_words(name: str) -> None:
    command, frame = FRAMES[name]
    lost = [text for text, error in SAID.items() if error not in _told(f"{command}{frame}{text}\n")]
    assert len(lost) <= len(SAID) // 100, lost


def _told(text: str) -> set[str]:
    facts = read_text(text, "paste.txt", NOW).facts
    told = {i.complaint.error for f in facts if isinstance(f, ToldErrors) for i in f.items}
    return told | {f.complaint.error for f in facts if isinstance(f, LastLines) and f.complaint}
