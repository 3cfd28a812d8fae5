"""Explain a program's message by the state of its Node: the path that it names, the process whose number it
names, the kernel setting that a refused call depends on, the seccomp profile that forbids the call, the
certificates that it mounts, the place where the Node keeps what the program looks for elsewhere.
"""

from __future__ import annotations

from unstuck.causes import _kernel_settings, _moved_places, _path_volume
from unstuck.causes._kernel_settings import tell_settings
from unstuck.causes._kubelet_settings import READS as _KUBELET_READS
from unstuck.causes._kubelet_settings import tell_process_limit
from unstuck.causes._moved_places import tell_moved
from unstuck.causes._node_certificates import tell_expiry
from unstuck.causes._node_contents import READS as _CONTENT_READS
from unstuck.causes._node_contents import tell_contents
from unstuck.causes._node_state import describe_state
from unstuck.causes._node_state_help import mend_state
from unstuck.causes._numbered_process import READS as _PROCESS_READS
from unstuck.causes._numbered_process import tell_process
from unstuck.causes._path_volume import tell_state
from unstuck.causes._seccomp import READS as _SECCOMP_READS
from unstuck.causes._seccomp import tell_seccomp
from unstuck.causes._told_by_node import NodeWords, join_words
from unstuck.diagnosis.text import Text
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

READS: frozenset[type[Fact]] = (
    _moved_places.READS
    | _path_volume.READS
    | _kernel_settings.READS
    | _PROCESS_READS
    | _SECCOMP_READS
    | _CONTENT_READS
    | _KUBELET_READS
)

# A process or thread that cannot be made; the same errno of a lock or an allocation is another matter.
_FORKS = regex(
    r"(?i)\bfork\b|\bclone\b|pthread_create"
    r"|\b(?:create|start|spawn|new|native|more)(?: (?:a|new|native|OS|worker))* (?:thread|process)"
)
# The kernel refuses to write there: a missing or empty entry explains none of these.
_REFUSED = regex(
    r"(?i)permission denied|\bEACCES\b|not permitted|\bEPERM\b|no space left|\bENOSPC\b|quota exceeded"
    r"|\bEDQUOT\b|read-only file system|\bEROFS\b"
)


def ask_node(
    pod: Ref,
    container: str | None,
    line: str,
    snap: Facts,
    verify: Text,
    path: str = "",
    *,
    content: bool = True,
) -> NodeWords:
    """Return the Node's explanation of a line that a container wrote. path: the subject of the line, "" if
    unknown.

    verify: how to see that the fix worked. content: whether an empty file or a missing name may explain the
    line.
    """
    if pod.kind != "Pod":
        return NodeWords()
    few = tell_process_limit(find_node(pod, snap), snap, verify) if not line or _FORKS.search(line) else None
    if not line:
        return few or NodeWords()
    there, wants = tell_state(pod, container, line, snap, path)
    if there and there.of_content and (not content or _REFUSED.search(line)):
        there = None
    told = describe_state(there)
    explained = there if told.en else None
    state = NodeWords(
        told,
        mend_state(explained, verify),
        (explained.found,) if explained else (),
        wants,
        decides=bool(explained and explained.decides(path if content else "")),
        replaces=bool(explained and not explained.leaves),
    )
    told_otherwise = join_words(
        state,
        tell_expiry(pod, container, line, snap, verify),
        tell_moved(pod, container, line, snap, verify),
        tell_process(pod, container, line, snap, verify),
        tell_settings(pod, container, line, snap, verify),
        tell_seccomp(pod, container, line, snap, verify),
        few or NodeWords(),
    )
    if told_otherwise.says.en:
        return told_otherwise
    return join_words(told_otherwise, tell_contents(pod, container, line, snap, verify))
