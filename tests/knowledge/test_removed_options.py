"""Tests of the table of removed options."""

from __future__ import annotations

import re

import pytest

from unstuck.knowledge.removed_options import (
    JVM,
    KUBERNETES,
    REMOVED_OPTIONS,
    RemovedOptions,
    find_removed_options,
)


@pytest.mark.parametrize("row", REMOVED_OPTIONS, ids=lambda r: f"{r.program}-{r.release}-{r.names[0]}")
def test_a_row_names_options_their_release_and_its_source(row: RemovedOptions) -> None:
    assert row.program in ("", "etcd", JVM, *KUBERNETES)
    assert re.fullmatch(r"(?:Kubernetes|etcd) \d+\.\d+|Java \d+", row.release)
    assert row.names and all(name.startswith("--") == (row.program != JVM) for name in row.names)
    assert re.fullmatch(r"[\w.-]+/[\w.-]+#\d+|openjdk\.org/jeps/\d+", row.source)


def test_an_option_of_one_program_is_told_of_no_other() -> None:
    assert not [*find_removed_options("--pod-eviction-timeout", "registry.k8s.io/kube-scheduler:v1.30.0")]
    (row,) = find_removed_options("--pod-eviction-timeout", "")
    assert (row.program, row.release) == ("kube-controller-manager", "Kubernetes 1.27")


def test_an_option_that_more_programs_have_lost_is_told_of_the_known_one() -> None:
    (row,) = find_removed_options("--logtostderr", "registry.k8s.io/kube-proxy:v1.26.1")
    assert row.program == "" and row.release == "Kubernetes 1.26"
