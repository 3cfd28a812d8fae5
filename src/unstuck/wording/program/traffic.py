"""Packets that a network policy drops, in the words of the data planes that report each of them."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_IP = r"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})"
_END = rf"(?:{_IP}|\[[0-9a-f:]{{2,45}}\])"
_POD = r"[a-z0-9-]{1,63}/[a-z0-9][a-z0-9.-]{0,252}"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "traffic-denied",
        words(
            rf"\bdrop \((?P<reason>Policy denied[^()]{{0,40}}|Denied by [^()]{{3,40}})\) flow \S{{1,40}} .{{0,200}}?\bidentity (?P<group>[\w.:/-]{{1,80}}->[\w.:/-]{{1,80}}): "
            rf"(?P<resource>{_END}):\d{{1,5}} -> (?P<name>{_END}):(?P<port>\d{{1,5}})"
            rf"|\b(?P<resource_2>{_POD}|{_END}):\d{{1,5}} \([^()]{{1,60}}\) (?:<>|->) (?P<name_2>{_POD}|{_END}):(?P<port_2>\d{{1,5}}) \([^()]{{1,60}}\) "
            r"(?P<reason_2>(?:[Pp]olicy denied|policy-verdict:none)(?: (?P<verb_2>INGRESS|EGRESS))?) (?:DENIED|DROPPED)\b"
            rf"|\"Src IP\": ?\"(?P<resource_3>{_IP})\".{{0,80}}?\"Dest IP\": ?\"(?P<name_3>{_IP})\", ?\"Dest Port\": ?(?P<port_3>\d{{1,5}}).{{0,60}}?\"(?P<reason_3>Verdict\": ?\"DENY)\""
            rf"|\bacl_log\b.{{0,200}}?\bverdict=(?P<reason_4>drop|reject)\b.{{0,80}}?direction=(?P<verb_4>from-lport|to-lport)\b.{{0,200}}?\bnw_src=(?P<resource_4>{_IP}),nw_dst=(?P<name_4>{_IP})(?:.{{0,160}}?\btp_dst=(?P<port_4>\d{{1,5}}))?"
        ),
        ("olicy denied", "drop (Denied by", "policy-verdict:none", '"DENY"', "acl_log"),
        (
            Seen("Cilium", "1.0–1.18", "pkg/monitor/datapath_drop.go, pkg/hubble/printer"),
            Seen("AWS network policy agent", "1.0–1.2", "pkg/ebpf/events/events.go"),
            Seen("OVN", "20–25", "lib/acl-log.c"),
        ),
        (
            Example(
                "xx drop (Policy denied) flow 0xdd60fbdd to endpoint 0, file bpf_lxc.c line 1181, , identity 36262->kube-apiserver: 10.8.5.1:53354 -> 10.0.7.3:6443 tcp ACK",
                "traffic-denied group=36262->kube-apiserver name=10.0.7.3 port=6443 reason=Policy denied resource=10.8.5.1",
            ),
            Example(
                "Nov 21 03:00:00.123: shop/till-0:44420 (ID:9113) <> kube-system/dns-1:53 (ID:812) policy-verdict:none EGRESS DENIED (UDP)",
                "traffic-denied name=kube-system/dns-1 port=53 reason=policy-verdict:none EGRESS resource=shop/till-0 verb=EGRESS",
            ),
            Example(
                '{"level":"info","logger":"ebpf-client","msg":"Flow Info:  ","Src IP":"10.8.5.1","Src Port":40022,"Dest IP":"10.8.6.2","Dest Port":5432,"Proto":"TCP","Verdict":"DENY"}',
                'traffic-denied name=10.8.6.2 port=5432 reason=Verdict":"DENY resource=10.8.5.1',
            ),
            Example(
                'acl_log(ovn_pinctrl0)|INFO|name="shop", verdict=drop, severity=info, direction=from-lport: tcp,vlan_tci=0x0,nw_src=10.8.5.1,nw_dst=10.8.6.2,nw_tos=0,tp_src=1,tp_dst=5432',
                "traffic-denied name=10.8.6.2 port=5432 reason=drop resource=10.8.5.1 verb=from-lport",
            ),
        ),
        own=True,
    ),
)
