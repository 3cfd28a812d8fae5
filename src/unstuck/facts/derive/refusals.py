"""Recognises messages of runc's own init in a container's log: the kernel refused to run the program.

They appear only after the runtime has reported the container as started, so nothing else reports the failure.
Source: runc libcontainer/standard_init_linux.go, libcontainer/init_linux.go (1.0–1.3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from unstuck.facts.regex import regex

_WROTE = regex(
    r"(?:standard_init_linux\.go:\d{1,5}: )?exec(?: user process caused:? \"?| (?P<path>/\S{1,4096}): )"
    r"(?P<why>exec format error|permission denied|no such file or directory)\"?\s*"
)


def find_refusals(lines: Sequence[str]) -> list[re.Match[str]]:
    """Return the lines of a log with only such messages, with groups `path` (None if not named) and `why`;
    else [].
    """
    matches = [match for line in lines if (match := _WROTE.fullmatch(line))]
    return matches if len(matches) == len(lines) else []
