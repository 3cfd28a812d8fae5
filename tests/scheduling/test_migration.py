"""In-tree volumes in their drivers' view: the translation's own tables
(csi-translation-lib/plugins/*_test.go), in short.
"""

from __future__ import annotations

import pytest

from unstuck.facts.aspects.placing import CsiNodeInput, VolumeInput
from unstuck.facts.aspects.placing_terms import NodeTerm, Requirement
from unstuck.scheduling.migration import (
    PLUGINS,
    PROVISIONERS,
    TranslationError,
    handle,
    is_counted,
    reached_from,
    volume_handle,
)

ZONE, OLD_ZONE = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"
REGION, OLD_REGION = "topology.kubernetes.io/region", "failure-domain.beta.kubernetes.io/region"
EBS = "topology.ebs.csi.aws.com/zone"


@pytest.mark.parametrize(
    ("type_", "source", "zones", "id_"),
    [
        ("awsElasticBlockStore", {"volumeID": "vol-1"}, None, "vol-1"),
        ("awsElasticBlockStore", {"volumeID": "aws://z1/vol-1"}, None, "vol-1"),
        ("awsElasticBlockStore", {"volumeID": "aws:///vol-1"}, None, "vol-1"),
        ("gcePersistentDisk", {"pdName": "d"}, None, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d"),
        ("gcePersistentDisk", {"pdName": "d"}, "z1", "projects/UNSPECIFIED/zones/z1/disks/d"),
        (
            "gcePersistentDisk",
            {"pdName": "d"},
            "us-east1-a__us-east1-b",
            "projects/UNSPECIFIED/regions/us-east1/disks/d",
        ),
        ("azureDisk", {"diskURI": "/u", "kind": "Managed"}, None, "/u"),
        ("azureDisk", {"diskURI": "/u"}, None, "/u"),
        ("cinder", {"volumeID": "c"}, None, "c"),
        ("portworxVolume", {"volumeID": "p"}, None, "p"),
    ],
)
def test_handles(type_: str, source: dict[str, str], zones: str | None, id_: str) -> None:
    assert handle(type_, source, zones) == id_


@pytest.mark.parametrize(
    ("type_", "source", "zones", "words"),
    [
        ("awsElasticBlockStore", {"volumeID": "aws://z1/1"}, None, "Invalid format for AWS volume"),
        ("gcePersistentDisk", {"pdName": "d"}, "a__b", "zone in unexpected format"),
        ("gcePersistentDisk", {"pdName": "d"}, "us-east1-a__eu-west1-b", "multiple or no regions"),
        ("azureDisk", {"diskURI": "/u", "kind": "Dedicated"}, None, "kind(Dedicated) is not supported"),
    ],
)
def test_what_cannot_be_translated(type_: str, source: dict[str, str], zones: str | None, words: str) -> None:
    with pytest.raises(TranslationError) as told:
        handle(type_, source, zones)
    assert words in str(told.value)


def ebs(terms: tuple[NodeTerm, ...] | None = None, **labels: str) -> VolumeInput:
    names = {"zone": ZONE, "old_zone": OLD_ZONE}
    pairs = tuple((names[k], v) for k, v in labels.items())
    return VolumeInput(
        "pv", pairs, type="awsElasticBlockStore", source=(("volumeID", "vol-1"),), node_affinity=terms
    )


def within(*wanted: tuple[str, str]) -> NodeTerm:
    return NodeTerm(tuple(Requirement(key, "In", tuple(values.split(","))) for key, values in wanted))


@pytest.mark.parametrize(
    ("volume", "terms"),
    [
        (ebs(), None),
        (ebs(zone="z1"), (within((EBS, "z1")),)),
        (ebs(old_zone="z2__z1"), (within((EBS, "z1,z2")),)),
        (ebs(zone="__"), None),
        # The affinity takes precedence over the label.
        (ebs((within((ZONE, "z1")),), zone="z2"), (within((EBS, "z1")),)),
        (ebs((within(("rack", "1")),), zone="z2"), (within(("rack", "1"), (EBS, "z2")),)),
        (ebs((), zone="z2"), (within((EBS, "z2")),)),
        # The old region label gets its new name only if the zone has its old label.
        (ebs((within((OLD_ZONE, "z1"), (OLD_REGION, "r")),)), (within((EBS, "z1"), (REGION, "r")),)),
        (ebs((within((ZONE, "z1"), (OLD_REGION, "r")),)), (within((EBS, "z1"), (OLD_REGION, "r")),)),
    ],
)
def test_from_where_a_disk_is_reached(volume: VolumeInput, terms: tuple[NodeTerm, ...] | None) -> None:
    assert reached_from(volume) == terms


def test_plugins_that_name_no_zone_keep_their_affinity() -> None:
    term = (within((ZONE, "z1")),)
    disk = VolumeInput("pv", type="azureDisk", source=(("diskURI", "/u"),), node_affinity=term)
    assert reached_from(disk) == term and volume_handle(disk) == "/u"


def test_where_a_plugin_s_volumes_count() -> None:
    silent, told = CsiNodeInput("n"), CsiNodeInput("n", migrated=("kubernetes.io/portworx-volume",))
    assert is_counted(PLUGINS["cinder"], silent) and not is_counted(PLUGINS["cinder"], None)
    assert is_counted(PLUGINS["portworxVolume"], told) and not is_counted(PLUGINS["portworxVolume"], silent)
    assert not is_counted(PROVISIONERS["kubernetes.io/azure-file"], told)
