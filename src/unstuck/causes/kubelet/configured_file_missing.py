"""A file that the kubelet's configuration names is not on the node

## How it happens

The kubelet's configuration was copied from another distribution, or was written for another version of this
one: it names a file that is not here. Most common is `resolvConf`, the file with the name servers that each
Pod gets: `/run/systemd/resolve/resolv.conf` where systemd-resolved is not installed or was turned off. The
Node stays Ready, as the kubelet opens the file only for a new Pod.

## How to tell

`FailedCreatePodSandBox` repeats `open /run/systemd/resolve/resolv.conf: no such file or directory` without a
word of the runtime: the kubelet itself cannot open it. Its configuration names that path, on the Node or by
`/configz`.

## Known limits

Without the configuration a missing resolv.conf is likely at most: a runtime opens such a file, too. A file
that is missing before the kubelet comes up ends it: kubelet.exits-at-start.

## References

- Kubernetes pkg/kubelet/network/dns/dns.go (GetPodDNS); kubelet.config.k8s.io/v1beta1 (resolvConf)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from unstuck.causes import _starting
from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, only_yes, some
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.kubelet import KubeletConfig
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Ref, Want
from unstuck.facts.derive.pods import find_node
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record

say = Messages(__name__)

_RESOLVER = "/resolv.conf"


@record()
class NamedFile(Record):
    """A setting of the kubelet that names a file. file: the setting's own file, "" if unknown."""

    setting: str
    path: str
    file: str


def _rule(pod: Ref, snap: Facts) -> Signs:
    node = find_node(pod, snap)
    known = {path for f in (snap.of(KubeletConfig, node) if node else ()) for _, path in f.paths}
    signs = _starting.make_signs(
        pod, snap, lambda f: _is_match(f, known), lambda f: _make_finding(pod, f, named, snap), decides=None
    )
    said = signs.necessary["the last attempt failed this way"]
    missing = {f.path for f in said.hits}
    named: Sign[NamedFile] = Sign(None, wants=(Want(Placement, pod),) if said.hits and node is None else ())
    if said.hits and node:
        named = some(snap, KubeletConfig, node, lambda c: _find_named(c, missing))
    return replace(
        signs,
        decisive={"the kubelet's configuration names the file": named},
        supporting={"the kubelet cannot open the file with the name servers": only_yes(said)},
    )


def _is_match(f: Failure, known: set[str]) -> bool:
    own = f.operation == "sandbox-create" and f.error == "ENOENT" and "rpc error" not in f.src.quote
    return own and f.path is not None and (f.path in known or f.path.endswith(_RESOLVER))


def _find_named(config: KubeletConfig, missing: set[str | None]) -> Iterator[NamedFile]:
    """Yield the settings that name a missing file, unless it exists by now."""
    for setting, path in config.paths:
        if path in missing and (config.absent is None or path in config.absent):
            yield NamedFile(setting, path, "" if setting.startswith("--") else config.file)


def _make_finding(pod: Ref, said: Failure, named: Sign[NamedFile], snap: Facts) -> Finding:
    path = said.path or "?"
    one = next((n for n in named.hits if n.path == path), None)
    on = _starting.say_on_node(pod, snap)
    if one:
        where = say(" in {file}", file=one.file) if one.file else NO_TEXT
        says = say(
            (
                "the kubelet cannot prepare the Pod{on}: its {setting}{where} names {path}, which does not "
                "exist there"
            ),
            on=on,
            setting=one.setting,
            where=where,
            path=path,
        )
    else:
        says = say("the kubelet cannot prepare the Pod{on}: {path} does not exist there", on=on, path=path)
    resolver = path.endswith(_RESOLVER)
    return Finding(
        says,
        culprit=Ref("File", _starting.find_node_name(pod, snap), path),
        blocks=_starting.list_blocked_objects(pod, snap),
        help=(
            Step(
                say("check what exists there"),
                where=_starting.place_step(pod, snap),
                command=command(
                    "ls -l {paths}", paths=given.paths((path, "/etc/resolv.conf") if resolver else (path,))
                ),
            ),
            Step(_fix(one, resolver), where=_starting.place_step(pod, snap)),
            Step(
                say("then restart the kubelet: containers keep running"),
                where=_starting.place_step(pod, snap),
                command=command("systemctl restart kubelet"),
                risk="reversible",
                verify=say("the Pod gets its sandbox within a minute"),
            ),
        ),
        do_not=(
            DoNot(
                say("copy a file there by hand"),
                say(
                    "a file below /run is gone after the next boot, and its name "
                    "servers are not kept up to date"
                ),
            ),
        )
        if resolver
        else (),
    )


def _fix(one: NamedFile | None, resolver: bool) -> Text:
    setting = one.setting if one else "resolvConf"
    if resolver:
        return say(
            "set {setting} to the file that has the node's name servers (/etc/resolv.conf without "
            "systemd-resolved), or start systemd-resolved if it should be there",
            setting=setting,
        )
    return say("restore the file, or set {setting} to where it is", setting=setting)


CAUSE = Cause(
    id="kubelet.configured-file-missing",
    title=say("a file that the kubelet's configuration names does not exist"),
    subjects=("Pod",),
    stages=_starting.SANDBOX,
    reads=_starting.READS | {KubeletConfig, Placement},
    rule=_rule,
)
