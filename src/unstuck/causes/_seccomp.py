"""The calls that a container's seccomp profile forbids, if a program's message reports a call that was not
permitted.
"""

from __future__ import annotations

from unstuck.causes._commands import place_on_node
from unstuck.causes._kubelet_settings import list_settings
from unstuck.causes._told_by_node import NodeWords
from unstuck.diagnosis import given
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages, Text, list_names
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.node_files import SeccompRules
from unstuck.facts.aspects.node_settings import NodeSettings
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.derive.pods import find_node_of_pod
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({NodeSettings, Placement, PodSettings, SeccompRules})
_FORBIDDEN = regex(
    r"(?i)operation not permitted|function not implemented|\bEPERM\b|\bENOSYS\b|bad system call"
)
_ALLOWING = ("SCMP_ACT_ALLOW", "SCMP_ACT_LOG")
_NAMED = 6
# Words of a program, and the calls behind them: man pages, section 2.
_CALLS = tuple(
    (regex(words), tuple(calls.split()))
    for words, calls in (
        (r"(?i)chmod|chang\w* (?:the )?(?:permission|mode)", "chmod fchmod fchmodat fchmodat2"),
        (r"(?i)chown|chang\w* (?:the )?owner", "chown fchown lchown fchownat chown32 fchown32 lchown32"),
        (r"(?i)symlink|symbolic link|\bln\b", "symlink symlinkat"),
        (r"(?i)\bhard link|\blink\(", "link linkat"),
        (r"(?i)mkdir|create (?:the )?directory", "mkdir mkdirat"),
        (r"(?i)mkfifo|mknod", "mknod mknodat"),
        (r"(?i)\bumount|unmount", "umount umount2"),
        (r"(?i)(?<!u)(?<!un)mount", "mount fsopen move_mount open_tree"),
        (r"(?i)unshare|namespace|\bclone\b", "unshare clone clone3 setns"),
        (r"(?i)\bclone\b|\bfork\b|thread", "clone clone3 fork vfork"),
        (r"(?i)ptrace|attach to (?:the )?process", "ptrace process_vm_readv"),
        (r"(?i)\bbpf\b", "bpf"),
        (r"(?i)perf", "perf_event_open"),
        (r"(?i)io_uring", "io_uring_setup io_uring_enter io_uring_register"),
        (r"(?i)keyctl|add_key|keyring", "keyctl add_key request_key"),
        (r"(?i)mbind|mempolicy|numa", "mbind set_mempolicy get_mempolicy move_pages"),
        (r"(?i)affinity|sched_set", "sched_setaffinity sched_setscheduler sched_setattr"),
        (r"(?i)setpriority|\bnice\b", "setpriority"),
        (r"(?i)mlock", "mlock mlockall mlock2"),
        (r"(?i)personality", "personality"),
        (
            r"(?i)settimeofday|clock_settime|clock_adjtime|adjtimex|set (?:the )?(?:clock|time)",
            "settimeofday clock_settime clock_adjtime adjtimex stime",
        ),
        (r"(?i)set(?:res|re)?uid|drop privileges|set user", "setuid setreuid setresuid"),
        (r"(?i)set(?:res|re)?gid|setgroups|initgroups", "setgid setregid setresgid setgroups"),
        (r"(?i)\bsocket\b", "socket socketcall"),
        (r"(?i)utime|set times|touch", "utime utimes utimensat futimesat"),
        (r"(?i)\bxattr|extended attribute", "setxattr lsetxattr fsetxattr"),
        (r"(?i)chroot|pivot", "chroot pivot_root"),
        (r"(?i)renam", "rename renameat renameat2"),
        (r"(?i)unlink|remov|delet", "unlink unlinkat rmdir"),
        (r"(?i)userfaultfd", "userfaultfd"),
        (r"(?i)get_?cpu|getrandom|statx|openat2", "getcpu getrandom statx openat2"),
    )
)


def tell_seccomp(pod: Ref, container: str | None, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return the calls of the message that the profile denies; if the message names none of them, the first
    calls that it denies, which decides nothing.
    """
    if pod.kind != "Pod" or not _FORBIDDEN.search(line):
        return NodeWords()
    if not snap.of(PodSettings, pod):
        return NodeWords(wants=(Want(PodSettings, pod),))
    node, profile = find_node_of_pod(pod, snap), _find_profile(pod, container, snap)
    if node is None or not node.name:
        return NodeWords()
    if not profile:
        return _tell_default(node, line, snap, verify)
    file = Ref("File", node.name, f"seccomp/{profile}")
    want, rules = Want(SeccompRules, file), snap.one(SeccompRules, file)
    if rules is None or not rules.readable:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    called = [c for words, calls in _CALLS if words.search(line) for c in calls]
    met = tuple(c for c in dict.fromkeys(called) if _denies(rules, c))
    told = met or rules.denied[:_NAMED]
    if not told:
        return NodeWords()
    says = say(
        "; its seccomp profile {profile} on Node {node} denies {calls}",
        profile=file.name,
        node=node.name,
        calls=list_names(told[:_NAMED]),
    )
    see = Step(
        say("see the profile, in the kubelet's directory"),
        where=place_on_node(node.name),
        command=command("cat {file}", file=given.path(f"/var/lib/kubelet/{file.name}")),
    )
    change = Step(
        say(
            "allow what the program needs in this profile, on every node that has it, or give the container "
            "another profile (RuntimeDefault)"
        ),
        where="source",
        verify=verify,
    )
    return NodeWords(says, (see, change), (rules,), decides=bool(met), replaces=bool(met))


def _tell_default(node: Ref, line: str, snap: Facts, verify: Text) -> NodeWords:
    """Return the kubelet's own setting by which containers without a profile get the runtime's."""
    if not any(words.search(line) for words, _ in _CALLS):
        return NodeWords()
    want = Want(NodeSettings, node)
    on = [s for s in list_settings(node, ("seccompDefault",), snap) if s.value == "true"]
    if not on:
        return NodeWords(wants=() if snap.answered(want) else (want,))
    says = say(
        "; the kubelet of Node {node} has seccompDefault=true ({at}): a container without a seccompProfile "
        "gets the runtime's profile there (RuntimeDefault), which denies such calls",
        node=node.name,
        at=on[0].at,
    )
    change = Step(
        say(
            "give the container a seccompProfile that allows the call (Localhost, or Unconfined if it is "
            "trusted), so that it runs alike on every Node"
        ),
        where="source",
        verify=verify,
    )
    return NodeWords(says, (change,), tuple(snap.of(NodeSettings, node))[:1], replaces=True)


def _find_profile(pod: Ref, container: str | None, snap: Facts) -> str:
    return next(
        (c.seccomp for f in snap.of(PodSettings, pod) for c in f.items if c.name == container and c.seccomp),
        "",
    )


def _denies(rules: SeccompRules, call: str) -> bool:
    return call in rules.denied or (
        rules.default not in _ALLOWING and bool(rules.allowed) and call not in rules.allowed
    )
