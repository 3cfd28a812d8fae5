"""The versions of a row, in the components' spelling."""

from __future__ import annotations

import pytest

from unstuck.knowledge.versions import (
    DAEMONSET_SORTS_TEMPLATE,
    DOCKERD_HANGS,
    FOREIGN_MOUNTS_BLOCK,
    KUBELET_LOSES_DELETES,
    KUBELET_WAITS_FOR_REMOVAL,
    RHEL_PRIVATE_TMP_LEAKS,
    RHEL_WITHOUT_DETACH,
    SPANS,
    VersionSpan,
)


@pytest.mark.parametrize(
    ("span", "version", "has"),
    [
        (DAEMONSET_SORTS_TEMPLATE, "v1.9.11", False),
        (DAEMONSET_SORTS_TEMPLATE, "v1.10.0", True),
        (DAEMONSET_SORTS_TEMPLATE, "v1.11.0+d4cacc0", True),
        (DAEMONSET_SORTS_TEMPLATE, "v1.12.0", False),
        (KUBELET_WAITS_FOR_REMOVAL, "v1.21.14-gke.700", True),
        (KUBELET_WAITS_FOR_REMOVAL, "v1.22.0", False),
        (KUBELET_LOSES_DELETES, "v1.8.13", True),
        (DOCKERD_HANGS, "17.03.2-ce", True),
        (DOCKERD_HANGS, "18.09.1", False),
        (FOREIGN_MOUNTS_BLOCK, "3.10.0-1160.el7.x86_64", True),
        (FOREIGN_MOUNTS_BLOCK, "4.19.0", False),
        (RHEL_WITHOUT_DETACH, "3.10.0-514.26.2.el7.x86_64", True),
        (RHEL_WITHOUT_DETACH, "3.10.0-693.el7.x86_64", False),
        (RHEL_WITHOUT_DETACH, "5.15.0-91-generic", None),
        (RHEL_PRIVATE_TMP_LEAKS, "3.10.0-327.el7.x86_64", True),
        (RHEL_PRIVATE_TMP_LEAKS, "3.10.0-862.9.1.el7.x86_64", False),
        (KUBELET_LOSES_DELETES, "unknown", None),
    ],
)
def test_a_version_is_in_or_out(span: VersionSpan, version: str, has: bool | None) -> None:
    assert span.has(version) is has


def test_every_row_has_its_source() -> None:
    assert all(s.source and s.what and (s.first or s.ended) for s in SPANS)
