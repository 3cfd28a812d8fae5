#!/bin/sh
# What a node shows of itself and of one Pod: one stream of text, which `unstuck` reads as a recorded tree.
#
#   sh -s -- [POD_UID [KUBELET_ROOT [SECONDS [SINCE]]]]      as root; "" for what is not known; all within SECONDS (4)
#
# SINCE: when the deletion was asked for, in seconds since 1970: logs are then read around that time, besides the last hour.
#
# It needs a POSIX sh and the tools of CentOS 7, Debian or busybox. It writes no file, changes nothing and leaves no process.
# It reads /proc, /sys and files on local file systems. What would ask another machine, or a process that may not answer
# (looking below a network or FUSE mount), is left out; what may be slow runs with a time limit of its own.
#
# Lines of the stream:
#   #unstuck 1              the first one; `#end` is the last: without it the stream was cut off
#   #done NAME, #cut NAME   a section came to its end, or its time was over
#   #again                  from here on: a second look at what passes or stays
#   /PATH:TEXT              one line of a file whose path has no colon
#   f PATH                  a file; its lines follow, each after one blank (z: with NUL where its lines end)
#   d PATH                  a directory, or a file whose content does not matter
#   l PATH TARGET           a link (b: the target's unusual characters escaped as ls -b does; -: it leads to nothing that was asked about)
#   x PATH                  what may not be read
# Files below /.unstuck hold what commands said.

uid=$(printf %s "${1:-}" | tr -cd '0-9a-fA-F_-' | tr 'A-F_' 'a-f-')
uid_=$(printf %s "$uid" | tr - _)
given=${2:-}
budget=$(printf %s "${3:-4}" | tr -cd '0-9')
since=$(printf %s "${4:-}" | tr -cd '0-9')
asked=${asked:-}
LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin:/usr/bin:/bin
export LC_ALL PATH
nl='
'
served='(fuse|fuseblk|virtiofs|nfs|nfs4|cifs|smb3|smbfs|ceph|9p|afs|coda|ncpfs|lustre|gpfs|beegfs|glusterfs|orangefs|pvfs2|ocfs2|gfs2|wekafs)'
local='(ext2|ext3|ext4|xfs|btrfs|zfs|f2fs|jfs|reiserfs|vfat|bcachefs|tmpfs|ramfs|hugetlbfs|rootfs|overlay|aufs)'
asleep='request_wait_answer|fuse_[a-ce-z]|virtio_fs|rpc_|nfs|ceph|cifs|smb|SMB|wait_for_response|compound_send_recv|p9_|v9fs'
begun=$(date +%s)

# --- tools ---

# Text is text, whatever bytes it holds.
text='grep -sH'
echo x | grep -a x >/dev/null 2>&1 && text='grep -asH'

# Links with their targets, never what they lead to. Users' names are not looked up: that may ask a directory server.
# An old busybox' `ls -l` follows links; its `stat` does not.
links='stat -c %N' kind=l
ls --version 2>/dev/null | grep -q GNU && links='ls -ldnb' kind=b

each() { printf '%s\n' "$@"; }

put() { # put PATH: a small file, by the shell alone
    [ -r "$1" ] || return 0
    printf 'f %s\n' "${1#"$into"}"
    while IFS= read -r line || [ -n "$line" ]; do printf ' %s\n' "$line"; done <"$1"
}

told() { # told PATH: standard input as that file
    printf 'f %s\n' "$1"
    sed 's/^/ /'
}

# A section runs in the background, and nobody waits for it longer than its time: what sleeps in the kernel cannot be ended.
# A signal for which there is a trap ends `wait`.
trap 'late=1' ALRM
section() { # section NAME SHARE: in seconds of 4
    late=
    left=$((budget - $(date +%s) + begun))
    [ $left -gt 0 ] || { each "#cut $1"; return; }
    limit=$((($2 * budget + 3) / 4))
    [ $limit -le $left ] || limit=$left
    { "$1" && each "#done $1"; } </dev/null 2>/dev/null &
    work=$!
    (
        trap 'kill $nap; exit' TERM
        sleep $limit &
        nap=$!
        wait $nap && kill -ALRM $$
    ) </dev/null >/dev/null 2>&1 &
    clock=$!
    wait $work 2>/dev/null
    if [ -n "$late" ]; then
        end_below $work
        printf '\n#cut %s\n' "$1"
    else
        kill $clock 2>/dev/null
        wait $clock 2>/dev/null
    fi
}

end_below() { # end_below PID: it and all that it started, as far as that can be ended
    kill -STOP "$1" 2>/dev/null
    for child in $(cat /proc/[0-9]*/stat 2>/dev/null | sed -n "s/^\([0-9]*\) (.*) [A-Za-z] $1 .*/\1/p"); do
        end_below "$child"
    done
    kill -KILL "$1" 2>/dev/null
}

# --- where to look ---

# The kubelet: the one that sees the mounts that we see, else the only one (nodes may be containers of one machine).
kubelet=
others=0
own=$(readlink /proc/self/ns/mnt 2>/dev/null)
for found in $(grep -slE '^(kubelet|hyperkube|kubelite|k3s-server|k3s-agent|k0s|rke2)' /proc/[0-9]*/comm); do
    found=${found%/comm}
    kubelet=$found
    [ "$(readlink "$found/ns/mnt")" = "$own" ] && others=0 && break
    others=$((others + 1))
done
[ $others -le 1 ] || kubelet=
# Its command line says where its files are. With a thread in D the lock on its memory may never be released: then it is not read.
args=
if [ -n "$kubelet" ] && ! grep -qs ') D ' "$kubelet"/task/*/stat; then
    args=$(tr '\0' '\n' <"$kubelet/cmdline")
fi
flag() { # flag NAME: its value, from `--name=value` or `--name value`
    each "$args" | sed -n -e "s/^--*$1=//p" -e "/^--*$1\$/{n;p;}" | tail -n 1
}
top=$(flag root-dir)
top=${given:-${top:-/var/lib/kubelet}}
# A kubelet with mounts of its own: its files are seen through /proc.
into=
[ -n "$kubelet" ] && [ "$(readlink "$kubelet/ns/mnt")" != "$own" ] && into=$kubelet/root
table=${kubelet:-/proc/self}/mountinfo

on() { # on PATH...: the type of the file system that each lies on, by the mount table alone
    printf '> %s\n' "$@" | awk '
        $1 == ">" { want[n++] = $2; next }
        { for (i = 7; i < NF && $i != "-"; i++); at[m] = $5; type[m++] = $(i + 1) }
        END { for (i = 0; i < n; i++) {
            best = -1
            for (j = 0; j < m; j++) {
                above = at[j] == "/" || index(want[i] "/", at[j] "/") == 1
                if (above && (best < 0 || length(at[j]) >= length(at[best]))) best = j
            }
            print type[best], want[i]
        } }' - "$table"
}
remote=$(on / /etc /run /var/log /var/log/pods /var/log/containers "$top" "$top/pods" "$top/plugins" "$top/plugins_registry" \
    /var/lib/containerd /var/lib/docker /var/lib/containers | sed -nE "s/^$served(\.[^ ]*)? //p" | tr '\n' ' ')
usable() { # usable PATH: whether it may be looked at without asking another machine or a process
    case " $remote " in *" $1 "*) return 1 ;; esac
    [ -e "$into$1" ]
}

# --- sections ---

host() {
    # Not by the shell, which reads byte by byte: such a file has one.
    each osrelease hostname pid_max threads-max hung_task_warnings hung_task_timeout_secs | sed 's,^,/proc/sys/kernel/,' | xargs $text ''
    each may_detach_mounts file-max file-nr inotify/max_user_instances inotify/max_user_watches | sed 's,^,/proc/sys/fs/,' | xargs $text ''
    $text '' /proc/uptime /proc/loadavg /proc/sys/net/netfilter/nf_conntrack_max /proc/sys/net/netfilter/nf_conntrack_count \
        "${kubelet:-/proc/1}/net/stat/nf_conntrack"
    # Settings that a refused call depends on, as our own network has them.
    each fs/aio-max-nr kernel/keys/maxkeys kernel/perf_event_paranoid kernel/unprivileged_bpf_disabled user/max_user_namespaces \
        vm/max_map_count vm/overcommit_memory net/ipv4/ip_unprivileged_port_start net/ipv4/ping_group_range net/ipv4/ip_nonlocal_bind \
        net/ipv4/ip_local_port_range net/ipv6/conf/all/disable_ipv6 | sed 's,^,/proc/sys/,' | xargs $text ''
    for pid in $$ "${kubelet#/proc/}"; do
        [ -z "$pid" ] || each "l /proc/$pid/ns/net $(readlink "/proc/$pid/ns/net")"
    done
    for name in hostname os-release redhat-release centos-release debian_version alpine-release; do put "/etc/$name"; done
    # Of the options none that may hold a password.
    at_home /etc/fstab && awk '$1 !~ /^#/ && NF >= 2 { o = "," $4 ","; print $1, $2, $3, (o ~ /,noauto,/ ? "noauto" : o ~ /,nofail,/ ? "nofail" : "defaults") }' \
        "$into/etc/fstab" | told /etc/fstab
    $text '^btime' /proc/stat
    date +%z | told /.unstuck/zone
    each "l /proc/self $$"
    dmesg | tail -c 524288 | told /proc/kmsg
}

processes() {
    each /proc/[0-9]*/stat | xargs $text ''
    each /proc/[0-9]*/cgroup | xargs $text ''
    each /proc/[0-9]*/wchan | xargs $text '[a-z]'
    for at in $(grep -slxE 'kubelet|hyperkube|kubelite|k3s-server|k3s-agent|k0s|containerd|dockerd|crio' /proc/[0-9]*/comm); do
        put "${at%comm}limits"
    done
    tasks
}

again() {
    sleep 0.3 || sleep 1
    each '#again'
    each /proc/[0-9]*/stat | xargs $text ''
    tasks
}

tasks() { # threads in D or ended, threads that sleep for a server, the Pod's threads; what waits at each server
    $text '' /sys/fs/fuse/connections/[0-9]*/waiting
    for at in /sys/fs/fuse/connections /sys/fs/fuse/connections/[0-9]*; do [ -d "$at" ] && each "d $at"; done
    all=$(each /proc/[0-9]*/task/[0-9]*/stat)
    stuck=$(each "$all" | xargs grep -slE '\) [DZX] ')
    waits=
    [ -e "$at/waiting" ] && waits=$(each /proc/[0-9]*/task/[0-9]*/wchan | xargs grep -slE "$asleep")
    tell=$(for found in $stuck $waits; do each "${found%/*}"; done | sort -u | head -n 2000)
    # Not `syscall`: reading it waits for a lock of a process that is just being executed.
    [ -z "$tell" ] || each "$tell" | sed 's,.*,&/stat\n&/wchan,' | xargs $text ''
    [ -z "$tell" ] || each "$tell" | sed 's,$,/status,' | xargs $text -E '^(SigPnd|ShdPnd|voluntary_ctxt_switches):'
    for pid in $(pod_pids); do each "$all" | grep "^/proc/$pid/"; done | head -n 5000 | xargs $text ''
    nfs=$(grep -sl ' - nfs' /proc/[0-9]*/mountinfo | head -n 50)
    [ -z "$nfs" ] || each "$nfs" | sed 's,mountinfo$,mountstats,' | xargs $text -E '^device .* fstype nfs|xprt:'
}

pod_pids() {
    [ -z "$uid" ] || grep -slE "pod($uid|$uid_)" /proc/[0-9]*/cgroup | sed 's,/proc/,,; s,/cgroup,,' | head -n 500
}

namespaces() { # "PID NAMESPACE", or "PID -" where it may not be read; a process that ends has given it up already
    each /proc/[0-9]*/ns/mnt | xargs $links 2>&1 | sed -n -e "s,.*/proc/\([0-9]*\)/ns/mnt.* -> [\`']*\(mnt:[^']*\).*,\1 \2,p" \
        -e t -e 's,.*/proc/\([0-9]*\)/ns/mnt.*: Permission denied$,\1 -,p' | sort -n
}

mounts() { # each mount namespace once
    namespaces | awk '
        $2 == "-" { print "x /proc/" $1 "/ns/mnt"; next }
        { print "l /proc/" $1 "/ns/mnt " $2 }
        !done[$2] && tries[$2]++ < 20 {
            file = "/proc/" $1 "/mountinfo"
            while ((getline line < file) > 0) { print file ":" line; done[$2] = 1 }
            close(file)
        }' | head -c 16777216
}

daemon() { # the kubelet: its arguments, its settings without the headers that it sends
    [ -n "$kubelet" ] || return 0
    [ -z "$args" ] || { each "z $kubelet/cmdline"; each "$args" | sed 's/^/ /'; }
    config=$(flag config)
    [ -n "$config" ] && ! at_home "$config" && config=
    manifests=$(flag pod-manifest-path)
    manifests=${manifests:-$(sed -n 's/^staticPodPath: *\([^ ]*\).*/\1/p' "$into${config:-/dev/null}")}
    if [ -n "$manifests" ] && at_home "$manifests"; then
        each "d $manifests"
        for at in "$into$manifests"/*; do listed "$at"; done
    fi
    certificates
    [ -n "$config" ] || return 0
    head -c 65536 "$into$config" |
        awk '/staticPodURLHeader/ { skip = 1; next } skip && /^[ \t-]/ { next } { skip = 0; print }' | told "$config"
}

at_home() { # at_home PATH: whether it lies on a local file system and is there
    [ "$(on "$1" | grep -cE "^$local ")" = 1 ] && [ -e "$into$1" ]
}

certificates() { # those that the kubelet shows, serves with and trusts: of each file what stands in certificates, never a key
    conf=$(flag kubeconfig)
    conf=${conf:-/etc/kubernetes/kubelet.conf}
    keep='(client-certificate|certificate-authority)(-data)?"? *: *"?[^", }]+'
    named=
    if at_home "$conf"; then
        lines=$(grep -v '^ *#' "$into$conf" | grep -oE "$keep")
        each "$lines" | told "$conf"
        named=$(each "$lines" | sed -n -e '/-data/d' -e 's/^[a-z-]*"\{0,1\} *: *"\{0,1\}//p' | sed "s,^[^/],${conf%/*}/&,")
    fi
    pki=$(flag cert-dir)
    pki=${pki:-$top/pki}
    trusted=$(sed -n 's/^ *clientCAFile: *\([^ ]*\).*/\1/p' "$into${config:-/dev/null}")
    for at in $named "$pki/kubelet-client-current.pem" "$pki/kubelet-server-current.pem" "$pki/kubelet.crt" \
        $(flag tls-cert-file) $(flag client-ca-file) $trusted; do
        at_home "$at" && sed -n '/^-----BEGIN CERTIFICATE-----/,/^-----END CERTIFICATE-----/p' "$into$at" | head -c 262144 | told "$at"
    done
    return 0
}

health() { # whether it answers
    [ -n "$kubelet" ] && command -v curl >/dev/null || return 0
    [ "$(readlink "$kubelet/ns/net")" = "$(readlink /proc/self/ns/net)" ] || return 0
    port=$(flag healthz-port)
    port=${port:-$(sed -n 's/^healthzPort: *\([0-9]*\).*/\1/p' "$into$(flag config)" /dev/null)}
    curl -s -o /dev/null -m 1 -w '%{http_code}\n' "http://127.0.0.1:${port:-10248}/healthz" | told /.unstuck/healthz
}

filter() { # the packet filter, of tables other than filter without what kube-proxy and the network plugin write; without -t no table is made
    [ -n "$kubelet" ] && command -v iptables-save >/dev/null || return 0
    [ "$(readlink "$kubelet/ns/net")" = "$(readlink /proc/self/ns/net)" ] || return 0
    iptables-save 2>&1 | awk '/^\*/ { table = $0 }
        /^# Warning:/ || /^(\*|COMMIT)/ || table == "*filter" || /^[:-]/ && !/^(:|-A )(KUBE-|CNI-|cali-|CILIUM_|OLD_CILIUM_)/' |
        head -c 4194304 | told /.unstuck/iptables
}

settings() { # what may differ from another node of the kind: settings of the network and the kernel, names, the journal, limits
    [ "$(readlink "${kubelet:-/proc/1}/ns/net")" = "$(readlink /proc/self/ns/net)" ] || return 0
    routed= only_routes=y
    ways
    each icmp_echo_ignore_all icmp_ratelimit ip_default_ttl ip_local_reserved_ports tcp_ecn tcp_fin_timeout tcp_keepalive_intvl \
        tcp_keepalive_probes tcp_keepalive_time tcp_mtu_probing tcp_retries1 tcp_retries2 tcp_rmem tcp_sack tcp_syn_retries \
        tcp_synack_retries tcp_syncookies tcp_timestamps tcp_tw_reuse tcp_wmem tcp_max_syn_backlog tcp_congestion_control \
        fib_multipath_hash_policy conf/all/accept_local conf/all/arp_announce conf/all/arp_filter conf/all/arp_ignore \
        conf/all/log_martians conf/all/rp_filter conf/all/route_localnet conf/all/src_valid_mark conf/all/accept_redirects \
        conf/default/rp_filter neigh/default/gc_thresh1 neigh/default/gc_thresh2 neigh/default/gc_thresh3 |
        sed 's,^,/proc/sys/net/ipv4/,' | xargs $text ''
    each ipv6/bindv6only ipv6/conf/all/forwarding ipv6/conf/all/accept_ra ipv6/icmp/echo_ignore_all bridge/bridge-nf-call-iptables \
        bridge/bridge-nf-call-ip6tables bridge/bridge-nf-call-arptables core/somaxconn core/netdev_max_backlog core/rmem_max \
        core/wmem_max core/default_qdisc core/bpf_jit_enable netfilter/nf_conntrack_tcp_be_liberal \
        netfilter/nf_conntrack_tcp_timeout_established netfilter/nf_conntrack_tcp_timeout_close_wait \
        netfilter/nf_conntrack_tcp_loose | sed 's,^,/proc/sys/net/,' | xargs $text ''
    each core_pattern dmesg_restrict io_uring_disabled keys/maxbytes kptr_restrict modules_disabled msgmax msgmnb msgmni panic \
        panic_on_oops randomize_va_space sched_rt_runtime_us sem shmall shmmax shmmni sysrq unprivileged_userns_clone \
        yama/ptrace_scope apparmor_restrict_unprivileged_userns | sed 's,^,/proc/sys/kernel/,' | xargs $text ''
    each fs/nr_open fs/inotify/max_queued_events fs/mount-max fs/pipe-max-size fs/pipe-user-pages-hard fs/pipe-user-pages-soft \
        fs/protected_fifos fs/protected_hardlinks fs/protected_regular fs/protected_symlinks fs/suid_dumpable fs/mqueue/msg_max \
        fs/mqueue/queues_max vm/mmap_min_addr vm/nr_hugepages vm/overcommit_ratio vm/panic_on_oom vm/swappiness \
        vm/unprivileged_userfaultfd vm/zone_reclaim_mode vm/min_free_kbytes user/max_mnt_namespaces user/max_net_namespaces \
        user/max_pid_namespaces user/max_inotify_instances user/max_inotify_watches | sed 's,^,/proc/sys/,' | xargs $text ''
    for at in /etc/hosts /etc/resolv.conf /etc/nsswitch.conf /etc/systemd/journald.conf; do
        at_home "$at" && head -c 65536 "$into$at" | told "$at"
    done
    grep -lxE 'kubelet|containerd|crio|dockerd' /proc/[0-9]*/comm | sed 's,comm$,limits,' | head -n 20 | xargs $text '^Max'
}

pod() { # directories of Pods, the asked Pod's volumes, logs' names and cgroups
    if usable "$top/pods"; then
        each "d $top/pods"
        for at in "$into$top/pods"/* "$into$top/pods/${uid:-none}"/volumes/*/*; do listed "$at"; done
    fi
    if [ -n "$uid" ] && usable "$top/pods"; then
        for at in "$into$top/pods/$uid"/volumes/kubernetes.io~csi/*/*; do
            listed "$at"
            case $at in */vol_data.json) [ -f "$at" ] && put "$at" ;; esac
        done
    fi
    [ -n "$uid" ] || return 0
    for at in "$into/var/log/pods/"*_"$uid"; do usable /var/log/pods && listed "$at"; done
    log_links | sed -n "s,.*\(/var/log/containers/[^ ']*\).* -> [\`']*\([^']*\).*,l \1 \2,p"
    for at in /sys/fs/cgroup /sys/fs/cgroup/*; do
        [ -h "$at" ] && continue
        for name in cgroup.controllers cgroup.procs; do [ -e "$at/$name" ] && each "d $at/$name"; done
    done
    find /sys/fs/cgroup -maxdepth 10 -type d \( -name "*pod$uid*" -o -name "*pod$uid_*" \) -prune | head -n 100 | while IFS= read -r group; do
        find "$group" -type d | head -n 500 | while IFS= read -r at; do
            frozen "$at"
            put "$at/cgroup.procs"
        done
        while group=${group%/*} && [ "${#group}" -gt 14 ]; do frozen "$group"; done
    done
    return 0
}

sockets() { # where the Pod's programs listen: the table of each of its network namespaces, once
    seen=
    for pid in $(pod_pids); do
        net=$(readlink "/proc/$pid/ns/net") || continue
        each "l /proc/$pid/ns/net $net"
        case " $seen " in *" $net "*) continue ;; esac
        seen="$seen $net"
        for at in "/proc/$pid/net/tcp" "/proc/$pid/net/tcp6"; do
            [ -r "$at" ] && grep -sE 'local_address|^ *[0-9]+: [0-9A-F]+:[0-9A-F]{4} [0-9A-F]+:[0-9A-F]{4} 0A ' "$at" | head -n 500 | told "$at"
        done
    done
    return 0
}

plugins() { # sockets of CSI drivers and other plugins: those that are registered, and each driver's own
    for at in "$top/plugins_registry" "$top/plugins"; do
        usable "$at" || continue
        each "d $at"
        for entry in "$into$at"/*; do listed "$entry"; done
    done
    usable "$top/plugins" || return 0
    # Below some of them volumes are mounted.
    for at in "$into$top/plugins"/*; do
        case $at in *[[:space:]]* | *\**) ;; *) on "${at#"$into"}" ;; esac
    done | sed -nE "s/^$local //p" | while read -r at; do
        for entry in "$into$at"/*.sock; do listed "$entry"; done
    done
}

listed() { # listed PATH: that it is there; a pattern that matched nothing is not
    case $1 in *\** | *"$nl"*) ;; *) each "d ${1#"$into"}" ;; esac
}

log_links() {
    usable /var/log/containers && each "$into"/var/log/containers/*.log | xargs $links | grep -F "$uid" | head -n 200
}

frozen() {
    each "d $1"
    for name in freezer.self_freezing freezer.state cgroup.freeze cgroup.events pids.current pids.max pids.peak pids.events \
        cpu.max cpu.stat cpu.cfs_quota_us cpu.cfs_period_us memory.max memory.current memory.limit_in_bytes \
        memory.usage_in_bytes; do
        put "$1/$name"
    done
}

runtimes() { # the Pod's containers as the runtimes' files have them; of what holds environments, only names and states
    [ -n "$uid" ] || return 0
    for at in /run/containerd /run/k3s/containerd /run/k0s/containerd /run/docker/containerd/daemon; do
        at=$at/io.containerd.runtime.v2.task
        [ -d "$into$at" ] && each "d $at" && grep -sl "$uid" "$into$at"/*/*/config.json | while read -r file; do
            name=${file%/config.json}
            put "$name/init.pid"
            put "$name/shim-binary-path"
            grep -oE 'runsc|kata|gvisor' "$name/options.json" | sort -u | told "${name#"$into"}/options.json"
            notes=$(grep -oE '"io\.kubernetes\.cri\.(container-type|container-name|sandbox-id|sandbox-uid)": *"[^"]*"' "$file" | sort -u | paste -sd, -)
            each "{\"annotations\":{$notes}}" | told "${name#"$into"}/config.json"
            for root in /var/lib/containerd /var/lib/rancher/k3s/agent/containerd /var/lib/k0s/containerd; do
                put "$into$root/io.containerd.grpc.v1.cri/containers/${name##*/}/status"
            done
        done
    done
    usable /var/lib/docker && grep -sl "$uid" "$into"/var/lib/docker/containers/*/config.v2.json | while read -r file; do
        state=$(grep -o '"State":{[^{}]*' "$file" | head -n 1 | sed 's/,"Health":$//')
        notes=$(grep -oE '"io\.kubernetes\.(docker\.type|pod\.uid|container\.name)":"[^"]*"' "$file" | sort -u | paste -sd, -)
        name=${file%/*}
        each "{\"ID\":\"${name##*/}\",$state},\"Config\":{\"Labels\":{$notes}}}" | told "${file#"$into"}"
    done
    return 0
}

logs() { # of each daemon's last hour: its first and last line, those that name the Pod, those that tell of the node
    words=$(words)
    for name in kubelet containerd dockerd crio; do log "$name"; done
    return 0
}

words() { # what names the Pod in a log
    [ -n "$uid" ] || return 0
    each "$uid" "$uid_"
    { pod_pids | sed 's,.*,/proc/&/cgroup,' | xargs cat /dev/null; log_links; } | grep -oE '[0-9a-f]{64}' | sort -u | head -n 60
    each "$into/var/log/pods/"*_"$uid" | sed -n 's,.*/\([^/_*]*\)_\([^/_*]*\)_.*,pod="\1/\2",p'
}

place_of() { # place_of COMPONENT: its log file, else `journal` where it runs under systemd
    pid=$(grep -slx "$1" /proc/[0-9]*/comm | head -n 1)
    for at in $(flag log-file | grep "$1") $([ -z "$pid" ] || readlink "${pid%/comm}/fd/2") "/var/log/$1.log" "/var/log/$1.INFO"; do
        case $at in /var/log/*) [ -s "$into$at" ] && usable /var/log || continue ;; *) continue ;; esac
        each "$at"
        return
    done
    # Of a kubelet or containerd that is not running its last words tell why.
    case $1$pid in kubelet | containerd | *[0-9]*) [ -d /run/systemd/system ] && each journal ;; esac
}

log() { # log COMPONENT: the last hour
    at=$(place_of "$1")
    case $at in
        '') ;;
        journal) { each "journalctl _COMM=$1"; journal -n 50000 "--since=@$(last)" "_COMM=$1" | excerpt; } | told "/.unstuck/log/$1" ;;
        *) { each "$at"; tail -c 33554432 "$into$at" | excerpt; } | told "/.unstuck/log/$1" ;;
    esac
}

journal() { journalctl -q --no-pager -o cat "$@"; }

older() { # what rotated files of the time in question hold, .1 the newest of them; of the journal what was around the deletion
    words=$(words)
    for name in kubelet containerd dockerd crio; do
        at=$(place_of "$name")
        number=0
        case $at in
            '') ;;
            journal)
                [ "$(begin)" = "$(last)" ] || {
                    each "journalctl _COMM=$name"
                    journal -n 50000 "--since=@$((since - 600))" "--until=@$((since + 1800))" "_COMM=$name" | excerpt
                } | told "/.unstuck/log/$name.1"
                ;;
            *) rotated "$at" | while read -r file; do
                number=$((number + 1))
                { each "${file#"$into"}"; unpacked "$file" | head -c 67108864 | excerpt; } | told "/.unstuck/log/$name.$number"
            done ;;
        esac
    done
    return 0
}

rotated() { # rotated PATH: a log's earlier files that were written to since the time in question, the newest first
    base=${1%.*}
    minutes=$((($(date +%s) - $(begin)) / 60 + 1))
    find "$into${1%/*}/" -maxdepth 1 -type f -mmin "-$minutes" \( -name "${1##*/}[.-][0-9]*" -o -name "${base##*/}-[0-9]*.${1##*.}*" \) |
        grep -v '[[:space:]]' | xargs ls -1td | grep / | head -n 6
}

unpacked() {
    case $1 in *.gz) zcat "$1" ;; *) cat "$1" ;; esac
}

begin() { # where the time in question begins: with the last hour, or shortly before the deletion
    hour=$(($(date +%s) - 3600))
    if [ -n "$since" ] && [ $((since - 600)) -lt $hour ]; then each $((since - 600)); else each $hour; fi
}

last() { # where its last part begins: what was around the deletion may lie apart
    hour=$(($(date +%s) - 3600))
    if [ -n "$since" ] && [ $((since + 1800)) -lt $hour ]; then each $hour; else begin; fi
}

# Lines that speak of the node and name no Pod.
of_node='failed to remove directory
failed to remove root filesystem
failed to remove snapshot
failed to cleanup snapshot
leanup failed for snapshot
snapshot garbage collection failed
Error removing mounted layer
no space left on device
PLEG is not healthy
container runtime is down
Failed to ensure
Failed to update lease
Failed to update node lease
Error updating node status
Unable to register node
ailed to run Kubelet
ailed to start ContainerManager
ailed to start cAdvisor
ailed to initialize internal modules
ailed to get node info
ailed to listen and serve
ubelet config file
kubelet flag
validate kubelet
kubelet dependencies
set feature gates from
could not insert
process manifest file
process config file'

excerpt() { # klog's and containerd's stamps tell what is of another time; words are looked for, which is faster than a pattern
    then=$(($(date +%s) - 3600))
    near=${since:-$then}
    words="$of_node$nl$words" awk -v here="$(klog_stamp $then)" -v utc="$(utc_stamp $then)" \
        -v from="$(klog_stamp $((near - 600)))" -v to="$(klog_stamp $((near + 1800)))" \
        -v utc_from="$(utc_stamp $((near - 600)))" -v utc_to="$(utc_stamp $((near + 1800)))" '
        BEGIN { n = split(ENVIRON["words"], word, "\n") }
        /^[IWEF][0-9][0-9][0-9][0-9] / { at = substr($0, 2, 13); if (at < here && (at < from || at > to)) next }
        /^time="[-0-9T:.]*Z"/ { at = substr($0, 7, 19); if (at < utc && (at < utc_from || at > utc_to)) next }
        { hit = !seen++ }
        { for (i = 1; i <= n && !hit; i++) hit = word[i] != "" && index($0, word[i]) }
        hit { print substr($0, 1, 8192); next }
        { last = $0 }
        END { if (NR && !hit) print substr(last, 1, 8192) }' | tail -c 2097152
}

klog_stamp() { date -d "@$1" '+%m%d %H:%M:%S'; }

utc_stamp() { date -u -d "@$1" '+%Y-%m-%dT%H:%M:%S'; }

holds() { # who holds something below the Pod's directory: links, then maps, then those links again
    [ -n "$uid" ] || return 0
    seen=$({ namespaces; echo; each /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/fd/* | xargs $links; } | below | head -c 4194304)
    each "$seen" | grep '^[dbl] '
    stuck=" $(each /proc/[0-9]*/task/[0-9]*/stat | xargs grep -sl ') D ' | sed 's,/proc/\([0-9]*\)/.*,\1,' | sort -u | tr '\n' ' ')"
    maps=
    for pid in /proc/[0-9]*; do
        # Reading the maps of a process in D may wait for the lock on its memory.
        case $stuck in *" ${pid#/proc/} "*) each "x $pid/maps" ;; *) maps="$maps$pid/maps$nl" ;; esac
    done
    [ -z "$maps" ] || printf %s "$maps" | sed 's/^/f /'
    [ -z "$maps" ] || printf %s "$maps" | xargs $text -F "/pods/$uid/" | head -c 4194304
    each "$seen" | sed -n 's/^w //p' | while read -r pid; do
        case $stuck in *" $pid "*) ;; *) each "/proc/$pid/maps" ;; esac
    done | xargs $text '/' /dev/null | awk '{ key = substr($1, 1, index($1, ":")) $6 $7 } !told[key]++' | head -c 4194304
    each '#again'
    found=$(each "$seen" | sed -n 's/^[bl] \([^ ]*\) .*/\1/p')
    # Who only passed by is not there any more.
    [ -z "$found" ] || { echo; each "$found" | xargs $links; } | below | grep "^$kind "
    each '#first'
}

below() { # "PID NAMESPACE" lines, an empty one, links: those that lead below the Pod's directory, or to its volumes mounted elsewhere
    awk -v needle="/pods/$uid/" -v kind="$kind" '
        NF == 0 && !links {
            links = 1
            for (i = 0; i < n; i++)
                if (at[i] != "/" && (index(root[i] "/", needle) || (key[i] in mine))) windows[of[i]] = windows[of[i]] "\n" at[i]
            for (pid in namespace) if (namespace[pid] in windows) print "w " pid
            next
        }
        !links {
            namespace[$1] = $2
            if (done[$2]) next
            file = "/proc/" $1 "/mountinfo"
            while ((getline line < file) > 0) {
                done[$2] = 1
                split(line, part, " ")
                if (index(part[5] "/", needle)) mine[part[3] " " part[4]] = 1
                key[n] = part[3] " " part[4]; root[n] = part[4]; at[n] = part[5]; of[n++] = $2
            }
            close(file)
            next
        }
        {
            from = index($0, "/proc/"); line = substr($0, from); cut = index(line, " -> ")
            if (!from || !cut) next
            path = substr(line, 1, cut - 1); target = substr(line, cut + 4)
            sub(/\047$/, "", path); sub(/\047$/, "", target); sub(/^[\047\140]/, "", target)
            split(path, part, "/"); pid = part[3]; what = part[4]
            if (what == "cwd") print "d /proc/" pid "/fd"
            if (substr(target, 1, 1) != "/") { if (what != "fd") print "l " path " -"; next }
            bare = target; sub(/( |\\ )\(deleted\)$/, "", bare)
            hit = index(bare "/", needle)
            m = hit ? 0 : split(windows[namespace[pid]], part, "\n")
            for (i = 2; i <= m && !hit; i++) hit = index(part[i], "\\") || index(bare "/", part[i] "/") == 1
            if (hit) print kind " " path " " target
            else if (what != "fd") print "l " path " " (target == "/" ? "/" : "-")
        }'
}

flags() { # attributes below the Pod's directory, on local file systems; mounts of others are not even looked up
    [ -n "$uid" ] || return 0
    tops=$(tops_of "$top/pods/$uid")
    avoid="$nl$(each "$tops" | cut -d ' ' -f 3-)$nl"
    attributes "$top/pods/$uid" | told /.unstuck/lsattr
}

tops_of() { # tops_of DIR: it and the mount points below it, each after its type, and after `-` where it is not to be looked at
    awk -v top="$1" -v local="^$local\$" '
        { for (i = 7; i < NF && $i != "-"; i++); type = $(i + 1); gsub(/\\040/, " ", $5) }
        index(top "/", ($5 == "/" ? "" : $5) "/") == 1 { base = type }
        index($5, top "/") == 1 { print (index($5, "\\") || type !~ local ? "-" : "+"), type, $5 }
        END { print (base ~ local ? "+" : "-"), base, top }' "$table"
}

leaked() { # attributes in snapshots that no mount uses, where no Pod is asked about: first those that the log names
    at=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots
    [ -z "$uid" ] && usable /var/lib/containerd && [ -d "$into$at" ] || return 0
    all=$(tops_of $at)
    avoid="$nl$(each "$all" | cut -d ' ' -f 3-)$nl"
    type=$(each "$all" | sed -n "s,^+ \([^ ]*\) $at\$,\1,p")
    [ -n "$type" ] || return 0
    used=$(namespaces | awk '$2 != "-" && !seen[$2]++ { print "/proc/" $1 "/mountinfo" }' | xargs grep -ohE 'snapshots/[0-9]+/fs' |
        sed 's,snapshots/,,; s,/fs,,' | sort -u | tr '\n' ' ')
    log=$(place_of containerd)
    named=$(case $log in
        ('') ;;
        (journal) journal -n 5000 --since=-1h _COMM=containerd ;;
        (*) tail -c 8388608 "$into$log" ;;
    esac | grep -E 'remove|clean' | grep -oE "$at/[0-9]+" | sort -u)
    # A name is a number; one that is mounted is in use.
    unused=$(for entry in "$into$at"/*; do each "${entry##*/}"; done | grep -x '[0-9]*' | sort -rn | while read -r number; do
        case " $used" in (*" $number "*) ;; (*) each "$at/$number" ;; esac
    done)
    tops=$({ each "$named"; each "$unused"; } | awk -v type="$type" 'NF && !seen[$0]++ { if (++n > 20) exit; print "+ " type " " $0 }')
    {
        [ "$(each "$unused" | grep -c .)" -le 20 ] || each "left $at (only 20 of the snapshots)"
        [ -n "$tops" ] || each "walked $at"
        [ -z "$tops" ] || most=1000 attributes "$at"
        each end
    } | told /.unstuck/lsattr-leaked
}

attributes() { # attributes DIR: in what `tops` names, of DIR
    each "$tops" | sed -n 's/^- \([^ ]*\) \(.*\)/left \2 (a \1 file system, not touched)/p'
    command -v lsattr >/dev/null || { each "left $1 (there is no lsattr)"; return; }
    budget=${most:-5000}
    each "$tops" | sed -n 's/^+ //p' | while read -r type at; do
        each "walked $at"
        [ -d "$into$at" ] || { each "left $at (not there)"; continue; }
        # `left` lines come on the descriptor 3, past the names.
        { { printf '%s\0' "$into$at"; walk "$into$at" x; } | xargs -0 lsattr -d | awk -v type="$type" -v at="$at" -v cut="${#into}" '
            /^[-A-Za-z]+ +\// { n++; if ($1 ~ /[ia]/) { flags = $1; sub(/^[^ ]+ +/, ""); print flags " " substr($0, cut + 1) } }
            END { if (!n && type !~ /^(tmpfs|ramfs|hugetlbfs)$/) print "left " at " (flags are not told there)" }'; } 3>&1
    done
}

walk() { # walk DIR LEVEL: what is below it, each with a NUL behind; a name of several lines could pass for another
    for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
        case $entry in *"$nl"*) each "left ${1#"$into"} (a name of several lines)" >&3; continue ;; esac
        case $avoid in *"$nl${entry#"$into"}$nl"*) continue ;; esac
        [ ! -h "$entry" ] && [ -e "$entry" ] || continue
        budget=$((budget - 1))
        [ $budget -gt 0 ] && [ ${#2} -lt 40 ] || { each "left ${1#"$into"} (too many files)" >&3; return; }
        if [ -d "$entry" ]; then
            printf '%s\0' "$entry"
            walk "$entry" "x$2"
        elif [ -f "$entry" ]; then
            printf '%s\0' "$entry"
        fi
    done
}

space() { # sizes of local file systems, one by one
    places=
    for at in $(on / /var/log /var/lib/containerd /var/lib/docker /var/lib/containers "$top" | sed -nE "s/^$local //p"); do
        if [ -h "$into$at" ]; then
            each "l $at $(readlink "$into$at")"
            at=$(on "$(readlink "$into$at")" | sed -nE "s,^$local /,/,p")
        fi
        [ -n "$at" ] && [ -e "$into$at" ] || continue
        each "d $at"
        places="$places $at"
    done
    for at in $places; do stat -f -c '%S %b %a %c %d' "$into$at" | sed "s,\$, $at,"; done | told /.unstuck/statfs
}

ways() { # the node's routes and packet filter, once, whatever address is asked about
    [ -z "$routed" ] || return 0
    routed=y
    at=${kubelet:-/proc/1}
    [ "$(readlink "$at/ns/net")" = "$(readlink /proc/self/ns/net)" ] || return 0
    for name in route arp; do put "$at/net/$name"; done
    for name in /sys/class/net/*/brif/* ; do listed "$name"; done
    $text '' /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv4/conf/[a-z]*/forwarding
    [ -n "$only_routes" ] || $text '' /proc/sys/net/bridge/bridge-nf-call-iptables
    if command -v ip >/dev/null; then
        ip -4 route show table all | head -n 2000 | told /.unstuck/ip-route
        ip -4 rule show | head -n 500 | told /.unstuck/ip-rule
    fi
    if command -v tc >/dev/null; then tc qdisc show | head -n 500 | told /.unstuck/tc-qdisc; fi
    [ -n "$only_routes" ] || ! command -v iptables-save >/dev/null ||
        iptables-save 2>&1 | head -c 4194304 | told /.unstuck/iptables
}

asked() { # what is asked for by name: lines `File PATH`, `Log PATH`, `Profile PATH`, `Process NUMBER`, `ConfigWord WORD`, `Route WORDS`
    owned= room= routed= only_routes=
    each 'd /.unstuck'
    while read -r kind name; do
        case $kind in
            File) follow "$name" ;;
            Log) log_file "$name" ;;
            Profile) profile "$name" ;;
            Process) each "/proc/$name/exe" | xargs $links 2>&1 | sed -n "s,.*\(/proc/[0-9]*/exe\).* -> [\`']*\([^']*\).*,l \1 \2,p" ;;
            ConfigWord) config_lines "$name" ;;
            Route) ways ;;
        esac
    done <<END
$asked
END
    each "$owned" | told /.unstuck/own
    each "$room" | told /.unstuck/statfs
}

absolute() { # absolute PATH: a name without a leading slash is in the kubelet's directory
    case $1 in /*) each "$1" ;; *) each "$top/$1" ;; esac
}

follow() { # follow PATH: each part of it and each link on the way; never what another machine or a process answers for
    todo=$(absolute "$1")
    todo=${todo#/}
    done_= hops=0
    own_line / -
    while [ -n "$todo" ]; do
        name=${todo%%/*}
        case $todo in */*) todo=${todo#*/} ;; *) todo= ;; esac
        case $name in '' | .) continue ;; ..) done_=${done_%/*}; continue ;; esac
        at=$done_/$name
        on "$at" | grep -qE "^$served(\.[^ ]*)? " && return
        if [ -h "$into$at" ]; then
            target=$(readlink "$into$at")
            each "l $at $target"
            hops=$((hops + 1))
            [ $hops -le 40 ] || return
            case $target in /*) done_= ;; esac
            todo=$target/$todo
        elif [ -e "$into$at" ]; then
            done_=$at
            [ -n "$todo" ] && own_line "$at" -
        else
            ls -A1 "$into$done_/" | head -n 2000 | at="$done_" awk '{ print "d " ENVIRON["at"] "/" $0 }'
            break
        fi
    done
    [ -z "$done_" ] || own_line "$done_" "$(find "$into$done_" -mindepth 1 -maxdepth 1 | head -n 1)"
    room="$room$(stat -f -c '%S %b %a %c %d' "$into${done_:-/}") ${done_:-/}$nl"
    case $done_ in
        *.pem | *.crt | *.cer | *bundle)
            sed -n '/^-----BEGIN CERTIFICATE-----/,/^-----END CERTIFICATE-----/p' "$into$done_" | head -c 1048576 | told "$done_" ;;
        *pid) [ "$(head -c 25 "$into$done_" | wc -c)" -le 24 ] && put "$into$done_" ;;
    esac
}

own_line() { # own_line PATH INSIDE: mode, owner, group, size, blocks, links, inode, whether it is empty, attributes
    each "d $1"
    held=y
    [ -n "$2" ] && held=n
    bits=$(lsattr -d "$into$1" | sed 's/ .*//' | tr -cd ia)
    owned="$owned$(stat -c '%f %u %g %s %b %h %i' "$into$1") $held ${bits:--} $1$nl"
}

profile() { # profile PATH: a seccomp profile
    at=$(absolute "$1")
    case $at in *..*) ;; */seccomp/*.json) at_home "$at" && { head -c 262144 "$into$at"; echo; } | told "$at" ;; esac
}

log_file() { # log_file PATH: the end of a program's own log, or of the newest of a directory, if it was written to lately
    at=$(absolute "$1")
    at_home "$at" || return 0
    logs='(log|\.out|\.err|stdout|stderr|errors?)([.-]?[0-9]+)?(\.txt)?$'
    if [ -d "$into$at" ]; then
        each "d $at"
        name=$(ls -1t "$into$at" | grep -iE "$logs" | head -n 1)
        at=$at/$name
        [ -n "$name" ] || return 0
    fi
    each "$at" | grep -qiE "$logs" && [ -f "$into$at" ] && [ -n "$(find "$into$at" -mmin -60)" ] || return 0
    tail -c 65536 "$into$at" | tail -n 40 | cut -c 1-4096 | told "$at"
}

config_lines() { # config_lines WORD: of the node's configuration the lines that have it, each at its number, and no other line
    for place in $(flag config) $(flag config-dir) /var/lib/kubelet/config.yaml /var/lib/kubelet/kubeadm-flags.env /etc/default/kubelet \
        /etc/sysconfig/kubelet /etc/kubernetes /etc/containerd /etc/crio /etc/containers /etc/docker /etc/rancher /etc/cni \
        /etc/systemd/system/kubelet.service* /etc/systemd/system/containerd.service* /etc/systemd/system/crio.service* \
        /etc/systemd/system/docker.service* /usr/lib/systemd/system/kubelet.service* /usr/lib/systemd/system/containerd.service* \
        /etc/hosts /etc/resolv.conf /run/systemd/resolve/resolv.conf /etc/systemd/resolved.conf /etc/nsswitch.conf /etc/environment \
        /etc/sysctl.conf /etc/sysctl.d /run/sysctl.d /usr/lib/sysctl.d /etc/security /etc/modprobe.d /etc/modules-load.d /etc/chrony.conf; do
        at_home "$place" && find "$into$place" -maxdepth 4 -type f -size -512 ! -path '*/pki/*'
    done | grep -vE '\.(key|pem|crt|cer|csr|p12|jks|gz|db|sock)$' | head -n 400 | tr '\n' '\0' | xargs -0 grep -slF -e "$1" | head -n 20 |
        while IFS= read -r file; do
            word="$1" awk '{ print index($0, ENVIRON["word"]) ? $0 : "" }' "$file" | head -n 5000 | told "${file#"$into"}"
        done
}

units() { # of services with mounts of their own: the settings that tell why
    namespaces | awk 'NR == 1 { home = $2 } $2 != home && $2 != "-" && !seen[$2]++ { print "/proc/" $1 "/cgroup" }' | head -n 500 |
        xargs cat /dev/null | grep -v 'pod[0-9a-f]\{8\}' | sed -n 's,.*/\([A-Za-z0-9:_.@\\-]*\.service\).*,\1,p' | sort -u | head -n 50 |
        while read -r unit; do
            for at in /etc /run /usr/local/lib /usr/lib /lib; do
                at=$at/systemd/system/$unit
                for file in "$at" "${at%%@*}@.service" "$at.d"/*.conf; do
                    [ -f "$file" ] && sed -nE '/^ *(PrivateTmp|MountFlags|Type|KillMode|Delegate) *=/p' "$file" | told "$file"
                done
            done
        done
    return 0
}

main() {
    each '#unstuck 1'
    # What is missing must not pass for what was not there to be seen.
    for tool in awk find grep head readlink sed sleep sort stat tail tr xargs; do
        command -v $tool >/dev/null || { each "#refused there is no $tool"; return; }
    done
    [ "$(echo a b | awk '{ print $2 }' 2>/dev/null)" = b ] || { each '#refused awk does not work'; return; }
    [ "$(id -u)" = 0 ] || { each '#refused not root'; return; }
    if [ -n "$asked" ]; then
        section host 1
        section processes 2
        section mounts 1
        section asked 3
        section again 2
        each '#end'
        return
    fi
    # What decides most comes first.
    section host 1
    section processes 2
    section mounts 1
    section daemon 1
    section pod 1
    section flags 1
    section holds 2
    section again 2
    section logs 2
    section sockets 1
    section plugins 1
    section runtimes 1
    section health 1
    section space 1
    section filter 1
    section units 1
    section leaked 2
    section older 2
    section settings 1
    each '#end'
}

main
