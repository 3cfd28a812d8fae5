"""A saved Snapshot as a bundle's member: output of `--save`, `unstuck node -o json` and `unstuck collect`.

`unstuck collect` lays out `unstuck-bundle/`: `snapshot.json` is the basis of an answer; `manifest.json` gives
the format; all else in it is for people and is not read again.
"""

from __future__ import annotations

import json
import re

from unstuck.facts.codec import FormatError, Saved, load
from unstuck.facts.text import Messages

say = Messages(__name__)

FOLDER = "unstuck-bundle"
SNAPSHOT, MANIFEST = f"{FOLDER}/snapshot.json", f"{FOLDER}/manifest.json"
# Format 1: the Snapshot and the manifest as they are here.
FORMAT = 1
# As `facts.codec.save` begins; any spacing.
_BEGINS = re.compile(rb'\s*\{\s*"format"\s*:\s*\d{1,9}\s*,\s*"tool"\s*:')
_OURS = re.compile(rf"(?:^|[/!]){FOLDER}/(?P<rest>.+)$")


def starts_like_saved(head: bytes) -> bool:
    """Tell whether a file that begins so is a saved Snapshot."""
    return _BEGINS.match(head) is not None


def path_in_bundle(name: str) -> str | None:
    """Return a member's path within the output of `unstuck collect`; None for any other member."""
    found = _OURS.search(name)
    return found["rest"] if found else None


def parse(data: bytes) -> Saved | None:
    """Return the Snapshot; None for data that only begins as one. Errors: FormatError for a newer format,
    or a damaged one.
    """
    try:
        doc = json.loads(data)
    except (ValueError, RecursionError, MemoryError):
        return None
    return load(doc)


def check_manifest(data: bytes) -> None:
    """Check the version. Errors: FormatError if a later version wrote this bundle in a form that this one
    does not know.
    """
    try:
        doc = json.loads(data)
    except (ValueError, RecursionError):
        return
    told = doc.get("format") if isinstance(doc, dict) else None
    if isinstance(told, int) and told > FORMAT:
        raise FormatError(
            say(
                (
                    "this bundle has format {told}, newer than {format}, which this "
                    "version reads; upgrade unstuck"
                ),
                told=told,
                format=FORMAT,
            )
        )
