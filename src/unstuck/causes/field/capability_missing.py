"""The container lacks the capability that its program needs

## How it happens

`capabilities.drop: [ALL]` removes the capabilities of images that start as root: to give files to their own
user, to change to it, to open a port below 1024. Others need capabilities that no container has by default:
to set up firewall rules, to mount, to lock memory.

## How to tell

The kernel refuses an act (`Operation not permitted`), the line names it, and the container's securityContext
drops its capability, or does not add a capability outside of the defaults.

## Known limits

The defaults are those of containerd; a user namespace or seccomp may refuse as well. For a container that
runs as another user than root only capabilities outside of the defaults are reported: it has none of the
others, even if they are added.

## References

- capabilities(7); containerd pkg/oci/spec.go; Kubernetes core/v1 Capabilities
"""

from __future__ import annotations

import re

from unstuck.causes.container._ends import STAGES
from unstuck.causes.field._pair import Misfit, Pair, judge_pairs, list_reads
from unstuck.causes.field._words import READS, ContainerLine, make_words_check
from unstuck.causes.program._plain import mend
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.text import Messages, Text
from unstuck.diagnosis.verdict import DoNot, Signs
from unstuck.facts.aspects.settings import ContainerSettings, PodSettings
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

_REFUSED = regex(
    r"operation not permitted|\bEPERM\b|permission denied|\bEACCES\b|not permitted", re.IGNORECASE
)
_EPERM = regex(r"operation not permitted|\bEPERM\b", re.IGNORECASE)
_ACTS = (
    ("CHOWN", regex(r"\b(?:l|f)?ch(?:own|grp)(?:at)?\b|chang\w+ (?:the )?owner", re.IGNORECASE)),
    (
        "FOWNER",
        regex(r"\bf?chmod(?:at)?\b|chang\w+ (?:the )?(?:mode|permissions)|\butimes?\b", re.IGNORECASE),
    ),
    ("SETGID", regex(r"\bset(?:e|re|res)?gid\b|\bsetgroups\b|\binitgroups\b", re.IGNORECASE)),
    (
        "SETUID",
        regex(
            r"\bset(?:e|re|res)?uid\b|\bsu-exec\b|\bgosu\b|\bsetpriv\b|\bsudo\b|switch\w* (?:to )?user",
            re.IGNORECASE,
        ),
    ),
    ("NET_RAW", regex(r"\braw socket|SOCK_RAW|\bping: |\bicmp\b|\bsocket: ", re.IGNORECASE)),
    (
        "NET_ADMIN",
        regex(
            (
                r"\biptables\b|\bip6tables\b|\bnft(?:ables)?\b|\bnetlink\b|RTNETLINK|\btun/tap\b"
                r"|/dev/net/tun|\bSO_MARK\b|\bipset\b"
            ),
            re.IGNORECASE,
        ),
    ),
    ("IPC_LOCK", regex(r"\bmlock(?:all)?\b", re.IGNORECASE)),
    ("SYS_RESOURCE", regex(r"\b[sp]?rlimit\b|\bsetrlimit\b|\bulimit\b|RLIMIT_", re.IGNORECASE)),
    ("SYS_NICE", regex(r"\bsetpriority\b|\bsched_set\w+|\bmbind\b|set_mempolicy", re.IGNORECASE)),
    ("SYS_PTRACE", regex(r"\bptrace\b", re.IGNORECASE)),
    ("SYS_CHROOT", regex(r"\bchroot\b", re.IGNORECASE)),
    ("MKNOD", regex(r"\bmknod\b", re.IGNORECASE)),
    (
        "SYS_TIME",
        regex(r"\bsettimeofday\b|\bclock_settime\b|\badjtimex?\b|set (?:the )?(?:date|clock)", re.IGNORECASE),
    ),
    ("SYS_ADMIN", regex(r"\bu?mount(?:ing)?\b|\bunshare\b|\bsetns\b|\bpivot_root\b|\bbpf\b", re.IGNORECASE)),
)
_PORT = regex(r"(?:bind|listen)\w*\W.{0,80}?:(?P<port>\d{1,4})\b|port (?P<other>\d{1,4})\b", re.IGNORECASE)
_BINDS = regex(r"\b(?:bind|listen)", re.IGNORECASE)
_PRIVILEGED_PORTS = 1024
_DEFAULT = frozenset(
    (
        *(
            "CHOWN",
            "DAC_OVERRIDE",
            "FSETID",
            "FOWNER",
            "MKNOD",
            "NET_RAW",
            "SETGID",
            "SETUID",
            "SETFCAP",
            "SETPCAP",
        ),
        *("NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE"),
    )
)
_OWN = ("CHOWN", "FOWNER")
# A user namespace needs no capability (user_namespaces(7)): a seccomp profile or a sysctl refuses it.
_USER_NAMESPACE = regex(r"user ?namespace|CLONE_NEWUSER|0x1\d000000\b|unshare -\w*U", re.IGNORECASE)


def _match(
    pod: Ref, word: ContainerLine, _: PodSettings, one: ContainerSettings, snap: Facts
) -> Sign[Misfit] | None:
    wanted = _capability(word.line)
    if not wanted or not _lacks(one, wanted):
        return None
    spec = find_container_spec(pod, one.name, snap)
    if spec is None or (spec.user and wanted in _DEFAULT):
        # Other users than root have none of these, even if they are added.
        return None
    return Sign(True, (_find_misfit(pod, word, one, wanted),))


def _capability(line: str) -> str:
    """Return the capability that the line's refused act needs; "" if there is none."""
    if not _REFUSED.search(line):
        return ""
    if _BINDS.search(line):
        ports = [int(m["port"] or m["other"]) for m in _PORT.finditer(line)]
        return "NET_BIND_SERVICE" if ports and 0 < ports[-1] < _PRIVILEGED_PORTS else ""
    if not _EPERM.search(line) or _USER_NAMESPACE.search(line):
        return ""
    return next((name for name, act in _ACTS if act.search(line)), "")


def _lacks(one: ContainerSettings, name: str) -> bool:
    if one.privileged or name in one.added or "ALL" in one.added:
        return False
    return name not in _DEFAULT or name in one.dropped or "ALL" in one.dropped


def _find_misfit(pod: Ref, word: ContainerLine, one: ContainerSettings, name: str) -> Misfit:
    field = f"containers[{one.name}].securityContext.capabilities"
    dropped = "ALL" if "ALL" in one.dropped else name
    why: Text = (
        say(
            "capabilities.drop of its securityContext contains {dropped}, so it lacks {name}",
            dropped=dropped,
            name=name,
        )
        if dropped in one.dropped
        else say(
            (
                "that needs the capability {name}, which no container has by default, and capabilities.add "
                "does not give it"
            ),
            name=name,
        )
    )
    add = say("add {name} to {field}.add", name=name, field=field)
    if name in _OWN:
        add = say(
            (
                "use runAsUser and fsGroup to make the files its own, so that it need not change their "
                "owner or mode; or add {name} to {field}.add"
            ),
            name=name,
            field=field,
        )
    elif name == "NET_BIND_SERVICE":
        add = say("let it listen on a port above 1023, or add {name} to {field}.add", name=name, field=field)
    return Misfit(
        of=pod,
        field=field,
        says=say("{who} wrote “{line}”: {why}", who=word.title, line=word.quote, why=why),
        help=(mend(add),),
        do_not=(
            DoNot(
                say("run the container as privileged"),
                say("it would have every capability, and all devices of its Node"),
            ),
        ),
    )


PAIRS = (
    Pair(
        "a capability that the refused act needs is not among the container's",
        "contained",
        ("Pod",),
        make_words_check(_match),
        READS,
    ),
)


def _rule(subject: Ref, snap: Facts) -> Signs:
    return judge_pairs(PAIRS, subject, snap)


CAUSE = Cause(
    id="field.capability-missing",
    title=say("the container lacks the capability that its program needs"),
    subjects=("Pod",),
    stages=STAGES,
    reads=list_reads(PAIRS),
    rule=_rule,
)
