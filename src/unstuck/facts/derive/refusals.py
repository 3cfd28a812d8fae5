"""Recognises messages of runc's own init in a container's log, in place of the program's: the kernel refused
to run it.

They come only after the runtime has called the container started, so nothing else reports the failure.
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
    """Return each line of a log that holds nothing else, with groups `path` (None if it is not named) and
    `why`; else [].
    """
    matches = [match for line in lines if (match := _WROTE.fullmatch(line))]
    return matches if len(matches) == len(lines) else []
