"""ConfigMaps, Secrets and their keys that a Pod refers to.

Without a volume around it the sentence comes from building a container's environment, which is `container-create`.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_REFERENCES: tuple[Operation, ...] = (
    "container-create",
    "volume-set-up",
    "image-pull",
    "sync",
    "container-start",
    "sandbox-create",
)
_NAME = r"(?P<name>[^\s\"/]{1,253})"

_KINDS = "pkg/kubelet/configmap/configmap_manager.go, pkg/kubelet/secret/secret_manager.go"

CALLS: tuple[Call, ...] = (
    Call(
        words(r"Couldn't get (?:configMap|secret) (?P<ns>[a-z0-9-]{1,63})/[^\s:]{1,253}:"),
        "volume-set-up",
        ("couldn't get configmap", "couldn't get secret"),
        (Seen("kubelet", "1.5–1.34", "pkg/volume/configmap/configmap.go, pkg/volume/secret/secret.go"),),
        (
            Example(
                'Couldn\'t get configMap f/app-conf: configmap "app-conf" not found',
                "volume-set-up not-found object=ConfigMap/f/app-conf",
            ),
            Example(
                'Couldn\'t get secret f/tls: secret "tls" not found',
                "volume-set-up not-found object=Secret/f/tls",
            ),
        ),
    ),
    Call(
        words(
            r"failed to \"?StartContainer\"? for \"(?P<container>[^\"]{1,253})\" with (?:CreateContainerConfigError|CreateContainerError)"
        ),
        "container-create",
        ("createcontainer",),
        (
            Seen(
                "kubelet",
                "1.6–1.34",
                "pkg/kubelet/container/sync_result.go, pkg/kubelet/kuberuntime/kuberuntime_container.go",
            ),
        ),
        (
            Example(
                'failed to "StartContainer" for "c" with CreateContainerConfigError: "configmap \\"x\\" not found"',
                "container-create not-found container=c object=ConfigMap/x",
            ),
            Example(
                'failed to "StartContainer" for "c" with CreateContainerConfigError: "couldn\'t find key k in ConfigMap f/app"',
                "container-create key-missing container=c key=k object=ConfigMap/f/app",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"(?<!Error from server \(NotFound\): )(?<![\w/])(?P<kind>configmap|secret)s? \""
            + _NAME
            + r"\" (?:is )?not found"
        ),
        "not-found",
        ("configmap", "secret"),
        (
            Seen("kubelet", "1.5–1.34", f"pkg/kubelet/util/manager/watch_based_manager.go, {_KINDS}"),
            Seen(
                "kubelet (get instead of watch)",
                "1.5–1.34",
                f"staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go, {_KINDS}",
            ),
        ),
        (
            Example(
                'Error: configmap "app-conf" not found',
                "container-create not-found object=ConfigMap/app-conf",
            ),
            Example(
                'MountVolume.SetUp failed for volume "v" : configmaps "app-conf" not found',
                "volume-set-up not-found object=ConfigMap/app-conf volume=v",
            ),
            Example(
                'MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found',
                "volume-set-up not-found object=Secret/web-tls volume=tls",
            ),
            Example('Error from server (NotFound): configmaps "x" not found', ""),
        ),
        Rank.NAMED,
        "container-create",
        _REFERENCES,
    ),
    Error(
        words(
            r"[Cc]ouldn't get (?P<kind>secret) (?P<ns>[a-z0-9-]{1,63})/(?P<name>[a-z0-9][a-z0-9.-]{0,252})(?![a-z0-9.:-])"
        ),
        "not-found",
        ("get secret",),
        (Seen("kubelet", "1.5–1.34", "pkg/volume/flexvolume/util.go, pkg/volume/iscsi/iscsi.go"),),
        (
            Example(
                'MountVolume.SetUp failed for volume "share" : Couldn\'t get secret default/store-account',
                "volume-set-up not-found object=Secret/default/store-account volume=share",
            ),
            Example(
                "couldn't get secret shop/store-key",
                "container-create not-found object=Secret/shop/store-key",
            ),
        ),
        Rank.NAMED,
        "container-create",
        _REFERENCES,
    ),
    Error(
        words(r"object \"(?P<ns>[^\"/]{1,63})\"/\"" + _NAME + r"\" not registered"),
        "not-registered",
        ("not registered",),
        (Seen("kubelet", "1.10–1.34", "pkg/kubelet/util/manager/watch_based_manager.go"),),
        (
            Example(
                'MountVolume.SetUp failed for volume "v" : object "f"/"app" not registered',
                "volume-set-up not-registered volume=v",
            ),
            Example(
                'MountVolume.SetUp failed for volume "k" : object "f"/"kube-root-ca.crt" not registered',
                "volume-set-up not-registered volume=k",
            ),
        ),
        within=("volume-set-up",),
    ),
    Error(
        words(
            r"couldn'?t find key (?P<key>\S{1,253}) in (?P<kind>ConfigMap|Secret) (?P<ns>[^/\s]{1,63})/(?P<name>[^\s\",]{1,253})"
        ),
        "key-missing",
        ("find key",),
        (Seen("kubelet", "1.6–1.34", "pkg/kubelet/kubelet_pods.go"),),
        (
            Example(
                "Error: couldn't find key zz in ConfigMap f/app-config",
                "container-create key-missing key=zz object=ConfigMap/f/app-config",
            ),
            Example(
                "couldn't find key password in Secret f/db",
                "container-create key-missing key=password object=Secret/f/db",
            ),
        ),
        Rank.NAMED,
        "container-create",
    ),
    Error(
        words(r"references non-existent (?:config|secret) key: (?P<key>[^\s\",]{1,253})"),
        "key-missing",
        ("references non-existent",),
        (
            Seen(
                "kubelet",
                "1.5–1.34",
                "pkg/volume/configmap/configmap.go, pkg/volume/secret/secret.go, pkg/volume/projected/projected.go",
            ),
        ),
        (
            Example(
                'MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: nginx.conf',
                "volume-set-up key-missing key=nginx.conf volume=v",
            ),
            Example(
                'MountVolume.SetUp failed for volume "v" : references non-existent secret key: tls.key',
                "volume-set-up key-missing key=tls.key volume=v",
            ),
        ),
        Rank.NAMED,
        "volume-set-up",
    ),
)
