"""A plain field of a CustomResource names an object where its status spells out the kind; a word alone
names none.
"""

from __future__ import annotations

from typing import Any

import pytest

from unstuck.collect.objects import facts_of
from unstuck.collect.objects.spelt_out import find_spelt_out
from unstuck.facts.aspects.references import References

UNAVAILABLE = (
    "backup can't be created because backup storage location offsite-s3 is currently in Unavailable status"
)


def backup(said: object, **spec: object) -> dict[str, Any]:
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": "nightly", "namespace": "velero", "uid": "1"},
        "spec": {"storageLocation": "offsite-s3", **spec},
        "status": {"phase": "FailedValidation", "validationErrors": [said]},
    }


@pytest.mark.parametrize(
    "said",
    [
        UNAVAILABLE,
        'the backup storage location "offsite-s3" is in read-only mode',
        "no healthy backup-storage location 'offsite-s3'".replace("healthy ", ""),
        "Backup Storage Location offsite-s3: NoSuchBucket",
        'it needs to be created before. Error: backupstoragelocation.velero.io "offsite-s3" not found',
        'backupstoragelocations.velero.io "offsite-s3" not found',
    ],
)
def test_the_kind_is_what_the_status_spells_out(said: str) -> None:
    assert [*find_spelt_out(backup(said))] == [
        ("spec.storageLocation", "BackupStorageLocation.velero.io", "offsite-s3")
    ]


@pytest.mark.parametrize(
    "said",
    [
        "backup storage location offsite-s3b is unavailable",
        "backup storage location is unavailable",
        "offsite-s3 could not be reached",
        "snapshot location offsite-s3 is unavailable",
        'backupstoragelocation.example.com "offsite-s3" not found',
        'backups.velero.io "offsite-s3" not found',
        7,
        None,
        {"message": {"deep": ["no words"]}},
    ],
)
def test_other_words_name_nothing(said: object) -> None:
    assert [*find_spelt_out(backup(said))] == []


def test_a_field_of_one_word_is_said_too_often() -> None:
    assert [*find_spelt_out(backup("the class fast is not there", **{"class": "fast"}))] == []


def test_it_is_a_reference_and_not_a_required_one() -> None:
    (found,) = (f for f in facts_of(backup(UNAVAILABLE), "backup.yaml", None) if isinstance(f, References))
    (one,) = found.items
    assert (one.field, str(one.to.kind), one.to.within, one.to.name) == (
        "spec.storageLocation",
        "BackupStorageLocation.velero.io",
        "velero",
        "offsite-s3",
    )
    assert not one.required and not found.whole
