"""Sentences of operators and storage drivers about what they manage: a call that is still running in a driver,
and what OLM's resolver cannot combine.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import NAME, SPACE, LastWord, words

_OLM = Seen(
    "OLM",
    "0.15–0.38",
    "pkg/controller/registry/resolver/resolver.go, pkg/controller/registry/resolver/cache/predicates.go",
)
_REFERENCED = rf"referenced by subscription {NAME}"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "lock-held",
        words(
            r"\b[Aa]n (?P<verb>operation) with the given (?P<resource>[Vv]olume|[Ss]napshot|target path)(?: ID| [Kk]ey)?[ =]\\*\"?"
            r"(?P<name>[\w.:/^@-]{3,250})\\*\"? (?:already exists|is already in progress)\b"
        ),
        ("n operation with the given ",),
        (
            Seen("ceph-csi", "1–3", "internal/util/idlocker.go"),
            Seen("aws-ebs-csi-driver", "0.5–1", "pkg/driver/controller.go, pkg/driver/node.go"),
            Seen("azuredisk-csi-driver", "0.7–1", "pkg/azuredisk/azuredisk.go"),
            Seen("gcp-compute-persistent-disk-csi-driver", "0.5–1", "pkg/common/constants.go"),
        ),
        (
            Example(
                "GRPC error: rpc error: code = Aborted desc = an operation with the given Volume ID pvc-7a already exists",
                "lock-held name=pvc-7a resource=Volume verb=operation",
            ),
            Example(
                'rpc error: code = Aborted desc = An operation with the given volume="vol-0a1b" is already in progress',
                "lock-held name=vol-0a1b resource=volume verb=operation",
            ),
        ),
    ),
    LastWord(
        "name-taken",
        words(
            rf"\b(?P<resource>[Cc]luster[Ss]ervice[Vv]ersion) (?P<name>{NAME}) (?P<reason>exists and is not referenced by a subscription)"
        ),
        ("is not referenced by a subscription",),
        (_OLM,),
        (
            Example(
                "constraints not satisfiable: subscription till exists, clusterserviceversion till.v1.2.0 exists and is not referenced by a subscription",
                "name-taken name=till.v1.2.0 reason=exists and is not referenced by a subscription resource=clusterserviceversion",
            ),
            Example(
                "message: clusterserviceversion cart-operator.v0.9.1 exists and is not referenced by a subscription, @existing/shop//cart-operator.v0.9.1 originates",
                "name-taken name=cart-operator.v0.9.1 reason=exists and is not referenced by a subscription resource=clusterserviceversion",
            ),
        ),
        own=True,
    ),
    LastWord(
        "value-absent",
        words(
            rf"(?P<reason>\bno operators found (?:from (?P<resource>catalog) (?P<name>{NAME}) in namespace (?P<namespace>{SPACE})"
            rf"|with (?P<resource_2>name) (?P<name_2>{NAME}) in channel \S{{1,80}} of package \S{{1,120}} in the catalog"
            rf"|in (?P<resource_3>channel) (?P<name_3>[\w.-]{{1,80}}) of package \S{{1,120}} in the catalog"
            rf"|in (?P<resource_4>package) (?P<name_4>{NAME}) in the catalog) {_REFERENCED})"
            rf"|(?P<reason_5>\bbundle \S{{1,160}} requires an operator (?:with (?P<resource_5>package): (?P<name_5>{NAME}) and with version in range: [^,;\n]{{1,60}}"
            r"|providing an API with group: \S{1,160}, version: \S{1,20}, (?P<resource_6>kind): (?P<name_6>[A-Z]\w{1,80})))"
        ),
        ("no operators found ", " requires an operator "),
        (_OLM,),
        (
            Example(
                "constraints not satisfiable: no operators found in channel fast of package till-operator in the catalog referenced by subscription till, subscription till exists",
                "value-absent name=fast reason=no operators found in channel fast of package till-operator in the catalog referenced by subscription till resource=channel",
            ),
            Example(
                "no operators found from catalog shop-catalog in namespace olm referenced by subscription till",
                "value-absent name=shop-catalog namespace=olm reason=no operators found from catalog shop-catalog in namespace olm referenced by subscription till resource=catalog",
            ),
            Example(
                "constraints not satisfiable: bundle till.v2.0.0 requires an operator with package: cart-operator and with version in range: >=1.0.0, subscription till exists",
                "value-absent name=cart-operator reason=bundle till.v2.0.0 requires an operator with package: cart-operator and with version in range: >=1.0.0 resource=package",
            ),
        ),
        own=True,
    ),
    LastWord(
        "dependency-unready",
        words(
            rf"\b[Bb]ackup (?:storage )?location \\*\"?(?P<name>{NAME})\\*\"? (?P<reason>is (?:currently )?(?:unavailable|in read-only mode))"
            rf"|\bBackupStorageLocation \\*\"?(?P<name_2>{NAME})\\*\"? (?P<reason_2>is (?:currently )?(?:unavailable|in read-only mode))"
        ),
        ("ackup storage location ", "ackup location ", "BackupStorageLocation "),
        (Seen("Velero", "1.4–1.16", "pkg/controller/backup_controller.go, pkg/persistence/object_store.go"),),
        (
            Example(
                'Error getting backup store for this location: backup storage location "offsite" is unavailable',
                "dependency-unready name=offsite reason=is unavailable resource=BackupStorageLocation",
            ),
            Example(
                'BackupStorageLocation "offsite" is currently in read-only mode',
                "dependency-unready name=offsite reason=is currently in read-only mode resource=BackupStorageLocation",
            ),
        ),
        own=True,
        kind="BackupStorageLocation",
    ),
    LastWord(
        "cloud-object-missing",
        words(
            r"\bNoSuchBucket: (?:The specified (?P<resource>bucket) does not exist)?|\bThe specified (?P<resource_2>container) does not exist\b"
            r"|storage: (?P<resource_3>bucket) doesn't exist"
        ),
        ("NoSuchBucket", "he specified container does not exist", "bucket doesn't exist"),
        (
            Seen("Amazon S3", "2006-03-01", "API reference, error responses"),
            Seen("Azure Blob Storage", "2015–2025", "REST API error codes: ContainerNotFound"),
            Seen("cloud.google.com/go/storage", "1", "storage.go (ErrBucketNotExist)"),
        ),
        (
            Example(
                "rpc error: code = Unknown desc = NoSuchBucket: The specified bucket does not exist",
                "cloud-object-missing resource=bucket",
            ),
            Example("storage: bucket doesn't exist", "cloud-object-missing resource=bucket"),
        ),
    ),
    LastWord(
        "value-absent",
        words(
            r"(?P<reason>\bmissing configuration for (?P<resource>cluster ID) \\*\"(?P<name>[\w.-]{1,120})\\*\")"
            r"|(?P<reason_2>\b(?:[Ff]ailed|[Uu]nable) to (?:find|get) (?P<resource_2>VirtualMachine) for node: ?\\*\"(?P<name_2>[\w.-]{1,253})\\*\")"
            r"|(?P<reason_3>\bconfig doesn't contain (?P<resource_3>node) (?P<name_3>[\w.-]{1,253}), and no DEFAULT_PATH_FOR_NON_LISTED_NODES available)"
            r"|(?P<reason_4>\bno (?P<resource_4>vg) available to serve volume request having regex=\\*\"\^?(?P<name_4>[\w.-]{1,80}))"
        ),
        (
            "missing configuration for cluster ID",
            "VirtualMachine for node",
            "DEFAULT_PATH_FOR_NON_LISTED_NODES",
            "no vg available",
        ),
        (
            Seen("ceph-csi", "1–3", "internal/util/csiconfig.go"),
            Seen("vsphere-csi-driver", "1–3", "pkg/csi/service/vanilla/controller.go"),
            Seen("local-path-provisioner", "0.0.9–0.0.31", "provisioner.go"),
            Seen("OpenEBS LVM LocalPV", "0.7–1.6", "pkg/driver/controller.go"),
        ),
        (
            Example(
                'rpc error: code = InvalidArgument desc = missing configuration for cluster ID "tide"',
                'value-absent name=tide reason=missing configuration for cluster ID "tide" resource=cluster ID',
            ),
            Example(
                'failed to find VirtualMachine for node:"w-1". Error: node wasn\'t found',
                'value-absent name=w-1 reason=failed to find VirtualMachine for node:"w-1" resource=VirtualMachine',
            ),
            Example(
                "config doesn't contain node w-1, and no DEFAULT_PATH_FOR_NON_LISTED_NODES available",
                "value-absent name=w-1 reason=config doesn't contain node w-1, and no DEFAULT_PATH_FOR_NON_LISTED_NODES available resource=node",
            ),
        ),
        own=True,
    ),
    LastWord(
        "condition-unmet",
        words(
            r"(?P<reason>\[\\*\"[\da-f.:]{3,45}\\*\"\] is not allowed in config\b"
            r"|\bcan't change sharing key for \\*\"[\w./-]{3,300}\\*\", address also in use by [\w./,-]{3,300}"
            r"|\bresource [\w.]{0,120}[/:]\w{2,80} is not permitted in project [\w.-]{1,120})"
        ),
        (
            "is not allowed in config",
            "t change sharing key for",
            "is not permitted in project",
        ),
        (
            Seen("MetalLB", "0.7–0.15", "internal/allocator/allocator.go"),
            Seen("Argo CD", "1–3", "gitops-engine pkg/sync/sync_context.go"),
        ),
        (
            Example(
                'error="[\\"10.8.9.1\\"] is not allowed in config"',
                'condition-unmet reason=["10.8.9.1"] is not allowed in config',
            ),
            Example(
                'can\'t change sharing key for "shop/till", address also in use by shop/cart',
                'condition-unmet reason=can\'t change sharing key for "shop/till", address also in use by shop/cart',
            ),
            Example(
                "resource batch:CronJob is not permitted in project tide",
                "condition-unmet reason=resource batch:CronJob is not permitted in project tide",
            ),
        ),
        own=True,
    ),
    LastWord(
        "parts-unready",
        words(
            r"(?P<reason>\b(?:exceeded max retry count |timed out )?waiting for (?P<resource>monitors|mons) to (?:reach|establish|form) (?:a )?quorum)"
        ),
        ("waiting for mon",),
        (Seen("Rook", "0.8–1.18", "pkg/operator/ceph/cluster/mon/mon.go (waitForQuorumWithMons)"),),
        (
            Example(
                "2026-11-21 02:59:18.1 E | ceph-cluster-controller: failed to check mon quorum a: exceeded max retry count waiting for monitors to reach quorum",
                "parts-unready reason=exceeded max retry count waiting for monitors to reach quorum resource=monitors",
            ),
            Example(
                "failed to start: timed out waiting for mons to form quorum",
                "parts-unready reason=timed out waiting for mons to form quorum resource=mons",
            ),
        ),
        own=True,
    ),
)
