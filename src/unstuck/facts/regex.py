"""Regular expressions compiled on first use: hundreds are defined as constants, and an answer needs only a
few.

Compiling a pattern takes a hundred times as long as loading its text from bytecode. See
docs/why/causes-on-demand.md.
"""

from __future__ import annotations

import re
from typing import Any, cast

# The uids of API objects; a mirror Pod has the 32 digits of a hash (pkg/kubelet/config/common.go).
UUID = r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
POD_UID = rf"{UUID}|[0-9a-f]{{32}}"


class _LazyRegex:
    """A proxy for a compiled pattern; the first access to any attribute compiles it, and stores that
    attribute on the proxy.
    """

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        compiled = self.__dict__.get("_compiled")
        if compiled is None:
            compiled = self.__dict__["_compiled"] = re.compile(self.pattern, self._flags)
        value = self.__dict__[name] = getattr(compiled, name)
        return value


def regex(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Compile as `re.compile` does, on first use. Errors: re.error at that time; a test compiles all
    patterns.
    """
    return cast(re.Pattern[str], _LazyRegex(pattern, flags))
