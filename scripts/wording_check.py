"""Looks up the words of message patterns in the source of Kubernetes 1.34, in the lab's module cache.

Usage: python -m scripts.wording_check [MODULE_CACHE]. For each source of a pattern that is seen up to 1.34 or
later and names a file or directory of Kubernetes: the file must exist, and some word that every match
contains (`need`) must be in its strings. Prints missing ones, one line each, then the counts; exits 1 if
anything is missing, 2 if the source is not in the module cache.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from unstuck.wording.event_words import SENTENCES, EventSentence
from unstuck.wording.match import PATTERNS
from unstuck.wording.pattern import Call, Error, Seen

VERSION = "1.34"
# Components whose source is Kubernetes' own, as `Seen.component` names them.
_OURS = re.compile(r"kubelet|kube-|k8s\.io/|node-lifecycle|mount-utils")
_UP_TO = re.compile(r"^(?:\d+\.\d+–)?(\d+)\.(\d+)")
_PATH = re.compile(r"(?:[\w.-]+/)*[\w-]+(?:\.go)?")
_STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')


def main(argv: list[str]) -> int:
    """Print the missing words, and return the exit status."""
    cached = Path(argv[0]) if argv else _find_module_cache()
    if not (found := sorted(cached.glob(f"k8s.io/kubernetes@v{VERSION}.*"))):
        print(  # noqa: T201 - a script
            f"no k8s.io/kubernetes {VERSION} below {cached}: `unstuck-lab setup` fetches it", file=sys.stderr
        )
        return 2
    looked_up = missing = 0
    for pattern, seen in _list_places_of_patterns():
        looked_up += 1
        if why := _describe_missing(pattern, seen, found[-1]):
            missing += 1
            print(f"{pattern.regex.pattern[:60]!r}: {seen.component} {seen.versions}, {seen.upstream}: {why}")  # noqa: T201 - a script
    print(f"{looked_up} places looked up in {found[-1].name}, {missing} not found")  # noqa: T201 - a script
    return 1 if missing else 0


def _find_module_cache() -> Path:
    go = shutil.which("go")
    told = (
        subprocess.run([go, "env", "GOMODCACHE"], capture_output=True, text=True, check=False).stdout.strip()
        if go
        else ""
    )
    return Path(told or os.environ.get("GOMODCACHE") or Path.home() / "go" / "pkg" / "mod")


def _list_places_of_patterns() -> Iterator[tuple[Call | Error | EventSentence, Seen]]:
    for pattern in (*PATTERNS, *SENTENCES):
        for seen in pattern.seen:
            if seen.upstream and _OURS.search(seen.component) and _is_current(seen):
                yield pattern, seen


def _is_current(seen: Seen) -> bool:
    """Tell whether the versions include 1.34, which the libraries number 0.34."""
    last = _UP_TO.match(seen.versions)
    return last is not None and int(last[2]) >= int(VERSION.partition(".")[2]) and last[1] in ("0", "1")


def _describe_missing(pattern: Call | Error | EventSentence, seen: Seen, source: Path) -> str:
    found = [(path, _read_strings(path, source)) for path in _parse_paths(seen.upstream)]
    if lacking := [path for path, text in found if text is None]:
        return f"no {', '.join(lacking)}"
    if not found:
        return "names no file"
    text = "\n".join(text for _, text in found if text)
    if any(_has_words(text, need) for need in pattern.need):
        return ""
    return f"none of {', '.join(pattern.need)} in its strings"


def _parse_paths(upstream: str) -> list[str]:
    """Parse `pkg/a/b.go (Func), c.go` into files; a name without a directory is in the previous one's."""
    out: list[str] = []
    for part in re.sub(r"\([^)]*\)", "", upstream).partition("before it ")[0].split(", "):
        path = part.strip()
        if not _PATH.fullmatch(path):
            continue
        out.append(path if "/" in path or not out else f"{out[-1].rpartition('/')[0]}/{path}")
    return out


@cache
def _read_strings(path: str, source: Path) -> str | None:
    """Read the strings of a file, or of a directory's files except tests, in lower case; None if it does not
    exist.
    """
    for place in _list_places(path, source):
        files = (
            [place]
            if place.is_file()
            else sorted(f for f in place.rglob("*.go") if not f.name.endswith("_test.go"))
        )
        if files:
            text = "\n".join(f.read_text("utf-8", "replace") for f in files)
            return "\n".join(_unescape(s) for s in _STRING.findall(text)).lower()
    return None


def _list_places(path: str, source: Path) -> Iterator[Path]:
    """List the possible places of a path: in Kubernetes itself, in a module of its `staging` directory
    (`cri-client/pkg/…`), or in a module named in full.
    """
    yield source / path
    inner = path.removeprefix("staging/src/").removeprefix("k8s.io/")
    module, _, rest = inner.partition("/")
    for found in sorted(source.parent.glob(f"{module}@v0.{VERSION.partition('.')[2]}.*"), reverse=True):
        yield found / rest
    parts = path.split("/")
    for length in (2, 3):
        for found in sorted(source.parent.parent.glob("/".join(parts[:length]) + "@v*"), reverse=True):
            yield found.joinpath(*parts[length:])


def _unescape(string: str) -> str:
    return string[1:-1].replace('\\"', '"')


def _has_words(text: str, need: str) -> bool:
    """Tell whether the text contains a pattern's words, which the source may compose from parts (`%s probe
    failed`).
    """
    return need in text or all(re.search(rf"{re.escape(word)}(?!\w)", text) for word in need.split())


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
