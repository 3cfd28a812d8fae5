"""etcd's errors for writes, as quoted by the API server's clients.

Sources: go.etcd.io/etcd api/v3rpc/rpctypes/error.go (3.1–3.6), server/etcdserver/errors.go; staging/src/k8s.io/apiserver/pkg/storage.
"""

from __future__ import annotations

from unstuck.facts.regex import regex
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words
from unstuck.wording.stored import UNTRANSFORMABLE

_FULL = r"etcdserver: mvcc: database space exceeded|etcdserver: no space(?! left)"
_RAISED = regex(rf"{_FULL}|\bNOSPACE\b")


def is_storage_full(line: str) -> bool:
    """Tell whether a line of the control plane reports a full etcd: a refused write, or the alarm itself, but not its end."""
    return _RAISED.search(line) is not None and "disarm" not in line.lower()


CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    Error(
        words(_FULL),
        "storage-full",
        ("database space exceeded", "etcdserver: no space"),
        (Seen("etcd", "3.1–3.6", "api/v3rpc/rpctypes/error.go"),),
        (
            Example(
                '"Failed to update status for pod" err="failed to patch status \\"{}\\" for pod \\"f\\"/\\"p\\": etcdserver: mvcc: database space exceeded" pod="f/p"',
                "status-update storage-full",
            ),
            Example(
                '"Failed to update lease" err="etcdserver: mvcc: database space exceeded"',
                "node-report storage-full",
            ),
        ),
        Rank.NAMED,
    ),
    Error(
        words(rf"unable to transform key|{UNTRANSFORMABLE}"),
        "unreadable",
        (
            *(
                "unable to transform",
                "encrypted data",
                "no matching",
                "invalid p",
                "message authentication failed",
            ),
            *("output array was not", "stored data", "failed to decrypt dek", "data from the storage"),
        ),
        (Seen("kube-apiserver", "1.7–1.34", "staging/src/k8s.io/apiserver/pkg/storage/value"),),
        (
            Example(
                '"Failed to delete status for pod" pod="f/p" err="Internal error occurred: identity transformer tried to read encrypted data"',
                "status-delete unreadable",
            ),
            Example(
                'MountVolume.SetUp failed for volume "v" : couldn\'t get secret f/s: Internal error occurred: no matching prefix found',
                "volume-set-up unreadable volume=v",
            ),
        ),
        Rank.NAMED,
    ),
)
