"""A kernel module that the Node needs cannot be loaded

## How it happens

The module's file is damaged or is not of the running kernel: a disk that lost blocks, an upgrade whose reboot
is still to come or that removed the running kernel's modules, a module built by hand, or one without a
signature on a machine with Secure Boot. A program that needs it then ends: dockerd and containerd without
`overlay` or `bridge`, kube-proxy without `ip_vs`, a storage driver without its file system.

## How to tell

`modprobe` says `Key was rejected by service`, `Invalid module format` or `Exec format error`, and the daemon
that reports it is not running.

## Known limits

`Module x not found` alone is often harmless: it may be built into the kernel (`modules.builtin`), or may not
be needed: then this is no more than possible, and likely if the reporting daemon does not run. Programs
inside containers that may not load modules give other messages.

## References

- kmod tools/modprobe.c; Linux kernel/module/signing.c, init_module(2) ENOKEY, EKEYREJECTED, ENOEXEC
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.sign import Sign, all_of, hearsay, only_yes, some
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import DoNot, Finding, Signs, Step
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.host import DaemonState
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_REINSTALL = say(
    "reinstall the running kernel's package, or boot a kernel whose modules exist: the node is down meanwhile"
)
_INSTALL = say(
    "install the running kernel's package of extra modules (linux-modules-extra, kernel-modules-extra), or "
    "boot a kernel that has the module: the node is down meanwhile"
)
# The reporter of a message without a writer: no daemon's log.
_BY_HAND = "paste"
# The kernel's reason for an invalid format: kernel/module/version.c.
_OTHER_KERNEL = regex(
    r"version magic '(?P<built>[\w.+-]{1,80})[^'\n]*' should be '(?P<running>[\w.+-]{1,80})"
)


def _rule(node: Ref, snap: Facts) -> Signs:
    refused = hearsay(snap, Failure, node, lambda f: [f] if f.error == "module-refused" else [])
    missing = hearsay(snap, Failure, node, lambda f: [f] if f.error == "module-missing" else [])
    told = refused if refused.value else missing
    # The writer of the message: another daemon's failure has another reason, and a built-in module is "not
    # found", too.
    whose = {f.reporter.partition("[")[0] for f in told.hits}
    down = some(
        snap,
        DaemonState,
        node,
        lambda f: [f] if not f.running and (not told.hits or f.daemon in whose) else [],
    )
    if told.hits and down.value is False and not any(f.daemon in whose for f in snap.of(DaemonState, node)):
        down = Sign(None, seen=down.seen)
    without = all_of((down, told))
    # Starting daemons also try to load built-in modules, and go on: a module that is not found is no proof.
    ended = (
        without
        if without.value is False or (refused.value and without.value)
        else Sign(None, told.hits, told.seen, without.wants)
    )
    return Signs(
        decisive={"the kernel refused a module to a daemon, and that does not run": ended},
        supporting={
            "the kernel refuses a module": refused,
            "a daemon finds no module, and does not run": only_yes(without),
            "modprobe, called by hand, finds no module": hearsay(
                snap,
                Failure,
                node,
                lambda f: [f] if f.error == "module-missing" and f.reporter == _BY_HAND else [],
            ),
        },
        finding=lambda: _make_finding(node, told.hits[0], snap),
    )


def _make_finding(node: Ref, said: Failure, snap: Facts) -> Finding:
    name, module = node.name or "NODE", (said.key or "?").rpartition("/")[2].removesuffix(".ko")
    where = f"node:{name}"
    kernel = next((f.kernel for f in snap.of(NodeInfo, node) if f.kernel), "")
    refused = said.error == "module-refused"
    other = _OTHER_KERNEL.search(said.message)
    return Finding(
        say(
            "module {module} is built for kernel {built}, and {running} is running: the kernel was updated, "
            "and the node was not rebooted since, or it starts an older one",
            module=module,
            built=other["built"],
            running=other["running"],
        )
        if other
        else say("the kernel refuses to load module {module}: {message}", module=module, message=said.message)
        if refused
        else say("module {module} does not exist for the running kernel", module=module),
        culprit=Ref("KernelModule", node.name, module),
        blocks=(node,),
        notes=(say("the running kernel is {kernel}", kernel=kernel),) if kernel else (),
        help=(
            Step(
                say("compare the file with its package, and see what the kernel logged about it"),
                where=where,
                command=command(
                    "uname -r; modinfo {module}; dmesg | tail -50; rpm -V kernel-core || dpkg -V",
                    module=given.plain(module),
                ),
            ),
            Step(
                _REINSTALL if refused else _INSTALL,
                where=where,
                risk="disrupts",
                verify=say("modprobe {module} prints nothing", module=module),
            ),
        ),
        do_not=(
            DoNot(
                say("disable signature checking"),
                say(
                    "a damaged module would be loaded into the kernel, and a damaged disk would go unnoticed"
                ),
            ),
        ),
    )


CAUSE = Cause(
    id="node.kernel-module-broken",
    title=say("a kernel module the node needs cannot be loaded"),
    subjects=("Node",),
    reads=frozenset({Failure, DaemonState, NodeInfo}),
    rule=_rule,
)
