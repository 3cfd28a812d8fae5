"""Leftovers of Pods: the kubelet's complaint about a directory whose Pod it does not know.

It names one directory of many, every two seconds, and is nearly always a by-product: the first failure is earlier in the log.
Source: pkg/kubelet/kubelet_volumes.go (1.6–1.36).
"""

from __future__ import annotations

from unstuck.facts.regex import POD_UID
from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_WITHIN: tuple[Operation, ...] = ("pod-directory-remove",)
_ID = "cdc36717-3036-4281-ae64-8dd54e13e455"
_FILE = "pkg/kubelet/kubelet_volumes.go"

CALLS: tuple[Call, ...] = (
    Call(
        words(
            rf"orphaned pod \"(?P<key>{POD_UID})\" found,(?:\s*\Z| but(?: failed to rmdir\(\) (?:volume|subpath) at path (?P<path>/[^\s:\"']{{1,4096}})"
            r"| error occurred when trying to remove subdir \"(?P<path_2>/[^\s\"']{1,4096})\")?)"
            rf"|orphaned pod found, but (?:volumes are not cleaned up|failed to remove volumes subdir)\"?(?:[^\n]{{0,400}}?podUID=\"?(?P<key_2>{POD_UID}))?"
        ),
        "pod-directory-remove",
        ("orphaned pod",),
        (Seen("kubelet", "1.6–1.36", _FILE),),
        (
            Example(
                f'Orphaned pod "{_ID}" found, but volume paths are still present on disk : There were a total of 2 errors similar to this.',
                f"pod-directory-remove volumes-left key={_ID}",
            ),
            Example(
                f'orphaned pod "{_ID}" found, but failed to rmdir() subpath at path /k/pods/{_ID}/volume-subpaths/v/c/1: not a directory : '
                "There were a total of 1 errors similar to this. Turn up verbosity to see them.",
                f"pod-directory-remove ENOTDIR key={_ID} path=/k/pods/{_ID}/volume-subpaths/v/c/1",
            ),
            Example(
                f'"There were many similar errors. Turn up verbosity to see them." err="orphaned pod \\"{_ID}\\" found, but error not a directory '
                'occurred when trying to remove the volumes dir" numErrs=1',
                f"pod-directory-remove ENOTDIR key={_ID}",
            ),
            Example(
                f'"There were many similar errors. Turn up verbosity to see them." err="orphaned pod \\"{_ID}\\" found, but error occurred when '
                'trying to remove the volumes dir: not a directory" numErrs=3',
                f"pod-directory-remove ENOTDIR key={_ID}",
            ),
            # Cut where the line was longer than the window that it was copied from.
            Example(f'orphaned pod "{_ID}" found,', f"pod-directory-remove other key={_ID}"),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(r"volume (?:sub)?paths are still present on disk|failed to remove volumes subdir"),
        "volumes-left",
        ("paths are still present", "failed to remove volumes subdir"),
        (Seen("kubelet", "1.6–1.20", _FILE), Seen("kubelet", "1.21–1.36", _FILE)),
        (
            Example(
                f'Orphaned pod "{_ID}" found, but volume subpaths are still present on disk : There were a total of 1 errors similar to this.',
                f"pod-directory-remove volumes-left key={_ID}",
            ),
            Example(
                f'orphaned pod "{_ID}" found, but volume paths are still present on disk',
                f"pod-directory-remove volumes-left key={_ID}",
            ),
            Example(
                f'"Orphaned pod found, but failed to remove volumes subdir" err="volumes subdir was found after it was removed" podUID="{_ID}" path="/k"',
                f"pod-directory-remove volumes-left key={_ID}",
            ),
        ),
        Rank.NAMED,
        within=_WITHIN,
    ),
    Error(
        words(r"volumes are not cleaned up"),
        "volumes-mounted",
        ("volumes are not cleaned up",),
        (Seen("kubelet", "1.5–1.36 (1.6 and later at -v 3)", _FILE),),
        (
            Example(
                f'"Orphaned pod found, but volumes are not cleaned up" podUID="{_ID}"',
                f"pod-directory-remove volumes-mounted key={_ID}",
            ),
            Example(
                f'Orphaned pod "{_ID}" found, but volumes are not cleaned up',
                f"pod-directory-remove volumes-mounted key={_ID}",
            ),
        ),
        Rank.NAMED,
        within=_WITHIN,
    ),
)
