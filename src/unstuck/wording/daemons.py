"""A daemon of the Node that exits at startup because of invalid flags or configuration. Also static Pods' manifests.

Source: cmd/kubelet/app/server.go (1.10–1.34), pkg/kubelet/config/{file,common}.go, pflag; containerd cmd/containerd/server/config/config.go (1.2–2.1), moby cmd/dockerd/daemon.go,
cri-o pkg/config/config.go, and the messages of their YAML, JSON and TOML decoders.
"""

from __future__ import annotations

from unstuck.facts.vocabulary.failures import Operation
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_STARTS: tuple[Operation, ...] = ("kubelet-start", "runtime-start")
_KUBELET = "cmd/kubelet/app/server.go"
_STATIC = "pkg/kubelet/config/file.go, common.go"
_CONTAINERD = "cmd/containerd/server/config/config.go"
_FILE = r"(?P<path>/[^\s,;:'\"\\]{1,400})"

CALLS: tuple[Call, ...] = (
    Call(
        words(
            rf"failed to load kubelet config file(?:, path: {_FILE},| {_FILE.replace('path', 'path_2')},)?|failed to validate kubelet (?:configuration|flags)"
            r"|failed to (?:parse|initialize) kubelet flags?|failed to construct kubelet dependencies|failed to set feature gates from initial flags-based config"
        ),
        "kubelet-start",
        (
            "kubelet config file",
            "validate kubelet",
            "kubelet flag",
            "kubelet dependencies",
            "set feature gates",
        ),
        (Seen("kubelet", "1.10–1.34", _KUBELET),),
        (
            Example(
                '"command failed" err="failed to load kubelet config file, path: /etc/kubernetes/kubelet.yaml, error: failed to load Kubelet config file '
                '/etc/kubernetes/kubelet.yaml, error failed to decode, error: json: cannot unmarshal string into Go struct field KubeletConfiguration.maxPods of type int32"',
                "kubelet-start config-unparsable key=KubeletConfiguration.maxPods path=/etc/kubernetes/kubelet.yaml",
            ),
            Example(
                '"command failed" err="failed to set feature gates from initial flags-based config: unrecognized feature gate: DynamicKubeletConfig"',
                "kubelet-start option-unknown key=DynamicKubeletConfig",
            ),
            Example(
                '"command failed" err="failed to construct kubelet dependencies: unable to load client CA file /etc/kubernetes/pki/ca.crt: open /etc/kubernetes/pki/ca.crt: no such file or directory"',
                "kubelet-start ENOENT path=/etc/kubernetes/pki/ca.crt",
            ),
        ),
    ),
    Call(
        words(
            rf"containerd: failed to (?:load TOML(?: from)?|unmarshal TOML)(?:: {_FILE}:)?|Failure unmarshaling TOML(?=[^\n]{{0,400}}?file=\"?{_FILE.replace('path', 'path_2')})?"
            rf"|containerd: invalid (?:disabled )?plugin|unable to configure the Docker daemon with file {_FILE.replace('path', 'path_3')}"
            rf"|(?:decode|load) configuration (?:file )?\"?{_FILE.replace('path', 'path_4')}\"?:|update config from file"
        ),
        "runtime-start",
        (
            "toml",
            "invalid plugin",
            "invalid disabled plugin",
            "configure the docker daemon",
            "configuration ",
            "update config from file",
        ),
        (
            Seen("containerd", "1.2–2.1", _CONTAINERD),
            Seen("dockerd", "1.10–28", "cmd/dockerd/daemon.go"),
            Seen("cri-o", "1.13–1.34", "pkg/config/config.go"),
        ),
        (
            Example(
                "containerd: failed to load TOML: /etc/containerd/config.toml: (12, 3): unexpected token table key cannot contain ']', was expecting a table key",
                "runtime-start config-unparsable key=12, 3 path=/etc/containerd/config.toml",
            ),
            Example(
                "unable to configure the Docker daemon with file /etc/docker/daemon.json: invalid character '}' looking for beginning of object key string",
                "runtime-start config-unparsable path=/etc/docker/daemon.json",
            ),
        ),
        bare=None,
    ),
    Call(
        words(
            r"(?:Could not|Can't) process manifest file(?:\"(?: err=\"(?:[^\"\\\n]|\\.){0,2000}\")? path=\"(?P<path>/[^\"\n]{1,400})\"| \"(?P<path_2>/[^\"\n]{1,400})\":)?"
            r"|can't process config file \\{0,3}\"(?P<path_3>/[^\"\\\n]{1,400})"
        ),
        "static-pod-read",
        ("process manifest file", "process config file"),
        (Seen("kubelet", "1.9–1.34", _STATIC),),
        (
            Example(
                '"Could not process manifest file" err="static pods may not reference secrets" path="/etc/kubernetes/manifests/ntp.yaml"',
                "static-pod-read manifest-rejected path=/etc/kubernetes/manifests/ntp.yaml",
            ),
            Example(
                '"Could not process manifest file" err="/etc/kubernetes/manifests/a.yaml: couldn\'t parse as pod(yaml: line 3: mapping values are not allowed in this '
                'context), please check config file" path="/etc/kubernetes/manifests/a.yaml"',
                "static-pod-read manifest-rejected path=/etc/kubernetes/manifests/a.yaml",
            ),
            Example(
                '"Unable to process watch event" err="can\'t process config file \\"/etc/kubernetes/manifests/a.yaml\\": invalid pod: [spec.containers: Required value]"',
                "static-pod-read manifest-rejected path=/etc/kubernetes/manifests/a.yaml",
            ),
            Example(
                '"Could not process manifest file" err="open /etc/kubernetes/manifests/a.yaml: permission denied" path="/etc/kubernetes/manifests/a.yaml"',
                "static-pod-read EACCES path=/etc/kubernetes/manifests/a.yaml",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"static pods may not (?:reference|use) [A-Za-z][\w ]{1,100}|invalid pod: [^\n]{1,600}?(?=\" path=|\"?$|\n)"
            r"|couldn't parse as pod\([^\n]{1,600}?\), please check config file"
        ),
        "manifest-rejected",
        ("static pods may not", "invalid pod: ", "couldn't parse as pod("),
        (Seen("kubelet", "1.9–1.34", _STATIC),),
        (
            Example(
                'Can\'t process manifest file "/etc/kubernetes/manifests/a.yaml": invalid pod: [spec.containers[0].image: Required value]',
                "static-pod-read manifest-rejected path=/etc/kubernetes/manifests/a.yaml",
            ),
            Example("invalid pod: nothing was tried", ""),
        ),
        Rank.NAMED,
        within=("static-pod-read",),
    ),
    Error(
        words(
            r"cannot unmarshal \w{1,20} into Go (?:struct field|value of type) (?P<key>[\w.\[\]]{1,200})|strict decoding error: (?:[^\n]{0,200}?)unknown field \"(?P<key_2>[^\"\n]{1,200})\""
            r"|yaml: (?P<key_3>line \d{1,7}): [^\n]{1,200}|yaml: (?:unmarshal errors|did not find|could not find|control characters)|error converting YAML to JSON"
            r"|\((?P<key_4>\d{1,7}, \d{1,7})\): [^\n]{1,200}|toml: (?P<key_5>line \d{1,7})|at (?P<key_6>row \d{1,7} column \d{1,7})|(?<![./])(?<!load )(?<!unmarshal )toml: [^\n]{1,200}"
            r"|invalid character '[^'\n]{1,4}' [^\n]{1,80}|unexpected end of JSON input|the following directives (?:don't match any configuration option|are specified both as a flag "
            r"and in the configuration file): (?P<key_7>[\w.-]{1,100})|no kind \"(?P<key_8>\w{1,100})\" is registered for version|unsupported config version"
            r"|invalid configuration: (?P<key_9>[\w ()-]{1,100})"
        ),
        "config-unparsable",
        (
            *(
                "cannot unmarshal",
                "strict decoding error",
                "yaml: ",
                "yaml to json",
                "toml",
                "invalid character",
                "end of json input",
            ),
            *(
                "the following directives",
                "is registered for version",
                "unsupported config version",
                "invalid configuration: ",
            ),
        ),
        (
            Seen("Go", "1.10–1.26", "encoding/json/decode.go"),
            Seen("gopkg.in/yaml", "2–3", "decode.go"),
            Seen("go-toml", "1–2", "parser.go"),
            Seen("BurntSushi/toml", "0.3–1.5", "error.go"),
            Seen("kubelet", "1.10–1.34", "pkg/kubelet/apis/config/validation/validation.go"),
        ),
        (
            Example(
                'failed to load Kubelet config file /var/lib/kubelet/config.yaml, error failed to decode: yaml: line 12: mapping values are not allowed in this context"',
                "kubelet-start config-unparsable key=line 12 path=/var/lib/kubelet/config.yaml",
            ),
            Example(
                '"command failed" err="failed to validate kubelet configuration, error: [invalid configuration: maxPods (--max-pods) -1 must not be a negative number], path: &TypeMeta{Kind:,APIVersion:,}"',
                "kubelet-start config-unparsable key=maxPods (--max-pods) -1 must not be a negative number",
            ),
            Example(
                'level=fatal msg="update config from file: decode configuration /etc/crio/crio.conf: toml: line 7 (last key \\"crio.runtime.pids_limit\\"): incompatible types"',
                "runtime-start config-unparsable key=line 7 path=/etc/crio/crio.conf",
            ),
            # The same words of a file that is no daemon's own.
            Example(
                'Failed to pull image "a": yaml: line 3: did not find expected key',
                "image-pull other host=docker.io object=Image/a",
            ),
        ),
        Rank.NAMED,
        within=_STARTS,
    ),
    Error(
        words(
            r"unknown (?:shorthand )?flag: (?:'[^'\n]{1,4}' in )?(?P<key>-{1,2}[\w-]{1,100})|flag provided but not defined: (?P<key_2>-{1,2}[\w-]{1,100})"
            r"|unrecognized feature gate: (?P<key_3>\w{1,100})|invalid argument \"[^\"\n]{0,200}\" for \"(?P<key_4>[^\"\n]{1,100})\" flag"
        ),
        "option-unknown",
        ("flag: ", "not defined: ", "feature gate: ", '" flag'),
        (
            Seen("pflag", "1", "flag.go"),
            Seen("Go", "1.0–1.26", "flag/flag.go"),
            Seen("component-base", "1.6–1.34", "featuregate/feature_gate.go"),
        ),
        (
            Example(
                '"Failed to parse kubelet flag" err="unknown flag: --network-plugin"',
                "kubelet-start option-unknown key=--network-plugin",
            ),
            Example(
                '"command failed" err="failed to parse kubelet flag: unknown flag: --container-runtime"',
                "kubelet-start option-unknown key=--container-runtime",
            ),
        ),
        Rank.NAMED,
        within=_STARTS,
    ),
)
