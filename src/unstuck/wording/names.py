"""Finds the Pod that a line of a log names, in each of the forms that kubelets and runtimes write.

Sources: klog `KObj` (`pod="ns/name" podUID="…"`), client-go tools/record/event.go (`Event occurred`, before 1.19 `Event(v1.ObjectReference{…`), pkg/kubelet/util/format/pod.go (`name_ns(uid)`), operation_executor.go
(`pod "name" (UID: "…")`, `podName:UID`), dockershim's container names (`k8s_C_POD_NS_UID_N`), CRI `PodSandboxMetadata`.
"""

from __future__ import annotations

import re

from unstuck.facts.core import Ref
from unstuck.facts.regex import POD_UID, UUID, regex

_NAME = r"[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?"
_NS = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("pod=", regex(rf"\bpod=\"?(?P<ns>{_NS})/(?P<name>{_NAME})\"?")),
    ("Event occurred", regex(rf"\bobject=\"(?P<ns>{_NS})/(?P<name>{_NAME})\" .{{0,300}}?\bkind=\"Pod\"")),
    (
        "ObjectReference{",
        regex(
            rf"ObjectReference\{{Kind:\"Pod\", Namespace:\"(?P<ns>{_NS})\", Name:\"(?P<name>{_NAME})\", UID:\"(?P<uid>{POD_UID})\""
        ),
    ),
    (
        "k8s_",
        regex(
            rf"\bk8s_[a-z0-9-]{{1,63}}(?:\.[0-9a-f]{{1,8}})?_(?P<name>{_NAME})_(?P<ns>{_NS})_(?P<uid>{POD_UID})_\d"
        ),
    ),
    (
        "PodSandboxMetadata{",
        regex(
            rf"PodSandboxMetadata\{{Name:(?P<name>{_NAME}),Uid:(?P<uid>{POD_UID}),Namespace:(?P<ns>{_NS}),"
        ),
    ),
    ("(UID: ", regex(rf"\bpod \\*\"(?P<name>{_NAME})\\*\" \(UID: \\*\"(?P<uid>{POD_UID})\\*\"\)")),
    ("podUID", regex(rf"\bpodUID[=:]\"?(?P<uid>{POD_UID})")),
    ("podName:", regex(rf"\bpodName:(?P<uid>{POD_UID})")),
    # Block volumes: pkg/volume/util/volumepathhandler, `…/volumeDevices/VOLUME/POD_UID`.
    ("/volumeDevices/", regex(rf"/volumeDevices/[^\s\"]{{1,400}}/(?P<uid>{UUID})(?![\w/-])")),
    ("/pods/", regex(rf"/pods/(?P<uid>{POD_UID})(?=/|\b)")),
    ("pod", regex(r"\bpod(?P<systemd>[0-9a-f]{8}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{4}_[0-9a-f]{12})")),
    ("pod", regex(rf"\bpod(?P<uid>{POD_UID})\b")),
    ("pod ", regex(rf"\bpod \"(?P<name>{_NAME})_(?P<ns>{_NS})\"")),
    ("rphaned pod", regex(rf"orphaned pod \\*\"(?P<uid>{POD_UID})\\*\"", re.IGNORECASE)),
)
_POD_UID = regex(rf"\bpodUID[=:]\"?(?P<uid>{POD_UID})")


# `name_ns(uid)`: the uid in its parentheses is looked for first, for a name can begin anywhere.
_BRACKETED = regex(rf"\((?P<uid>{POD_UID})\)")
_BEFORE = regex(rf"(?P<name>{_NAME})_(?P<ns>{_NS})$")


def find_pod(text: str) -> Ref | None:
    """Return the Pod that a log line is about; None if it names none. Parts that the line does not name stay None in the Ref."""
    bracketed = _find_bracketed(text)
    if bracketed is not None:
        return bracketed
    for literal, form in _FORMS:
        if literal not in text:
            continue
        match = form.search(text)
        if match:
            return _make_pod_ref(match.groupdict(), text)
    return None


def _find_bracketed(text: str) -> Ref | None:
    for uid in _BRACKETED.finditer(text):
        word = re.split(r"[^a-z0-9._-]", text[max(0, uid.start() - 330) : uid.start()])[-1]
        before = _BEFORE.fullmatch(word)
        if before:
            return Ref("Pod", before["ns"], before["name"], uid["uid"])
    return None


def _make_pod_ref(groups: dict[str, str | None], text: str) -> Ref:
    systemd = groups.get("systemd")
    uid = systemd.replace("_", "-") if systemd else groups.get("uid")
    if uid is None and "podUID" in text and (match := _POD_UID.search(text)):
        uid = match["uid"]
    name = groups.get("name")
    # The volume manager's `pod "…"` is the uid once more where a volume is unmounted.
    return Ref("Pod", groups.get("ns"), None if name == uid else name, uid)
