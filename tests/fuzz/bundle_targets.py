"""Damaged archives: a mangled text is packed in some format, and the archive itself is mangled, both
determined by the text's own bytes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from random import Random
from zlib import crc32

from tests.bundle.make import PACK, make_special, make_tar, make_zip
from unstuck import __version__
from unstuck.collect.bundle import BundleLimits, read_bundle, saved
from unstuck.facts.aspects.objects import Phase
from unstuck.facts.codec import FormatError, Saved, save
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, tzinfo=UTC)
SMALL = BundleLimits(
    unpacked=1 << 20,
    member=1 << 18,
    members=50,
    ratio_from=1 << 16,
    nested=1 << 18,
    facts=2000,
    snapshot=1 << 18,
)
POD = Ref("Pod", "shop", "web-0", "9e964fdf-0000-4000-8000-000000000001")
SNAPSHOT = save(
    Saved(Snapshot([Phase(about=POD, src=Source("/api"), phase="Running")], NOW, ("live:x",)), POD),
    __version__,
)
NAMES = (
    "x/pods.yaml",
    "../../x",
    "sosreport-n-2026-11-21-abc/sos_commands/x/df_-al",
    "namespaces/f/pods/p/c/c/logs/current.log",
    "a.tar",
    "b.zip",
    "c.gz",
)


def _archive(data: bytes) -> None:
    """Read an archive with arbitrary content and arbitrary damage."""
    chance = Random(crc32(data))  # noqa: S311 - not for secrets
    files = {chance.choice(NAMES): data, "good.txt": b"phase: Running\n"}
    packed = (
        make_zip(files)
        if chance.random() < 0.3
        else chance.choice(list(PACK.values()))(make_tar(files, more=make_special))
    )
    with suppress(FormatError):
        read_bundle("fuzz", NOW, SMALL, data=_damaged(packed, chance))


def _collected(data: bytes) -> None:
    """Read the output of `unstuck collect` with foreign bytes in the middle."""
    chance = Random(crc32(data))  # noqa: S311 - not for secrets
    snapshot, manifest = json.dumps(SNAPSHOT).encode(), json.dumps({"format": saved.FORMAT}).encode()
    at = chance.randint(0, len(snapshot))
    members = {
        saved.SNAPSHOT: snapshot[:at] + data[: chance.randint(0, 60)] + snapshot[at:],
        saved.MANIFEST: _damaged(manifest, chance),
    }
    with suppress(FormatError):
        read_bundle("fuzz", NOW, SMALL, data=make_tar(members))


def _damaged(data: bytes, chance: Random) -> bytes:
    out = bytearray(data)
    for _ in range(chance.randint(0, 5)):
        at = chance.randrange(len(out) + 1)
        out[at : at + chance.randint(0, 8)] = chance.randbytes(chance.randint(0, 8))
    return bytes(out[: chance.choice([len(out), chance.randrange(len(out) + 1)])])


TARGETS: Mapping[str, Callable[[bytes], None]] = {"archive": _archive, "collected": _collected}
