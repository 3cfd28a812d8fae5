"""Words of iptables, ipset and their callers about parts of the packet filter that the kernel lacks."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_IPTABLES = Seen("iptables", "1.4–1.8", "libxtables/xtables.c, iptables/xshared.c, iptables/nft.c")
_IPVS = Seen("kube-proxy", "1.8–1.34", "pkg/proxy/ipvs/proxier.go, cmd/kube-proxy/app/server_linux.go")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "packet-filter-incomplete",
        words(
            r"Couldn't (?:load|find) (?P<verb>match|target) [`'‘](?P<name>[\w-]{1,60})['’`]"
            r"|Extension (?P<name_2>[\w-]{1,60}) revision \d{1,3} not supported, missing kernel module\?"
            r"|can't initialize ip6?tables (?P<verb_2>table) [`'‘](?P<name_3>\w{1,40})['’`]: (?:Table does not exist|iptables who)"
            r"|error getting (?P<verb_3>ipset) version"
            r"|required kernel (?P<verb_4>module)s are not loaded: \[(?P<name_4>[\w-]{1,40})"
            r"|could not load (?:kernel )?(?P<verb_5>module) [`'\"‘]?(?P<name_5>(?:xt|ipt|ip6t|nf|nft|ip|ip6|iptable|ip6table)_\w{1,40})"
            r"|\bip6?tables (?:-w \d{0,3} ?)?(?:-t (?P<group_8>\w{1,20}) )?-[A-Z] (?P<resource_8>[\w-]{1,60}) .{0,400}?(?P<reason_8>No chain/target/match by that name)"
            r"|RULE_APPEND failed \(No such file or directory\)|Failed to initialize nft: Protocol not supported"
            r"|ipset v[\d.]{1,10}: Cannot open session to kernel"
            r"|Could not get (?P<name_7>ipvs) family information from the kernel"
            # netlink's ENOENT: the kernel has no such family, because ip_vs or one of its schedulers is not loaded.
            r"|Failed to add (?P<name_6>IPVS) service\b.{0,300}?: no such file or directory"
        ),
        (
            *(
                "Couldn't load ",
                "Couldn't find ",
                "missing kernel module?",
                "can't initialize ip",
                "ipset version",
            ),
            *(
                "kernel modules are not loaded",
                "could not load ",
                "RULE_APPEND failed",
                "initialize nft",
                "session to kernel",
                "No chain/target/match",
                "Failed to add IPVS service",
                "Could not get ipvs family",
            ),
        ),
        (
            _IPTABLES,
            _IPVS,
            Seen("ipset", "6–7", "lib/session.c"),
            Seen("docker", "1.10–28", "libnetwork/ns/init_linux.go"),
        ),
        (
            Example(
                "iptables-restore v1.4.21: Couldn't load target `KUBE-MARK-DROP':No such file or directory",
                "packet-filter-incomplete name=KUBE-MARK-DROP verb=target",
            ),
            Example(
                "iptables v1.8.4 (legacy): Couldn't load match `physdev':No such file or directory",
                "packet-filter-incomplete name=physdev verb=match",
            ),
            Example(
                "unable to run 'iptables -t mangle -A TILL_PRE_mangle -m socket --transparent -j TILL_MARK': exit status 1 stderr=\"iptables: No chain/target/match by that name.",
                "packet-filter-incomplete group=mangle reason=No chain/target/match by that name resource=TILL_PRE_mangle",
            ),
            Example(
                'Failed to add IPVS service "shop/till:http": no such file or directory',
                "packet-filter-incomplete name=IPVS",
            ),
            Example(
                "Could not get ipvs family information from the kernel. It is possible that ipvs is not enabled in your kernel.",
                "packet-filter-incomplete name=ipvs",
            ),
            Example(
                "Warning: Extension comment revision 0 not supported, missing kernel module?",
                "packet-filter-incomplete name=comment",
            ),
            Example(
                "iptables v1.8.7 (legacy): can't initialize iptables table `nat': Table does not exist (do you need to insmod?)",
                "packet-filter-incomplete name=nat verb=table",
            ),
            Example(
                "can't use the IPVS proxier: error getting ipset version, error: exit status 1",
                "packet-filter-incomplete verb=ipset",
            ),
            Example(
                "IPVS proxier will not be used because the following required kernel modules are not loaded: [ip_vs ip_vs_rr]",
                "packet-filter-incomplete name=ip_vs verb=module",
            ),
            Example(
                "iptables v1.8.7 (nf_tables):  RULE_APPEND failed (No such file or directory): rule in chain POSTROUTING",
                "packet-filter-incomplete",
            ),
        ),
        own=True,
    ),
)
