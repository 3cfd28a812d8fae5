"""The meaning of conditions: by the list, with exceptions for some kinds, and without claims about an unknown
type.
"""

from __future__ import annotations

from typing import get_args

import pytest

from unstuck.collect.objects.reported import ANNOTATIONS, PAUSE, SWITCHES
from unstuck.knowledge.condition_rows import Tone
from unstuck.knowledge.conditions import MEANINGS, find_tone
from unstuck.knowledge.standstills import SWITCHES as MEANT
from unstuck.knowledge.standstills import find_switch
from unstuck.knowledge.status_words import FIELDS, STATUS_WORDS, find_word_tone


@pytest.mark.parametrize(
    ("kind", "type_", "status", "reason", "tone"),
    [
        ("Certificate.cert-manager.io", "Ready", "True", "", "well"),
        ("Certificate.cert-manager.io", "Ready", "False", "DoesNotExist", "waits"),
        ("Widget.example.com", "Ready", "Unknown", "", "waits"),
        ("Widget.example.com", "Stalled", "True", "", "ill"),
        ("Widget.example.com", "Stalled", "False", "", "nothing"),
        ("Widget.example.com", "Progressing", "True", "", "moves"),
        ("Widget.example.com", "Progressing", "True", "NewReplicaSetAvailable", "nothing"),
        ("Deployment", "Progressing", "True", "ReplicaSetUpdated", "nothing"),
        ("Deployment", "Progressing", "False", "ProgressDeadlineExceeded", "ill"),
        ("HorizontalPodAutoscaler", "ScalingActive", "False", "FailedGetResourceMetric", "waits"),
        ("HorizontalPodAutoscaler", "ScalingActive", "False", "ScalingDisabled", "held"),
        # An API group stands for all its kinds.
        ("Kustomization.kustomize.toolkit.fluxcd.io", "ArtifactInStorage", "True", "", "well"),
        ("Cluster.postgresql.cnpg.io", "ContinuousArchiving", "False", "", "ill"),
        ("Widget.example.com", "ContinuousArchiving", "False", "", "unheard"),
        ("NodeClaim.karpenter.sh", "Drifted", "True", "", "nothing"),
        ("Widget.example.com", "Mangled", "True", "", "unheard"),
        ("Widget.example.com", "BackupFailed", "True", "", "odd"),
        ("Widget.example.com", "BackupFailed", "False", "", "nothing"),
        ("Widget.example.com", "CacheNotReady", "True", "", "odd"),
        ("Widget.example.com", "CacheReady", "True", "", "well"),
        ("Widget.example.com", "CacheReady", "False", "", "odd"),
        ("Widget.example.com", "SchemaLoaded", "True", "", "well"),
        ("Widget.example.com", "SchemaLoaded", "False", "", "odd"),
        # Argo CD's conditions have no status.
        ("Application.argoproj.io", "ComparisonError", "", "", "ill"),
        ("Application.argoproj.io", "OrphanedResourceWarning", "", "", "nothing"),
        ("Widget.example.com", "Ready", "Maybe", "", "odd"),
    ],
)
def test_a_condition_says_what_its_type_means_for_this_kind(
    kind: str, type_: str, status: str, reason: str, tone: Tone
) -> None:
    assert find_tone(kind, type_, status, reason) == tone


def test_no_row_hides_another_and_each_has_its_source() -> None:
    for row in MEANINGS:
        assert row.source
        for type_ in row.types:
            kind = row.kinds[0] if row.kinds else "Widget.example.com"
            kind = f"Widget{kind}" if kind.startswith(".") else kind
            assert find_tone(kind, type_, "True") == row.true
            assert find_tone(kind, type_, "False") == row.false
    told = [word for row in STATUS_WORDS for word in row.words]
    assert len(told) == len(set(told)) and all(word == word.lower() for word in told)
    assert all(row.source and row.tone in get_args(Tone) for row in STATUS_WORDS)


def test_a_phase_of_kubernetes_own_kinds_is_judged_elsewhere() -> None:
    assert find_word_tone("PersistentVolume", "status.phase", "Failed") == "nothing"
    assert find_word_tone("Backup.velero.io", "status.phase", "PartiallyFailed") == "ill"
    assert find_word_tone("Widget.example.com", "status.phase", "Wobbling") == "unheard"


def test_every_field_that_means_something_is_read() -> None:
    read = (
        {f"spec.{name}" for name in SWITCHES}
        | {f"metadata.annotations[{name}]" for name in ANNOTATIONS}
        | {PAUSE}
    )
    assert {row.field for row in MEANT} <= read
    assert all(row.source for row in (*MEANT, *FIELDS))


def test_a_switch_stops_by_its_value_and_for_its_kinds() -> None:
    assert find_switch("CronJob", "spec.suspend", "true") is not None
    assert find_switch("CronJob", "spec.suspend", "false") is None
    assert find_switch("Deployment", "spec.replicas", "0") is not None
    assert find_switch("ReplicaSet", "spec.replicas", "0") is None
    assert (
        find_switch("Cluster.cluster.x-k8s.io", "metadata.annotations[cluster.x-k8s.io/paused]", "")
        is not None
    )
