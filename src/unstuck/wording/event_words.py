"""Sentences that occur only as the message of one Event: its reason, and the kind of its object.

Most messages are failed calls, which `match` reads. These report a decision of a controller or the kubelet about an object.
"""

from __future__ import annotations

import re
from typing import Literal

from unstuck.facts.record import Record, record
from unstuck.wording.clean import clean
from unstuck.wording.pattern import Seen, words

Kind = Literal["Node", "PersistentVolumeClaim", "Pod"]


@record()
class EventSentence(Record):
    """A sentence. need: lower-case literals; every match holds one. examples: each is the message from its first word on."""

    regex: re.Pattern[str]
    reason: str
    kind: Kind
    need: tuple[str, ...]
    seen: tuple[Seen, ...]
    examples: tuple[str, ...]


_EVICTION = "pkg/kubelet/eviction/helpers.go, eviction_manager.go"
# A quoted word in prose is no message.
_BEGINS = r"(?<![\w`])"

SENTENCES: tuple[EventSentence, ...] = (
    EventSentence(
        words(
            rf"{_BEGINS}(?:(?:Pod )?The node (?:was low on resource: \[?[\w-]{{1,60}}\]?\.|had condition: \[)|"
            r"Container [a-z0-9-]{1,63} exceeded its local ephemeral storage limit \"|Usage of EmptyDir volume \"[^\"]{1,63}\" exceeds the limit |"
            r"Pod ephemeral local storage usage exceeds the total limit of containers )"
        ),
        "Evicted",
        "Pod",
        (
            "the node was low on",
            "the node had condition",
            "local ephemeral storage limit",
            "usage of emptydir",
            "ephemeral local storage",
        ),
        (Seen("kubelet", "1.10–1.34", _EVICTION),),
        (
            "The node was low on resource: memory. Threshold quantity: 100Mi, available: 90Mi.",
            'Container app exceeded its local ephemeral storage limit "1Gi". ',
        ),
    ),
    EventSentence(
        words(rf"{_BEGINS}no persistent volumes available for this claim and no storage class is set\b"),
        "FailedBinding",
        "PersistentVolumeClaim",
        ("no storage class is set",),
        (
            Seen(
                "kube-controller-manager",
                "1.4–1.34",
                "pkg/controller/volume/persistentvolume/pv_controller.go (syncUnboundClaim)",
            ),
        ),
        ("no persistent volumes available for this claim and no storage class is set",),
    ),
    EventSentence(
        words(rf"{_BEGINS}[Ff]ailed to provision volume with StorageClass \"[^\"\s]{{1,253}}\": \S"),
        "ProvisioningFailed",
        "PersistentVolumeClaim",
        ("to provision volume with storageclass",),
        (
            Seen("external-provisioner", "0.2–5", "pkg/controller/controller.go"),
            Seen(
                "kube-controller-manager",
                "1.4–1.34",
                "pkg/controller/volume/persistentvolume/pv_controller.go (provisionClaimOperation)",
            ),
        ),
        (
            'failed to provision volume with StorageClass "fast": rpc error: code = Internal desc = controller not configured',
            'Failed to provision volume with StorageClass "slow": unknown option type',
        ),
    ),
    # The node's condition is written before it says so.
    EventSentence(
        words(
            rf"{_BEGINS}eviction manager: (?:attempting to|must evict pod ?\(s\) to) reclaim\b[^\n]{{0,40}}?"
            r"(?:ephemeral-storage|inodes|nodefs\w{0,10}|imagefs\w{0,10}|memory|pids)\b"
        ),
        "EvictionThresholdMet",
        "Node",
        ("eviction manager: ",),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/eviction/eviction_manager.go (synchronize)"),),
        (
            "eviction manager: must evict pod(s) to reclaim ephemeral-storage",
            'Eviction manager: attempting to reclaim" resourceName="ephemeral-storage"',
        ),
    ),
    EventSentence(
        words(
            rf"{_BEGINS}Image garbage collection failed multiple times in a row\b[^\n]{{0,40}}?"
            r"failed to garbage collect required amount of images\. (?:Wanted|Attempted) to free \d{1,20}[^\n]{0,80}"
        ),
        "ImageGCFailed",
        "Node",
        ("garbage collection failed multiple times", "required amount of images"),
        (
            Seen("kubelet", "1.8–1.34", "pkg/kubelet/kubelet.go (StartGarbageCollection)"),
            Seen("kubelet", "1.5–1.34", "pkg/kubelet/images/image_gc_manager.go (GarbageCollect)"),
        ),
        (
            "Image garbage collection failed multiple times in a row: failed to garbage collect required "
            "amount of images. Wanted to free 954081952 bytes, but freed 0 bytes",
            'Image garbage collection failed multiple times in a row" err="Failed to garbage collect required amount of images. Attempted to '
            'free 954081952 bytes, but only found 0 bytes eligible to free."',
        ),
    ),
)


def find_sentence(text: str) -> tuple[EventSentence, str] | None:
    """Return the first such sentence of a text, and the message from its first word on; None if there is
    none.
    """
    cleaned = clean(text)
    low = cleaned.lower()
    for sentence in SENTENCES:
        if any(literal in low for literal in sentence.need) and (match := sentence.regex.search(cleaned)):
            return sentence, cleaned[match.start() :]
    return None
