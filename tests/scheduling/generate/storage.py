"""Claims, volumes, classes, drivers and attachments, for the Pod to place and for running Pods."""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.scheduling.generate.draw import Draw, Json, put
from tests.scheduling.generate.nodes import EBS_ZONE, HOST, NAMES, OLD_ZONE, REGION, ZONE
from tests.scheduling.generate.selectors import APP, draw_node_terms

CLAIMS = ("c1", "c2", "c3", "c4")
VOLUMES = ("v1", "v2", "v3", "v4", "v5", "v6")
CSI, OTHER, EBS, PD = "csi.example.com", "other.example.com", "ebs.csi.aws.com", "pd.csi.storage.gke.io"
CLASSES = ("waits", "at-once", "local", "zonal", "modeless")
MIGRATED = tuple(
    f"kubernetes.io/{name}"
    for name in (
        "aws-ebs",
        "gce-pd",
        "cinder",
        "azure-disk",
        "azure-file",
        "vsphere-volume",
        "portworx-volume",
    )
)
DAY = "2026-11-20T00:00:00Z"
# No two volumes have the same size: among equal ones the scheduler takes any.
SIZES = {"v1": "1Gi", "v2": "2Gi", "v3": "3Gi", "v4": "4Gi", "v5": "5Gi", "v6": "512Mi"}


@dataclass
class Storage:
    """The objects of a case related to storage."""

    pvcs: list[Json] = field(default_factory=list)
    pvs: list[Json] = field(default_factory=list)
    classes: list[Json] = field(default_factory=list)
    csinodes: list[Json] = field(default_factory=list)
    csidrivers: list[Json] = field(default_factory=list)
    capacities: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)


def make_storage(draw: Draw, pods: list[Json], nodes: list[str]) -> Storage:
    """Give the Pods volumes (the first Pod is the one to place) and usually create their prerequisites."""
    made = Storage()
    made.classes = [_draw_class(draw, name) for name in CLASSES if draw.chance(93)]
    for i, pod in enumerate(pods):
        if draw.chance(95 if i == 0 else 55):
            pod["spec"]["volumes"] = [
                _use(draw, pod, j, made) for j in range(draw.weighted({1: 60, 2: 30, 3: 10}))
            ]
    for namespace in dict.fromkeys(pod["metadata"]["namespace"] for pod in pods):
        made.pvcs += [_draw_claim(draw, namespace, name) for name in CLAIMS if draw.chance(90)]
    # A claim has at most one volume reserved for it: of two the scheduler may examine either.
    meant = [draw.pick(made.pvcs) if made.pvcs and draw.chance(40) else None for _ in VOLUMES]
    made.pvs = [
        _draw_volume(draw, name, claim if claim not in meant[:i] else None)
        for i, (name, claim) in enumerate(zip(VOLUMES, meant, strict=True))
        if draw.chance(85)
    ]
    made.csinodes = [_draw_csi_node(draw, name) for name in nodes if draw.chance(75)]
    made.csidrivers = [_draw_csi_driver(draw, name) for name in (CSI, OTHER) if draw.chance(70)]
    made.capacities = [
        _draw_capacity(draw, f"cap{i}") for i in range(draw.weighted({0: 40, 1: 20, 2: 20, 3: 20}))
    ]
    made.attachments = [
        _draw_attachment(draw, i, nodes) for i in range(draw.weighted({0: 55, 1: 20, 2: 15, 4: 10})) if nodes
    ]
    return made


def _use(draw: Draw, pod: Json, index: int, made: Storage) -> Json:
    name = f"d{index}"
    kind = draw.weighted(
        {
            "claim": 58,
            "ephemeral": 8,
            "ebs": 8,
            "disk": 7,
            "rbd": 5,
            "iscsi": 5,
            "moved": 4,
            "empty": 4,
            "csi": 1,
        }
    )
    read_only = True if draw.chance(45) else None
    if kind == "claim":
        return {
            "name": name,
            "persistentVolumeClaim": {"claimName": draw.pick((*CLAIMS, *CLAIMS, *CLAIMS, "gone"))},
        }
    if kind == "ephemeral":
        if draw.chance(75):
            made.pvcs.append(_draw_ephemeral_claim(draw, pod, name))
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "waits",
            "resources": {"requests": {"storage": "1Gi"}},
        }
        return {"name": name, "ephemeral": {"volumeClaimTemplate": {"spec": spec}}}
    if kind == "ebs":
        return {
            "name": name,
            "awsElasticBlockStore": put({"volumeID": draw.pick(("vol-1", "vol-2"))}, readOnly=read_only),
        }
    if kind == "disk":
        return {
            "name": name,
            "gcePersistentDisk": put({"pdName": draw.pick(("disk-1", "disk-2"))}, readOnly=read_only),
        }
    if kind == "rbd":
        rbd: Json = {
            "monitors": draw.some(("m1", "m2", "m3"), 1, 2),
            "image": draw.pick(("i1", "i2")),
            "pool": draw.pick(("rbd", "p2")),
        }
        return {"name": name, "rbd": put(rbd, readOnly=read_only)}
    if kind == "iscsi":
        iscsi: Json = {
            "targetPortal": "10.0.0.9",
            "iqn": draw.pick(("iqn.a", "iqn.b")),
            "lun": draw.number(0, 1),
        }
        return {"name": name, "iscsi": put(iscsi, readOnly=read_only)}
    if kind == "moved":
        return {"name": name, **_draw_migrated(draw, name)}
    if kind == "csi":
        return {"name": name, "csi": {"driver": CSI}}
    return {"name": name, "emptyDir": {}}


def _draw_migrated(draw: Draw, name: str) -> Json:
    """Draw the source of an in-tree volume that is migrated to a CSI driver."""
    return draw.pick(
        (
            {"azureDisk": {"diskName": name, "diskURI": f"/subscriptions/s/{name}", "kind": "Managed"}},
            {"cinder": {"volumeID": name}},
            {"vsphereVolume": {"volumePath": f"[ds] {name}"}},
            {"portworxVolume": {"volumeID": name}},
            {"azureFile": {"secretName": "s", "shareName": name}},
        )
    )


def _draw_ephemeral_claim(draw: Draw, pod: Json, volume: str) -> Json:
    metadata = pod["metadata"]
    made = _draw_claim(draw, metadata["namespace"], f"{metadata['name']}-{volume}")
    if draw.chance(85):
        owner = {
            "apiVersion": "v1",
            "kind": "Pod",
            "name": metadata["name"],
            "uid": metadata["uid"],
            "controller": True,
        }
        made["metadata"]["ownerReferences"] = [owner]
    return made


def _draw_claim(draw: Draw, namespace: str, name: str) -> Json:
    metadata: Json = {"namespace": namespace, "name": name, "uid": f"uid-{namespace}-{name}"}
    modes = [draw.weighted({"ReadWriteOnce": 65, "ReadWriteOncePod": 20, "ReadWriteMany": 15})]
    spec: Json = {"accessModes": modes, "volumeMode": "Block" if draw.chance(5) else "Filesystem"}
    if draw.chance(97):
        spec["resources"] = {"requests": {"storage": draw.pick(("1Gi", "2Gi", "3Gi", "500Mi", "3500M"))}}
    named = draw.weighted(
        {
            "waits": 36,
            "at-once": 12,
            "local": 14,
            "zonal": 12,
            "modeless": 2,
            "gone": 3,
            "": 8,
            None: 5,
            "annotated": 5,
        }
    )
    annotations: Json = {}
    if named == "annotated":
        annotations["volume.beta.kubernetes.io/storage-class"] = draw.pick(("waits", "local", ""))
    else:
        put(spec, storageClassName=named)
    if draw.chance(8):
        spec["selector"] = {"matchLabels": {APP: draw.pick(("web", "db"))}}
    status: Json = {"phase": "Pending"}
    bound = draw.chance(55 if named != "at-once" else 85)
    if bound:
        spec["volumeName"] = draw.pick((*VOLUMES, *VOLUMES, "gone"))
        status["phase"] = "Lost" if draw.chance(3) else "Bound"
        if draw.chance(93):
            annotations["pv.kubernetes.io/bind-completed"] = "yes"
    elif draw.chance(6):
        annotations["volume.kubernetes.io/selected-node"] = draw.pick(NAMES)
    if draw.chance(2):
        metadata.update(deletionTimestamp=DAY, finalizers=["kubernetes.io/pvc-protection"])
    if annotations:
        metadata["annotations"] = annotations
    return {"metadata": metadata, "spec": spec, "status": status}


def _draw_source(draw: Draw, name: str) -> Json:
    kind = draw.weighted({"csi": 56, "local": 14, "ebs": 12, "pd": 9, "moved": 5, "nfs": 4})
    if kind == "csi":
        # Two volumes may share one handle of the storage, and so count once.
        handle = name if draw.chance(90) else "shared"
        return {
            "csi": {"driver": draw.weighted({CSI: 65, OTHER: 20, EBS: 10, PD: 5}), "volumeHandle": handle}
        }
    if kind == "local":
        return {"local": {"path": "/mnt/d"}}
    if kind == "ebs":
        return {
            "awsElasticBlockStore": {"volumeID": draw.pick((f"aws://a/vol-{name}", "vol-1", "aws://b/vol-2"))}
        }
    if kind == "pd":
        return {"gcePersistentDisk": {"pdName": draw.pick((f"pd-{name}", "disk-1"))}}
    if kind == "moved":
        source = _draw_migrated(draw, name)
        if "azureFile" in source:
            source["azureFile"]["secretNamespace"] = "default"
        return source
    return {"nfs": {"server": "s", "path": "/"}}


def _draw_volume(draw: Draw, name: str, meant_for: Json | None) -> Json:
    labels: dict[str, str] = {}
    if draw.chance(25):
        labels[draw.pick((ZONE, OLD_ZONE))] = draw.pick(("a", "b", "a__b", "b__c", "a__", ""))
    if draw.chance(8):
        labels[REGION] = draw.pick(("r1", "r2"))
    if draw.chance(15):
        labels[APP] = draw.pick(("web", "db"))
    source = _draw_source(draw, name)
    mode = draw.weighted({"ReadWriteOnce": 75, "ReadWriteOncePod": 10, "ReadWriteMany": 15})
    spec: Json = {
        "capacity": {"storage": SIZES[name]},
        "accessModes": [mode, "ReadOnlyMany"],
        "volumeMode": "Filesystem",
        **source,
    }
    put(
        spec,
        storageClassName=draw.weighted(
            {"waits": 35, "local": 30, "zonal": 10, "at-once": 10, "": 5, None: 10}
        ),
    )
    if "local" in source or draw.chance(30):
        terms = draw_node_terms(draw, 0) if draw.chance(25) else [{"matchExpressions": [_draw_place(draw)]}]
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": terms}}
    status = {"phase": draw.weighted({"Available": 60, "Bound": 30, "Released": 7, "Failed": 3})}
    if meant_for:
        claim = meant_for["metadata"]
        uid = draw.weighted({claim["uid"]: 70, None: 20, "another": 10})
        spec["claimRef"] = put({"namespace": claim["namespace"], "name": claim["name"]}, uid=uid)
    metadata: Json = {"name": name, "uid": f"uid-{name}"}
    if draw.chance(3):
        metadata.update(deletionTimestamp=DAY, finalizers=["kubernetes.io/pv-protection"])
    return {"metadata": put(metadata, labels=labels or None), "spec": spec, "status": status}


def _draw_place(draw: Draw) -> Json:
    if draw.chance(50):
        return {"key": HOST, "operator": "In", "values": draw.some(NAMES[:3], 1, 2)}
    return {
        "key": draw.pick((ZONE, ZONE, OLD_ZONE, EBS_ZONE)),
        "operator": "In",
        "values": draw.some(("a", "b", "c"), 1, 2),
    }


def _draw_class(draw: Draw, name: str) -> Json:
    made: Json = {"metadata": {"name": name}, "provisioner": CSI, "volumeBindingMode": "WaitForFirstConsumer"}
    if name == "at-once":
        made["volumeBindingMode"] = "Immediate"
    elif name == "local":
        made["provisioner"] = "kubernetes.io/no-provisioner"
    elif name == "zonal":
        made["provisioner"] = draw.pick((OTHER, CSI))
        made["allowedTopologies"] = [_draw_topology(draw) for _ in range(draw.weighted({1: 80, 2: 15, 0: 5}))]
    elif name == "modeless":
        del made["volumeBindingMode"]
    return made


def _draw_topology(draw: Draw) -> Json:
    expressions = [{"key": ZONE, "values": draw.some(("a", "b", "c"), 1, 2)}]
    if draw.chance(25):
        expressions.append({"key": REGION, "values": ["r1"]})
    return {} if draw.chance(4) else {"matchLabelExpressions": expressions}


def _draw_csi_node(draw: Draw, name: str) -> Json:
    drivers = []
    for driver in (
        CSI,
        OTHER,
        EBS,
        PD,
        "disk.csi.azure.com",
        "cinder.csi.openstack.org",
        "csi.vsphere.vmware.com",
    ):
        if draw.chance(75 if driver == CSI else 40):
            one: Json = {"name": driver, "nodeID": name, "topologyKeys": []}
            if draw.chance(75):
                one["allocatable"] = {"count": draw.pick((0, 1, 1, 2, 2, 3))} if draw.chance(95) else {}
            drivers.append(one)
    metadata: Json = {"name": name}
    if draw.chance(60):
        metadata["annotations"] = {
            "storage.alpha.kubernetes.io/migrated-plugins": ",".join(draw.some(MIGRATED, 0, len(MIGRATED)))
        }
    return {"metadata": metadata, "spec": {"drivers": drivers}}


def _draw_csi_driver(draw: Draw, name: str) -> Json:
    return {
        "metadata": {"name": name},
        "spec": put({}, storageCapacity=draw.weighted({True: 65, False: 25, None: 10})),
    }


def _draw_capacity(draw: Draw, name: str) -> Json:
    made: Json = {
        "metadata": {"name": name, "namespace": "default"},
        "storageClassName": draw.pick(("waits", "zonal")),
    }
    if draw.chance(90):
        selectors: tuple[Json, ...] = (
            {},
            {"matchLabels": {ZONE: draw.pick(("a", "b"))}},
            {"matchLabels": {HOST: draw.pick(NAMES)}},
        )
        made["nodeTopology"] = draw.pick(selectors)
    if draw.chance(95):
        made["capacity"] = draw.pick(("500Mi", "1Gi", "2500Mi", "10Gi", "0"))
    if draw.chance(25):
        made["maximumVolumeSize"] = draw.pick(("500Mi", "1Gi", "2Gi"))
    return made


def _draw_attachment(draw: Draw, index: int, nodes: list[str]) -> Json:
    source: Json = {"persistentVolumeName": draw.pick((*VOLUMES, "gone"))} if draw.chance(97) else {}
    attacher = draw.weighted({CSI: 70, OTHER: 20, EBS: 10})
    return {
        "metadata": {"name": f"a{index}"},
        "spec": {"attacher": attacher, "nodeName": draw.pick(nodes), "source": source},
    }
