"""The Node has no network plugin that its runtime could use

## How it happens

A sandbox gets its network from a plugin: a file in `/etc/cni/net.d` names it, a program in `/opt/cni/bin` is it. On this Node the file is
not there (no network add-on was installed yet, its DaemonSet does not run here, or it was removed), cannot be read, has a `cniVersion` that
the plugin does not take, or names a program that is not there.

## How to tell

The Node is not Ready, `cni plugin not initialized`, `cni config uninitialized` or `No CNI configuration file in /etc/cni/net.d`; or
sandboxes fail with `failed to find plugin "x" in path`, or the log says `does not support config version`. On the Node the directory is
empty, or the program lacks.

## Known limits

Right after a Node joined this is normal for a minute. Where the file is there and the runtime has not taken notice of it:
network.cni-config-not-reloaded. Of a Node that was Ready before it may be either, until somebody looks there.

## References

- CNI specification 1.0; containerd docs/cri/config.md; Kubernetes pkg/kubelet/kubelet.go (updateRuntimeUp)
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from unstuck.causes._commands import pods_on
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign, any_of, heard, only_yes, some
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cni import NetworkPlugins
from unstuck.facts.aspects.objects import Conditions, Events, Failure, Presence
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import node_ready
from unstuck.facts.lookup import Facts
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.stages.waiting import node_under

# A kubelet registers its Node as not Ready, and the condition keeps that time while it is never anything else.
_REGISTERED = timedelta(seconds=3)
_REFUSED: ErrorWord = "cni-version-refused"


def _rule(subject: Ref, snap: Facts) -> Signs:
    under = node_under(subject, snap)
    node = under.hits[0] if under.hits else None
    said = _said(subject, node, snap)
    lacks: Sign[Any] = Sign(None, wants=under.wants)
    if node:
        lacks = some(snap, NetworkPlugins, node, lambda f: [f] if f.whole and _broken(f) else [])
    tells = only_yes(said)
    if node and said.value and lacks.value is None and all(f.error == "cni-not-ready" for f in said.hits):
        had = _had_one(node, snap)
        # A configuration that is there and not noticed makes the runtime say the same.
        tells = Sign(None) if had.value else tells
        lacks = Sign(None, said.hits if had.value else (), said.seen, (*lacks.wants, *had.wants))
    return Signs(
        necessary={"the runtime has no network for sandboxes": said},
        decisive={"no configuration or no program of a plugin is there": lacks},
        supporting={"the runtime says so": tells},
        finding=lambda: _finding(subject, node, lacks.hits[0] if lacks.value else None, said.hits),
    )


def _had_one(node: Ref, snap: Facts) -> Sign[Any]:
    """Tell whether the Node was Ready once: it turned not ready some time after it was made."""
    made = some(snap, Presence, node, lambda f: [f.created] if f.created else [])
    turned = some(snap, Conditions, node, lambda f: [c.since for c in f.items if c.type == "Ready" and c.status != "True" and c.since])
    if made.hits and turned.hits:
        return Sign(max(turned.hits) - min(made.hits) >= _REGISTERED, seen=(*made.seen, *turned.seen))
    return Sign(None, wants=(*made.wants, *turned.wants))


def _broken(f: NetworkPlugins) -> bool:
    return not f.configs or not f.configs[0].plugins or bool(f.missing)


def _said(subject: Ref, node: Ref | None, snap: Facts) -> Sign[Failure]:
    """Return no where all of the Node's conditions were read, or all of the Pod's events, and none says so."""
    ready = node_ready(node, snap) if node else None
    told = [heard(snap, Failure, about, lambda f: [f] if _mine(f, ready) else []) for about in dict.fromkeys((subject, node)) if about]
    if any(s.value for s in told):
        return any_of([s for s in told if s.value])
    if subject.kind == "Node":
        whole: Sign[Failure] = some(snap, Conditions, subject, lambda _: ())
    else:
        whole = some(snap, Events, subject, lambda _: ())
    return whole


def _mine(f: Failure, ready: bool | None) -> bool:
    """Tell whether this is a failure of the Node's network now: a log line from before the Node was Ready again does not count."""
    if f.error == "cni-not-ready" or (f.error == _REFUSED and f.operation == "network-ready"):
        return not ready
    return f.operation == "network-set-up" and f.error in ("plugin-missing", _REFUSED)


def _by_words(said: tuple[Failure, ...], on: str, on_zh: str) -> Text:
    """Return the fault, as far as messages alone tell it."""
    refused = next((f for f in said if f.error == _REFUSED), None)
    if refused:
        name, name_zh = (f" {refused.key}", f" {refused.key} ") if refused.key else ("", "")
        return Text(
            f"the plugin{name} does not support the cniVersion of the network configuration{on}",
            f"插件{name_zh}不接受网络配置中的 cniVersion{on_zh}",
        )
    missing = next((f.key for f in said if f.error == "plugin-missing" and f.key), None)
    if missing:
        return Text(f"the binary of network plugin {missing} is missing{on}", f"缺少网络插件 {missing} 的程序{on_zh}")
    return Text(f"the runtime has no network plugin{on}", f"运行时没有可用的网络插件{on_zh}")


def _mend(said: tuple[Failure, ...]) -> Text:
    errors = {f.error for f in said}
    if _REFUSED in errors:
        return Text(
            "set a cniVersion the plugin supports at the configuration's source (the add-on's ConfigMap), or install "
            "newer plugins: kubelets 1.16 to 1.23 reject a configuration without one",
            "在配置的来源处（网络插件的 ConfigMap）写入该插件支持的 cniVersion，或升级插件程序：1.16 至 1.23 的 kubelet 不接受缺少它的配置",
        )
    if "plugin-missing" in errors:
        return Text(
            "restore the binary: the network add-on's installer ships its own; bridge, host-local, loopback, macvlan "
            "and portmap come with the CNI plugins package",
            "放回该程序：网络插件的安装器会带来自己的程序；bridge、host-local、loopback、macvlan、portmap 等来自 CNI plugins 软件包",
        )
    return Text(
        "install the cluster's network add-on, or make its DaemonSet run there: it writes the configuration and the binaries",
        "安装集群的网络插件，或让其 DaemonSet 在该节点运行：它会写入配置与程序",
    )


def _finding(subject: Ref, node: Ref | None, found: NetworkPlugins | None, said: tuple[Failure, ...]) -> Finding:
    name = node.name if node else None
    on, on_zh = (f" on Node {name}", f"（节点 {name}）") if name else ("", "")
    if found and found.configs and found.missing:
        says = Text(
            f"the binary of network plugin {found.missing[0]} is missing{on}: {', '.join(found.bin_dirs)}",
            f"缺少网络插件 {found.missing[0]} 的程序{on_zh}：{', '.join(found.bin_dirs)}",
        )
    elif found and found.configs:
        says = Text(
            f"the first network configuration cannot be read{on}: {found.configs[0].path}",
            f"第一个网络配置无法读取{on_zh}：{found.configs[0].path}",
        )
    elif found:
        says = Text(f"there is no network configuration{on}: {found.conf_dir}", f"没有网络配置{on_zh}：{found.conf_dir}")
    else:
        says = _by_words(said, on, on_zh)
    message = next((f.message for f in sorted(said, key=lambda f: f.error == "cni-not-ready") if f.message), "")
    return Finding(
        says,
        culprit=Ref("NetworkPlugin", name, "cni"),
        blocks=tuple(dict.fromkeys((*((node,) if node else ()), subject))),
        notes=(Text(f"runtime: {message}", f"运行时：{message}"),) if message else (),
        help=(
            Step(
                Text(
                    "check whether the network add-on's Pod is running on that node, and if not, why",
                    "查看网络插件的 Pod 是否在该节点运行，若没有则查明原因",
                ),
                command=pods_on(name),
            ),
            Step(_mend(said), where="source", verify=Text("the node is Ready within a minute", "一分钟内节点就绪")),
        ),
        do_not=(
            DoNot(
                Text("write another plugin's configuration by hand", "手动写入其他插件的配置"),
                Text("Pods then get addresses the rest of the cluster cannot reach", "Pod 会得到集群其余部分无法访问的地址"),
            ),
        ),
    )


CAUSE = Cause(
    id="network.cni-not-installed",
    title=Text("the node has no network plugin its runtime can use", "节点没有可供运行时使用的网络插件"),
    subjects=("Pod", "Node"),
    stages=("sandbox-and-network",),
    reads=frozenset({Failure, Conditions, Events, NetworkPlugins, Placement, Presence}),
    rule=_rule,
)
