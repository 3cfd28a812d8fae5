#!/usr/bin/env python3
"""Pins the packages for building and running a release, by version and hash: `scripts/lock.py` writes
requirements/*.txt, `--check` compares them with pyproject.toml. See docs/why/releases.md.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import getitem
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

TOP = Path(__file__).resolve().parents[1]
# Each file, with the tables of pyproject.toml to satisfy.
LOCKS = {
    "requirements/release.txt": (("project", "dependencies"), ("project", "optional-dependencies", "full")),
    "requirements/build.txt": (("build-system", "requires"),),
}
_HEAD = "# Written by `make lock`: the only packages that a release is {} with, on any platform.\n"
_FOR = {"requirements/release.txt": "run", "requirements/build.txt": "built"}
_PIN = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)==(?P<version>[^\s;\\]+)(?P<marker> *;[^\\]+)?(?P<hashes>( *\\\n "
    r"+--hash=sha256:[0-9a-f]{64})*)\n"
)


def list_required(pyproject: str, tables: Iterable[Sequence[str]]) -> list[Requirement]:
    """Return the requirements in these tables of pyproject.toml."""
    whole = tomllib.loads(pyproject)
    return [Requirement(one) for table in tables for one in reduce(getitem, table, whole)]


def find_problems(pyproject: str, locks: Mapping[str, str]) -> list[str]:
    """List the deviations of these files from the requirements of pyproject.toml, one sentence each. locks:
    each file's name and content.
    """
    return [
        f"{name}: {said}"
        for name, tables in LOCKS.items()
        for said in _find_problems(list_required(pyproject, tables), locks.get(name, ""))
    ]


def _find_problems(wanted: list[Requirement], lock: str) -> Iterator[str]:
    code = "".join(
        line + "\n" for line in lock.splitlines() if line.strip() and not line.strip().startswith("#")
    )
    left = _PIN.sub("", code).strip()
    if left:
        yield f"holds more than pins with their hashes: {left.splitlines()[0]!r}"
    if "://" in lock or "--index" in lock or "--find-links" in lock:
        yield "names where packages come from, which is the installer's business"
    pins = {canonicalize_name(pin["name"]): pin for pin in _PIN.finditer(code)}
    yield from (f"{name} has no hash" for name, pin in pins.items() if not pin["hashes"])
    for one in wanted:
        found = pins.get(canonicalize_name(one.name))
        if found is None:
            yield f"{one.name} is missing"
        elif not _is_fitting(found["version"], one):
            yield f"{one.name} is pinned at {found['version']}, and pyproject.toml asks for {one}"


def _is_fitting(version: str, wanted: Requirement) -> bool:
    try:
        return wanted.specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return False


def write() -> None:
    """Resolve the newest matching packages in pip's configured registry, and write the files."""
    pyproject = (TOP / "pyproject.toml").read_text()
    python = tomllib.loads(pyproject)["project"]["requires-python"].removeprefix(">=")
    with tempfile.TemporaryDirectory() as work:
        venv.create(work, with_pip=True)
        subprocess.run([f"{work}/bin/pip", "install", "--quiet", "uv"], check=True)
        for name, tables in LOCKS.items():
            # The name is relative, since it appears in the comments.
            (Path(work) / "pyproject").write_text(
                "".join(f"{one}\n" for one in list_required(pyproject, tables))
            )
            command = [
                "bin/uv",
                "pip",
                "compile",
                "--quiet",
                "--universal",
                "--python-version",
                python,
                "--generate-hashes",
                "--no-header",
            ]
            out = subprocess.run(
                [*command, "pyproject"], cwd=work, check=True, capture_output=True, text=True
            ).stdout
            (TOP / name).parent.mkdir(exist_ok=True)
            (TOP / name).write_text(
                _HEAD.format(_FOR[name]) + out.replace("via -r pyproject", "via pyproject.toml")
            )


def main() -> int:
    """Return 1 if a check fails."""
    if sys.argv[1:] != ["--check"]:
        write()
    found = find_problems(
        (TOP / "pyproject.toml").read_text(), {n: (TOP / n).read_text() for n in LOCKS if (TOP / n).exists()}
    )
    sys.stderr.write("".join(f"{one}; run make lock\n" for one in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
