"""One target per parser: bytes in, nothing out, and no exception for any bytes.

`python -m tests.fuzz TARGET SECONDS` runs one for long.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO
from itertools import islice
from pathlib import Path
from random import Random

from scripts.cases import load_cases, parse_cases

import unstuck.causes
from tests.fuzz import bundle_targets, kube_targets, node_targets, runtime_targets, script_targets
from tests.text.formats import SAMPLES
from unstuck.collect.text import read_text
from unstuck.collect.text.cutting.ages import subtract_age
from unstuck.collect.text.cutting.piece import Piece, TextContext
from unstuck.collect.text.cutting.split import blocks_of, parse_command, split_lines
from unstuck.collect.text.formats import FORMATS
from unstuck.collect.text.kubectl.event_rows import parse_row
from unstuck.collect.text.kubectl.print_time import find_print_time
from unstuck.collect.text.large_logs import thinning
from unstuck.errors import InputError
from unstuck.facts.core import Ref, Source
from unstuck.wording.klog import read_records
from unstuck.wording.match import PATTERNS, find_failures
from unstuck.wording.names import find_pod
from unstuck.wording.namespace import parse_failed_groups, parse_finalizers, parse_remaining
from unstuck.wording.scheduler import parse_unschedulable

NOW = datetime(2026, 11, 21, tzinfo=UTC)
Target = Callable[[bytes], None]
LOG = (
    b'Nov 21 00:05:00 node-1 kubelet[7]: I1121 00:05:00.000000       7 x.go:1] "SyncLoop ADD"\nNov 21 '
    b"00:05:01 node-1 foo[1]: x\n"
) * 60


def _wording(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    find_failures(text, about=Ref("Pod"), src=Source("fuzz"))
    parse_unschedulable(text)
    parse_failed_groups(text)
    parse_remaining(text)
    parse_finalizers(text)
    find_pod(text)


def _klog(data: bytes) -> None:
    for _ in read_records(data.decode("utf-8", "replace").split("\n"), NOW):
        pass


def _paste(data: bytes) -> None:
    text = data.decode("utf-8", "replace")
    at = find_print_time([text], NOW)
    assert at is None or at <= NOW
    read_text(text, "fuzz", at or NOW)


def _large(data: bytes) -> None:
    """Read the text as the beginning of a long log, and as any text; its length determines the block ends."""
    for head in (b"", LOG):
        kept, origin, _ = thinning.thin(
            head + data[: len(data) // 2],
            BytesIO(data[len(data) // 2 :] * 3),
            1 << 20,
            hosted=len(data) % 2 > 0,
        )
        read_text(kept, "fuzz", NOW, origin=origin)


def _lines(data: bytes) -> None:
    lines = split_lines(data.decode("utf-8", "replace"))
    for _ in blocks_of(lines):
        pass
    for line in lines:
        parse_command(line)
        parse_row(line, NOW, None)
        subtract_age(line, NOW)


def _cases(data: bytes) -> None:
    with suppress(InputError):
        list(parse_cases(data.decode("utf-8", "replace"), "fuzz"))


def _format(name: str) -> Target:
    form = next(f for f in FORMATS if f.name == name)

    def target(data: bytes) -> None:
        for block in islice(blocks_of(split_lines(data.decode("utf-8", "replace"))), 20):
            for i in range(min(len(block.lines), 40)):
                end = form.find(block.lines, i, block.command) if block.lines[i].strip() else None
                if end is not None:
                    form.read(
                        Piece(block.lines[i:end], block.start + i, block.command, TextContext("fuzz", NOW))
                    )
                    break

    return target


TARGETS: Mapping[str, Target] = {
    "wording": _wording,
    "klog": _klog,
    "paste": _paste,
    "lines": _lines,
    "large": _large,
    "cases": _cases,
    **{f"format-{f.name}": _format(f.name) for f in FORMATS},
    **node_targets.TARGETS,
    **runtime_targets.TARGETS,
    **script_targets.TARGETS,
    **bundle_targets.TARGETS,
    **kube_targets.TARGETS,
}


def list_corpus() -> list[bytes]:
    """List real texts as seeds: every pattern's examples and every cause's cases."""
    texts = [e.text for p in PATTERNS for e in p.examples]
    for path in sorted(Path(unstuck.causes.__path__[0]).rglob("*.cases.md")):
        try:
            texts += [text for case in load_cases(path) for _, text in case.texts]
        except (InputError, OSError):
            continue
    texts += [*SAMPLES.values()] * 4
    return [
        *(t.encode() for t in texts),
        *node_targets.CORPUS,
        *runtime_targets.CORPUS,
        *script_targets.CORPUS,
        *kube_targets.CORPUS,
    ]


def list_mutations(seed: int, texts: list[bytes]) -> Iterator[bytes]:
    """Yield endless mutations, deterministic by seed: texts cut, joined, repeated, with changed bytes and
    hostile characters.
    """
    random = Random(seed)  # noqa: S311 - not for secrets
    signs = [
        b"\x00",
        b"\x1b[2J",
        b"\xff",
        b"\xe2\x80\xae",
        b"\n",
        b"\r\n",
        b"\t",
        b" " * 50,
        b'"',
        b"\\",
        b"{",
        b"[",
        b": ",
        b"..",
        b"(",
        b"0" * 40,
        b"---\n",
    ]
    while True:
        data = bytearray(random.choice(texts))
        for _ in range(random.randint(1, 6)):
            at = random.randint(0, len(data))
            match random.randint(0, 4):
                case 0:
                    data[at:at] = random.choice(signs) * random.choice([1, 1, 1, 500])
                case 1:
                    del data[at : at + random.randint(1, 30)]
                case 2:
                    data[at:at] = random.choice(texts)[: random.randint(1, 400)]
                case 3 if at < len(data):
                    data[at] = random.randint(0, 255)
                case _:
                    data += data[at : at + 200]
        yield bytes(data[:100_000])
