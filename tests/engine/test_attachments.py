"""The driver's refusal to detach a volume is the root; the uncleared finalizer of its live attacher follows
from it.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from unstuck.engine import discover
from unstuck.engine.diagnose import diagnose
from unstuck.facts.aspects.cluster import Candidate, FinalizerOwner
from unstuck.facts.aspects.objects import Deletion, Finalizers, Presence
from unstuck.facts.aspects.storage import Attached, Attachment, Attachments
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

NOW = datetime(2026, 11, 21, 0, 10, tzinfo=UTC)
SRC = Source("test")
FINALIZER = "external-attacher/disk-csi-example-com"
ATTACHMENT, VOLUME = Ref("VolumeAttachment", None, "a", "1"), Ref("PersistentVolume", None, "pvc-1", "2")
ATTACHER = Ref("Deployment", "block", "controller")
EARLIER = NOW - timedelta(minutes=5)


def snapshot(ready: int, renewed: datetime) -> Snapshot:
    item = Attached(ATTACHMENT, "disk.csi.example.com", "n-1", "pvc-1", True, "refused", EARLIER)
    candidate = Candidate(
        ATTACHER, "holds its lease", ready=ready, wanted=1, renewed=renewed, lease_seconds=15, touched=EARLIER
    )
    facts = [
        Attachment(about=ATTACHMENT, src=SRC, item=item),
        Attachments(about=VOLUME, src=SRC, items=(item,)),
    ]
    for ref in (ATTACHMENT, VOLUME):
        facts += [
            Presence(about=ref, src=SRC, exists=True),
            Deletion(about=ref, src=SRC, requested=True, due=NOW - timedelta(minutes=8)),
            Finalizers(about=ref, src=SRC, names=(FINALIZER,)),
            FinalizerOwner(
                about=ref,
                src=SRC,
                finalizer=FINALIZER,
                candidates=(candidate,),
                searched=("deployments", "statefulsets", "daemonsets", "leases"),
            ),
        ]
    return Snapshot(facts, now=NOW)


@pytest.mark.parametrize("subject", [ATTACHMENT, VOLUME])
def test_its_attacher_is_slow_because_the_driver_refuses(subject):
    told = diagnose(subject, snapshot(1, NOW), discover()).causes
    assert [(c.id, c.confidence, c.consequence_of) for c in told] == [
        ("volume.attachment-stuck", "proven", None),
        ("finalizer.controller-slow", "proven", 0),
    ]


def test_an_attacher_that_is_gone_meanwhile_is_a_root_of_its_own():
    told = diagnose(ATTACHMENT, snapshot(0, EARLIER), discover()).causes
    assert {(c.id, c.consequence_of) for c in told} == {
        ("finalizer.controller-gone", None),
        ("volume.attachment-stuck", None),
    }
