"""Reads the settings of a node that another node of its kind is compared by."""

from __future__ import annotations

from unstuck.collect.masking import mask
from unstuck.collect.node.network_tools import is_own_network, read_output
from unstuck.collect.node.packet_rules import OWNED, parse_tables
from unstuck.collect.node.setting_files import list_daemons, list_hosts, list_kubelet, list_resolver
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_settings import NodeSetting, NodeSettings, SettingArea
from unstuck.facts.core import Source
from unstuck.facts.record import replace
from unstuck.facts.regex import regex

# Those that decide what programs may do or how packets travel; the others show use, or the machine's size.
_SYSCTLS = {
    "net.ipv4": (
        "icmp_echo_ignore_all icmp_ratelimit ip_default_ttl ip_forward ip_local_port_range "
        "ip_local_reserved_ports ip_nonlocal_bind ip_unprivileged_port_start ping_group_range tcp_ecn "
        "tcp_fin_timeout tcp_keepalive_intvl tcp_keepalive_probes tcp_keepalive_time tcp_mtu_probing "
        "tcp_retries1 tcp_retries2 tcp_rmem tcp_sack tcp_syn_retries tcp_synack_retries tcp_syncookies "
        "tcp_timestamps tcp_tw_reuse tcp_wmem tcp_max_syn_backlog tcp_congestion_control "
        "fib_multipath_hash_policy"
    ),
    "net.ipv4.conf.all": (
        "accept_local arp_announce arp_filter arp_ignore forwarding log_martians rp_filter route_localnet "
        "src_valid_mark accept_redirects"
    ),
    "net.ipv4.conf.default": "forwarding rp_filter",
    "net.ipv4.neigh.default": "gc_thresh1 gc_thresh2 gc_thresh3",
    "net.ipv6": "bindv6only",
    "net.ipv6.conf.all": "disable_ipv6 forwarding accept_ra",
    "net.ipv6.icmp": "echo_ignore_all",
    "net.bridge": "bridge-nf-call-iptables bridge-nf-call-ip6tables bridge-nf-call-arptables",
    "net.core": "somaxconn netdev_max_backlog rmem_max wmem_max default_qdisc bpf_jit_enable",
    "net.netfilter": (
        "nf_conntrack_max nf_conntrack_tcp_be_liberal nf_conntrack_tcp_timeout_established "
        "nf_conntrack_tcp_timeout_close_wait nf_conntrack_tcp_loose"
    ),
    "kernel": (
        "core_pattern dmesg_restrict io_uring_disabled keys/maxkeys keys/maxbytes kptr_restrict "
        "modules_disabled msgmax msgmnb msgmni panic panic_on_oops perf_event_paranoid pid_max "
        "randomize_va_space sched_rt_runtime_us sem shmall shmmax shmmni sysrq threads-max "
        "unprivileged_bpf_disabled unprivileged_userns_clone yama/ptrace_scope "
        "apparmor_restrict_unprivileged_userns"
    ),
    "fs": (
        "aio-max-nr file-max nr_open inotify/max_user_instances inotify/max_user_watches "
        "inotify/max_queued_events may_detach_mounts mount-max pipe-max-size pipe-user-pages-hard "
        "pipe-user-pages-soft protected_fifos protected_hardlinks protected_regular protected_symlinks "
        "suid_dumpable mqueue/msg_max mqueue/queues_max"
    ),
    "vm": (
        "max_map_count mmap_min_addr nr_hugepages overcommit_memory overcommit_ratio panic_on_oom swappiness "
        "unprivileged_userfaultfd zone_reclaim_mode min_free_kbytes"
    ),
    "user": (
        "max_user_namespaces max_mnt_namespaces max_net_namespaces max_pid_namespaces "
        "max_inotify_instances max_inotify_watches"
    ),
}
_MADE_BY_KERNEL = ("broadcast", "local", "anycast", "multicast")
_USUAL_RULES = regex(r"^(?:0:\s+from all lookup local|32766:\s+from all lookup main|32767:\s.* default)$")
# A jump to a chain of kube-proxy or a network add-on.
_OF_OTHERS = regex(rf"-[jg] (?:{'|'.join(OWNED)})")
_DAEMONS = ("kubelet", "containerd", "crio", "dockerd")
_USUAL_QUEUES = ("noqueue", "pfifo_fast", "fq_codel", "fq", "mq", "mqprio", "clsact", "ingress")
_PERMANENT = 0x4
_MOST, _LONGEST = 1_000, 240
_ARP_WORDS = 6
_RULES = "iptables-save"
_LIMITS = regex(r"^(?P<name>Max [a-z ]+?) {2,}(?P<soft>\S+) +\S+")


def node_settings(view: NodeView) -> NodeSettings | None:
    """Return the settings; None if nothing can be read here."""
    found: dict[SettingArea, tuple[NodeSetting, ...] | None] = {
        "sysctl": _list_sysctls(view),
        "filter": _list_rules(view),
        "route": _list_routes(view),
        "policy": _list_policy(view),
        "neighbour": _list_neighbours(view),
        "queue": _list_queues(view),
        "address": _list_addresses(view),
        "hosts": list_hosts(view),
        "resolver": list_resolver(view),
        "kubelet": list_kubelet(view),
        "daemon": list_daemons(view),
        "limit": _list_limits(view),
    }
    areas = tuple(area for area, items in found.items() if items is not None)
    if not areas:
        return None
    items = tuple(_cut(item) for items in found.values() for item in items or ())
    return NodeSettings(
        about=view.ref,
        src=Source(f"{view.name} /proc/sys, iptables-save, ip, /etc", f"{len(items)} settings"),
        whole=view.sees_node and len(areas) == len(found) and len(items) <= _MOST,
        items=items[:_MOST],
        areas=areas if len(items) <= _MOST else (),
    )


def _cut(item: NodeSetting) -> NodeSetting:
    return replace(item, item=mask(item.item)[:_LONGEST], value=mask(item.value)[:_LONGEST])


def _list_sysctls(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the values; those of the network only in the node's own."""
    own = not view.root.live or is_own_network(view)
    out = []
    for top, names in _SYSCTLS.items():
        for name in names.split() if own or not top.startswith("net.") else ():
            path = f"/proc/sys/{top.replace('.', '/')}/{name}"
            value = " ".join((view.root.brief(path, 4096) or "").split())
            if value:
                out.append(NodeSetting("sysctl", f"{top}.{name.replace('/', '.')}", value, path))
    return tuple(out) if own and out else None


def _list_rules(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the rules, and the policies other than ACCEPT, of chains that neither kube-proxy nor a network
    add-on has written.
    """
    lines = read_output(view, "iptables")
    if not lines:
        return None
    out = []
    for table, chains in parse_tables(lines).items():
        for name, chain in chains.items():
            if chain.policy not in ("", "ACCEPT"):
                out.append(NodeSetting("filter", "", chain.policy, _RULES, f"-t {table} -P {name}"))
            out += [
                NodeSetting("filter", "", "", _RULES, f"-t {table} -A {name} {rule}")
                for rule in chain.rules
                if not _OF_OTHERS.search(rule)
            ]
    return tuple(out)


def _list_routes(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the routes that somebody has added."""
    lines = read_output(view, "ip-route")
    rows = [line.split() for line in lines]
    return (
        tuple(
            NodeSetting("route", "", "", "ip route show table all", " ".join(words))
            for words in rows
            if words and words[0] not in _MADE_BY_KERNEL and "kernel" not in words
        )
        if lines
        else None
    )


def _list_policy(view: NodeView) -> tuple[NodeSetting, ...] | None:
    lines = read_output(view, "ip-rule")
    return (
        tuple(
            NodeSetting("policy", "", "", "ip rule", " ".join(line.split()))
            for line in lines
            if line.strip() and not _USUAL_RULES.match(line.strip())
        )
        if lines
        else None
    )


def _list_neighbours(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the permanent entries."""
    pid = view.kubelet.process.pid if view.kubelet.process else 1
    path = f"/proc/{pid}/net/arp"
    text = view.root.text(path, 1 << 20)
    if text is None:
        return None
    rows = [words for line in text.splitlines()[1:] if len(words := line.split()) >= _ARP_WORDS]
    return tuple(
        NodeSetting("neighbour", "", "", path, f"{w[0]} lladdr {w[3]} dev {w[5]}")
        for w in rows
        if w[2].startswith("0x") and int(w[2], 16) & _PERMANENT
    )


def _list_queues(view: NodeView) -> tuple[NodeSetting, ...] | None:
    lines = read_output(view, "tc-qdisc")
    rows = [line.split() for line in lines]
    return (
        tuple(
            NodeSetting("queue", "", "", "tc qdisc show", " ".join(w))
            for w in rows
            if len(w) > 1 and w[1] not in _USUAL_QUEUES
        )
        if lines
        else None
    )


def _list_addresses(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the node's own addresses with their interfaces."""
    lines = read_output(view, "ip-route")
    rows = [line.split() for line in lines]
    return (
        tuple(
            NodeSetting("address", "", w[w.index("dev") + 1], "ip address", w[1])
            for w in rows
            if w[:1] == ["local"] and "dev" in w[:-1] and not w[1].startswith("127.")
        )
        if lines
        else None
    )


def _list_limits(view: NodeView) -> tuple[NodeSetting, ...] | None:
    """Return the soft limits of the kubelet and the runtime, which containers inherit."""
    out = []
    for process in view.table.user:
        if process.stat.comm in _DAEMONS and process.groups.pod is None and process.stat.state != "Z":
            path = f"/proc/{process.pid}/limits"
            found = (_LIMITS.match(line) for line in (view.root.brief(path) or "").splitlines())
            out += [
                NodeSetting("limit", f"{process.stat.comm}: {m['name']}", m["soft"], path)
                for m in found
                if m and m["name"] != "Max pending signals"
            ]
    return tuple(out) or None
