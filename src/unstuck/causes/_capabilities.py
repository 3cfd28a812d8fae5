"""A refusal of the kernel that a capability decides, and whether the container has that capability."""

from __future__ import annotations

from unstuck.causes._value_source import ValueSource
from unstuck.diagnosis.text import Messages, list_names
from unstuck.facts.aspects.pod import Containers
from unstuck.facts.aspects.settings import PodSettings
from unstuck.facts.core import Fact, Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Containers, PodSettings})
# What a program says as it tries something, and what that takes. Source: capabilities(7).
_TAKES = (
    (
        regex(
            r"(?i)switching to|set(?:e|res|re)?[ug]ids?\b|setgroups|initgroups|su-exec|\bgosu\b|\bsetpriv\b"
            r"|drop(?:ping)? privileges|change (?:user|group)|(?:can't|cannot|unable to) (?:set|change) "
            r"(?:the )?(?:user|group|[ug]id)"
        ),
        ("SETUID", "SETGID"),
    ),
    (regex(r"(?i)\bl?chown\b|chown\(|changing ownership|change ownership|chgrp"), ("CHOWN",)),
    (regex(r"(?i)\bchmod\b|changing permissions|utimes?\b"), ("FOWNER",)),
    (regex(r"(?i)\bchroot\b"), ("SYS_CHROOT",)),
    (regex(r"(?i)\bmlock(?:all)?\b|lock memory|locking memory"), ("IPC_LOCK",)),
    (regex(r"(?i)raw socket|socket\(.{0,40}RAW|\bping\b|icmp"), ("NET_RAW",)),
    (
        regex(r"(?i)iptables|nft(?:ables)?\b|netlink|RTNETLINK|ip6?tables|tun(?:/tap)?\b|/dev/net/tun|ipset"),
        ("NET_ADMIN",),
    ),
    (regex(r"(?i)settimeofday|clock_settime|adjtimex|set the (?:system )?clock"), ("SYS_TIME",)),
    (regex(r"(?i)\bptrace\b"), ("SYS_PTRACE",)),
    (regex(r"(?i)\bmknod\b"), ("MKNOD",)),
    (regex(r"(?i)setpriority|\bnice\b|sched_set|set_mempolicy|mbind|move_pages"), ("SYS_NICE",)),
    (regex(r"(?i)setrlimit|RLIMIT_|ulimit"), ("SYS_RESOURCE",)),
    (regex(r"(?i)\bbpf\b|\bmount\(|\bmount: |unshare|setns|pivot_root|sethostname"), ("SYS_ADMIN",)),
)
# What a runtime gives where nothing is dropped. Source: containerd pkg/oci/spec.go (defaultUnixCaps).
_DEFAULT = frozenset(
    {
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "NET_RAW",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    }
)


def find_capability(pod: Ref, container: str | None, line: str, snap: Facts) -> ValueSource:
    """Return the capabilities that the refused operation takes, and why the container lacks them; empty if it
    has them, or the operation is unknown.
    """
    takes = next((names for words, names in _TAKES if words.search(line)), ())
    held = next((c for f in snap.of(PodSettings, pod) for c in f.items if c.name == container), None)
    if not takes or held is None or held.privileged or "ALL" in held.added:
        return ValueSource()
    lacks = tuple(n for n in takes if n not in held.added and _is_absent(n, held.dropped))
    spec = find_container_spec(pod, container, snap)
    user = spec.user if spec else None
    names = list_names(lacks or takes)
    switches = "SETUID" in takes
    if not lacks:
        if not user or not switches:
            return ValueSource()
        return ValueSource(
            say(
                "; as uid {user} (runAsUser) it has no capability {names}, and only root may switch to "
                "another user",
                user=user,
                names=names,
            ),
            say(
                "set runAsUser to the user that it switches to, so that it need not switch, or let it start "
                "as root"
            ),
        )
    dropped = tuple(n for n in held.dropped if n == "ALL" or n in lacks)
    return ValueSource(
        say(
            "; that takes {n:capability|capabilities} {names}, and its securityContext drops {dropped}",
            n=len(lacks),
            names=names,
            dropped=list_names(dropped),
        )
        if dropped
        else say(
            "; that takes {n:capability|capabilities} {names}, which no container has by default",
            n=len(lacks),
            names=names,
        ),
        say(
            "set runAsUser and runAsGroup to the user that it switches to, so that it need not switch; or "
            "add {names} to securityContext.capabilities.add",
            names=names,
        )
        if switches
        else say("add {names} to securityContext.capabilities.add, if it needs that", names=names),
    )


def _is_absent(name: str, dropped: tuple[str, ...]) -> bool:
    return "ALL" in dropped or name in dropped or name not in _DEFAULT
