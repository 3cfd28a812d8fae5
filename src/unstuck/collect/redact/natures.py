"""The nature of each text in a fact, field by field: redaction treats it accordingly, and hides undeclared
fields.

Numbers, booleans, times and values of a closed list (`Literal`) are not texts and stay: they cannot hold
foreign words.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, get_args

from unstuck.facts.record import list_field_names

# name: of an object or several joined by `/`. ref: a Ref's name, whose kind gives its nature. image: a
# reference of an image. id: a uid or a container's id. quantity: an amount with its unit. version: of
# software. where: a path in the API, or any place. word: of Kubernetes, of Linux or of this program, never a
# private name. opaque: nothing of it is kept. output: a container's own words. text: anything else.
Nature = Literal[
    "name", "ref", "image", "id", "quantity", "version", "word", "where", "opaque", "output", "text"
]
NATURES: tuple[Nature, ...] = get_args(Nature)

_DECLARED: Mapping[str, str] = {
    # admission
    "PolicyParam": "name: binding",
    "AdmissionRule": "word: operations; text: groups resources",
    "Scope": "text: only but",
    "Webhook": "name: name",
    # alike
    "Other": "text: node",
    # cluster
    "ApiService": "text: reason message managed_by",
    "Candidate": "name: watched; word: watched_by; text: why",
    "Claim": "name: storage_class volume; word: modes",
    "Content": "word: kind; text: resource held",
    "Contents": "text: unlisted",
    "Discovery": "text: stale",
    "FinalizerOwner": "word: searched; text: finalizer manager group",
    "GroupFailure": "text: group_version message",
    "Lease": "name: holder",
    "NodeInfo": "version: kubelet runtime kernel; opaque: provider_id; text: os_image pod_cidrs",
    "NodeShape": "text: allocatable kept_from labels",
    "StorageClass": "text: provisioner",
    "Taint": "word: effect; text: key value",
    "Unschedulable": "text: reasons preemption",
    "Workload": "word: strategy; text: service_name requirements chosen surge unavailable_at_most revision",
    # cni
    "NetworkConfig": "text: path plugins",
    "NetworkPlugins": "text: conf_dir bin_dirs missing present usable",
    "PluginCall": "id: pod; text: command",
    # crds
    "Conversion": "text: stored",
    # disruption
    "DisruptionBudget": "quantity: bound",
    # driver_sets
    "DriverSet": "text: node_selector",
    # firewall
    "FilterChain": "word: policy; text: name rules",
    # grants
    "Binding": "text: others",
    # history
    "History": "text: current",
    "NodeAge": "name: name; version: kubelet; text: written",
    "Revision": "name: name",
    # signals
    "SignalLine": "text: path line",
    # packet_way
    "LinkSizes": "word: uplink",
    "PacketWay": "text: address",
    "PortRule": "word: hook table target; text: chain rule",
    "WayFault": "text: detail device source",
    "Route": "word: device; text: to gateway",
    # node_files
    "ConfigLine": "text: path text",
    "FileLines": "output: lines; text: path",
    "PathContent": "word: form processor; text: path value names beside",
    "TextLine": "text: text",
    "SeccompRules": "word: default; text: denied allowed",
    # node_mounts
    "ContainerMount": "id: container; word: fstype; text: path dev root",
    # node_paths
    "DeletedFile": "text: path",
    "NodePath": "word: error; text: missing beside",
    "PathCertificate": "text: subject file",
    "PathLink": "text: path target",
    "PathPart": "word: kind flags; text: path",
    # sockets
    "Listener": "text: address",
    "PortHolder": "text: address",
    # node_settings
    "NodeSetting": "word: key; text: value at item",
    # node_processes
    "NumberedProcess": "text: program",
    "PodSysctls": "word: items",
    # cgroup_limits
    "CgroupLimit": "id: pod container; text: path",
    # helm
    "HelmRevision": "name: release secret; word: status",
    # host
    "Consumer": "text: path",
    "DaemonState": "version: version",
    "DiskSpace": "text: not_looked_at unmeasured",
    "FlaggedFile": "word: flags; text: path",
    "FlaggedFiles": "text: under not_looked_at",
    "FrozenGroup": "word: state; text: path",
    "MountHolder": "text: namespace mountpoint",
    "Host": "version: kernel version; text: distribution sysctls",
    "LogSeen": "text: component path worst",
    "MountEntry": "word: fstype; text: mountpoint source root dev options propagation",
    "PlannedMount": "word: fstype options; text: source mountpoint",
    "OomKills": "id: more; text: items bounds",
    "PathUses": "text: not_read",
    "PodCgroup": "text: paths frozen below occupied",
    "PodDirectory": "text: volumes path",
    "PodProcesses": "text: cgroup",
    "Proc": (
        "id: pod container; word: state parent_state; text: comm unit waits_in syscall parent_comm "
        "namespaces missing_namespaces"
    ),
    "Space": "word: fstype; text: path mountpoint dev holds",
    "UnitFile": "text: settings path drop_ins",
    "Use": "word: how; text: path",
    "WaitingMount": "id: pods; word: fstype; text: source dev mountpoints server options",
    # kernel
    "HungTask": "id: pod; text: comm functions",
    "KernelEvent": "text: what quote",
    # kubelet
    "Certificate": "text: path subject issuer sha256",
    "StaticPod": "word: kind; text: file labels refused",
    "StaticPods": "name: node; text: path",
    "Certificates": "text: unread",
    "CsiVolume": "name: name; text: path driver",
    "Endpoint": "text: path",
    "KubeletConfig": "quantity: eviction_hard eviction_soft; version: version; text: "
    "root_dir real_root cgroup_driver "
    "cgroup_root "
    "pod_logs_dir static_pod_path runtime_endpoint file paths absent",
    "KubeletHealth": "text: checks",
    "KubeletPod": "word: phase",
    "Listed": "word: phase",
    "Series": "text: name labels",
    "Rivals": "name: files",
    "StaticManifests": "name: names; text: path pods",
    # left
    "Earlier": "text: message where",
    "LeftDirectory": "id: uid; text: path volumes files",
    # limits
    "Bound": "quantity: value; word: per; text: by resource",
    "Quota": "quantity: hard used",
    # machine
    "Clock": "text: service",
    "HostLimit": "word: setting",
    "InotifyUser": "text: comms",
    # objects
    "Below": "word: kind",
    "Condition": "word: type status; text: reason message",
    "Event": "text: reason message reporter",
    "Failure": "name: host container volume; text: path key message reporter",
    "Finalizers": "text: names",
    "KeyAddress": "text: key host",
    "KeyPath": "text: key path",
    "KeyShape": "name: key",
    "Keys": "name: names returning; text: secret_type",
    "Labels": "text: items annotations",
    "Names": "name: names; text: selector",
    "Phase": "word: phase; text: reason message",
    "Server": "version: version",
    "Touch": "name: manager; text: fields subresource",
    # pasted
    "Pasted": "text: lines",
    "ShownCommand": "text: words text host",
    "ShownReason": "where: at; text: line name value other",
    "ToldError": "text: by",
    # placing
    "AttachmentInput": "name: name volume; text: node attacher",
    "CapacityInput": "name: name storage_class",
    "ClaimInput": (
        "name: namespace name storage_class volume; id: uid owner; word: modes mode phase; text: "
        "selected_node attributes_class"
    ),
    "ClassInput": "name: name; word: binding; text: provisioner topologies",
    "CsiDriverInput": "name: name",
    "CsiNodeInput": "name: name; text: drivers migrated",
    "DeviceClassInput": "name: name",
    "DeviceRequest": "name: name; text: device_class alternatives selectors",
    "HostPort": "word: protocol; text: ip",
    "NamespaceInput": "name: name; text: labels",
    "NodeInput": "name: name; text: labels allocatable",
    "PendingInput": "name: name; id: uid; text: nominated node",
    "PlacingInputs": "text: placed unlisted unasked",
    "PodShape": "name: namespace; text: labels requests node_selector gates scheduler owner",
    "PodTerm": "text: topology_key namespaces match_label_keys mismatch_label_keys",
    "PodVolumeUse": "name: name claim; id: owner; word: type; text: source",
    "Requirement": "word: operator; text: key values",
    "ResourceClaimInput": "name: namespace name; id: uid owner; text: devices",
    "ResourceClaimUse": "name: name claim; text: template",
    "SliceInput": "name: name; text: driver pool node devices uncertain traits",
    "SpreadConstraint": "word: when affinity_policy taints_policy; text: topology_key match_label_keys",
    "Toleration": "word: operator effect; text: key value",
    "UnreadableField": "text: field written why",
    "VolumeInput": (
        "name: name storage_class claim; word: modes mode phase type; text: labels source attributes_class"
    ),
    # pod
    "Complaint": (
        "output: line reason detail; word: verb; where: name; text: path place resource group namespace"
    ),
    "ContainerSpec": "name: name mounts; image: image; quantity: requests limits; word: pull_policy; "
    "text: command ports env read_only heap",
    "ContainerStatus": "name: name; image: image; id: container_id; text: reason message",
    "Containers": "word: restart; text: gates",
    "Demands": "quantity: requests; text: selector unreadable claims",
    "Handler": "word: how scheme; text: what port host paths",
    "LastLines": "output: lines",
    "Need": "name: container volume; word: by; text: key",
    "Placement": "text: scheduler gates",
    "PodVolume": "name: name; word: type; quantity: size_limit; text: what",
    "Termination": "id: container_id; output: message; text: reason",
    "ToldPort": "name: container",
    "TroubleLine": "name: container; output: line setting",
    "Volumes": "text: sub_paths",
    # protection
    "Dependent": "text: finalizers",
    "Dependents": "text: unlisted",
    "Uncounted": "id: uids",
    # policies
    "Policy": "name: name",
    "PolicyPeer": "text: cidr",
    "PolicyPort": "text: port; word: protocol",
    # pulls
    "NodeImages": "image: names",
    "PullLinks": "name: names",
    "PullSecrets": "name: names",
    "PullServers": "text: servers",
    "Tags": "text: tags",
    # references
    "LabelSelector": "word: field; text: selector spaces",
    "Decider": "word: field",
    "End": "word: field",
    "Lapse": "word: field by; text: value",
    "Due": "word: schedule zone",
    "Counterpart": "word: relation field kind theirs; text: value there",
    "ClassWork": "text: controller; word: cloud",
    "Mark": "text: key value",
    "Namesakes": "name: near",
    "Reference": "word: field; text: port beside hosts api",
    "Section": "name: name; word: routes",
    "RoleRule": "word: verbs; text: groups resources; name: names",
    "ServedVersions": "text: versions",
    "DeadSelector": "word: field of; text: selector others",
    "Selects": "name: names lost ports; word: of; text: selector others",
    # refusals
    "ForbiddenRequests": "text: items",
    "Refusal": "text: why",
    # reported
    "PartCondition": "text: part",
    "ControllerLine": "output: line",
    "Setting": "word: field; text: value",
    "StatusWord": "word: field value; text: message",
    "Unlike": "text: field own theirs",
    # runtime
    "ContainerSeen": "name: name; id: id",
    "RuntimeAnswer": "version: version; text: socket api",
    "RuntimeWord": "text: by",
    "SilentContainer": "id: id pod",
    "Try": "text: call error",
    # services
    "Behind": "name: name; text: ports node address; word: protocols",
    "Beside": "text: selector differs",
    "Nearly": "name: name; text: differs",
    "ServicePort": "name: name; word: protocol; text: target",
    "ServiceSpec": "text: selector addresses outer ranges",
    # settings
    "ContainerSettings": "name: name; word: dropped added; name: devices; text: unset literal seccomp",
    "HostAlias": "text: address names",
    "PrefixedSource": "text: prefix",
    "PodSettings": "word: os dns_policy; name: subdomain account",
    "SubPathMount": "name: volume; text: path sub_path",
    "TokenVolume": "name: volume; text: path audience",
    "VariableSource": "text: name key",
    "VolumeFile": "name: volume; text: key path",
    "VolumeMode": "name: volume; text: key",
    # signing
    "SigningRequest": "text: signer requester",
    # storage
    "Attached": "name: volume; text: driver node error",
    "CsiDrivers": "name: names",
    "CsiSource": "text: driver handle local host",
    "PluginSockets": "text: registered drivers",
    "Reserved": "name: claim storage_class; word: policy modes",
    # stored
    "Unreadable": "text: key message",
    # tls
    "ServingCertificate": "text: subject issuer names",
    # touched
    "Touched": "word: error; text: dev",
    # ways
    "Unreached": "name: name; word: way reason; text: detail",
    # core
    "Ref": "name: within; ref: name; id: uid; word: kind; text: block",
    "Refused": "word: want; text: detail",
    "Source": "where: where; text: quote",
}


def natures_of(kind: type) -> Mapping[str, Nature]:
    """Return the nature of each text field of a record that is declared. Errors: ValueError for a word
    that names no nature.
    """
    return natures_named(kind.__name__)


@cache
def natures_named(name: str) -> Mapping[str, Nature]:
    """Return the natures of a record's fields, by the record's name; empty for an unknown record."""
    return {
        field: _nature(nature.strip())
        for nature, _, fields in _list_clauses(_DECLARED.get(name, ""))
        for field in fields.split()
    }


def _list_clauses(declared: str) -> Iterator[tuple[str, str, str]]:
    return (clause.partition(":") for clause in declared.split(";") if clause)


def _nature(word: str) -> Nature:
    if word not in NATURES:
        raise ValueError(f"{word} is no nature of a text")
    return word


@cache
def closed_fields(kind: Any) -> Mapping[str, frozenset[str]]:
    """Return the fields of a record that hold words of a closed list, with that list."""
    hints = typing.get_type_hints(kind)
    return {
        name: frozenset(words)
        for name in list_field_names(kind)
        if (words := tuple(_list_literals(hints[name])))
    }


@cache
def texts(kind: Any) -> tuple[str, ...]:
    """Return the fields of a record that can hold any text, in themselves or in tuples."""
    hints = typing.get_type_hints(kind)
    return tuple(name for name in list_field_names(kind) if _holds_text(hints[name]))


def declared_names() -> tuple[str, ...]:
    """Return the names of all records with declared natures."""
    return tuple(_DECLARED)


def _holds_text(hint: Any) -> bool:
    if typing.get_origin(hint) in (types.UnionType, typing.Union, tuple):
        return any(map(_holds_text, get_args(hint)))
    return hint is str


def _list_literals(hint: Any) -> Iterator[str]:
    if typing.get_origin(hint) is Literal:
        yield from (word for word in get_args(hint) if isinstance(word, str))
    elif typing.get_origin(hint) in (types.UnionType, typing.Union, tuple):
        for part in get_args(hint):
            yield from _list_literals(part)
