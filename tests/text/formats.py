"""One typical paste for each format, for the readers' tests and the fuzz targets."""

from __future__ import annotations

from tests.text.kubectl_formats import KUBECTL

UID = "9e964fdf-0000-4000-8000-000000000001"
ID = "5" * 64
POD = f"/var/lib/kubelet/pods/{UID}"

SAMPLES: dict[str, str] = {
    "dmesg": f"""\
[root@node-1 ~]# dmesg -T | tail
[Sat Nov 21 00:01:00 2026] nfs: server 10.36.3.2 not responding, still trying
[Sat Nov 21 00:02:00 2026] INFO: task java:4711 blocked for more than 120 seconds.
[Sat Nov 21 00:02:00 2026] Call Trace:
[Sat Nov 21 00:02:00 2026]  [<ffffffff8>] rpc_wait_bit_killable+0x24/0xb0 [sunrpc]
[Sat Nov 21 00:03:00 2026] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/kubepods.slice/kubepods-pod{UID.replace("-", "_")}.slice,task_memcg=/kubepods.slice/kubepods-pod{UID.replace("-", "_")}.slice/cri-containerd-{ID}.scope,task=java,pid=4712,uid=0
""",
    "dmesg-seconds": """\
[11859608.510084] nfs: server 10.36.3.2 not responding, still trying
<3>[11860426.154179] EXT4-fs (sdb1): Remounting filesystem read-only
2026-11-21T00:05:00,123456+00:00 nf_conntrack: table full, dropping packet
""",
    "df": """\
[root@node-1 ~]# df -h
Filesystem               Size  Used Avail Use% Mounted on
devtmpfs                 7.8G     0  7.8G   0% /dev
/dev/mapper/centos-root   50G   50G     0 100% /
/dev/mapper/vg_with_a_very_long_name-lv_docker
                         100G   98G  2.0G  98% /var/lib/docker
/dev/loop3               128M  128M     0 100% /snap/core/1
""",
    "df-i": """\
[root@node-1 ~]# df -i
文件系统          Inode  已用(I)  可用(I) 已用(I)% 挂载点
/dev/sda1       6553600 6553600       0     100% /
tmpfs            505849      20  505829       1% /run
""",
    "df-blocks": """\
root@node-1:~# df -PT
Filesystem     Type     1024-blocks     Used Available Capacity Mounted on
/dev/vda1      ext4        41151808 41151808         0     100% /
/dev/vdb1      xfs        104806400  5000000  99806400       5% /var/lib/containerd
""",
    "mount": f"""\
[root@node-1 ~]# mount | grep pods
tmpfs on {POD}/volumes/kubernetes.io~secret/t type tmpfs (rw,relatime)
10.0.0.1:/x on {POD}/volumes/kubernetes.io~nfs/n type nfs4 (rw,relatime,hard,addr=10.0.0.1)
""",
    "proc-mounts": f"""\
10.0.0.1:/x {POD}/volumes/kubernetes.io~nfs/n nfs4 rw,relatime,hard 0 0
""",
    "mountinfo-file": f"""\
70 27 0:76 / {POD}/volumes/kubernetes.io~nfs/n rw,relatime shared:1 - nfs4 10.0.0.1:/x rw,hard
""",
    "findmnt": f"""\
TARGET                                                       SOURCE      FSTYPE OPTIONS
├─{POD}/volumes/kubernetes.io~nfs/n 10.0.0.1:/x nfs4   rw,relatime,hard
""",
    "findmnt-of": """\
[root@node-1 ~]# for d in / /var/lib/kubelet /var/lib/containerd /var/log; do findmnt -nT $d; done
/        /dev/vda1 ext4   rw,relatime
/var/lib /dev/vdb1 xfs    ro,relatime
/var/lib /dev/vdb1 xfs    ro,relatime
/        /dev/vda1 ext4   rw,relatime
""",
    "container-gone": f"""\
[root@node-1 ~]# docker ps | grep {ID[:12]}
{ID[:12]}        registry.example/shop/orders      "./entrypoint.sh /..."   10 days ago         Up 10 days                              k8s_orders_orders-5d8c7b9f4-tq7kx_shop_{UID}_0
[root@node-1 ~]# docker exec {ID[:12]} ps aux
cannot exec in a stopped state: unknown
[root@node-1 ~]# docker inspect {ID[:12]} | grep -i pid
            "Pid": 15370,
[root@node-1 ~]# kill -9 15370
-bash: kill: (15370) - No such process
""",
    "interrupted": f"""\
[root@node-1 ~]# strace df -h
stat("{POD}/volumes/kubernetes.io~nfs/n", ^C
""",
    "goroutines-panic": """\
panic: invalid page type: 12: 10
goroutine 69 [running]:
github.com/containerd/containerd/vendor/go.etcd.io/bbolt.(*Cursor).search(0xc000530fe0, 0x7f7c3c366040, 0xa, 0xa, 0xc)
        /go/src/github.com/containerd/containerd/vendor/go.etcd.io/bbolt/cursor.go:250 +0x355
""",
    "inotify": """\
[root@node-1 ~]# find /proc/[0-9]*/fd -lname 'anon_inode:*inotify*' 2>/dev/null | cut -d/ -f3 | sort | uniq -c | while read n pid; do echo $n $(ps -o uid=,comm= -p $pid); done; sysctl fs.inotify
3 0 kubelet
90 1000 tail
38 1000 tmux: server
fs.inotify.max_queued_events = 16384
fs.inotify.max_user_instances = 128
fs.inotify.max_user_watches = 8192
""",
    "cni-directories": """\
[root@node-1 ~]# date +%FT%T%:z; ls -lc --time-style=full-iso /etc/cni/net.d /opt/cni/bin /usr/lib/cni; grep -soH '"type": *"[^"]*"' /etc/cni/net.d/*
2026-11-21T08:09:30+08:00
ls: cannot access '/usr/lib/cni': No such file or directory
/etc/cni/net.d:
total 12
-rw-r--r-- 1 root root  292 2026-11-21 08:01:11.123456789 +0800 10-calico.conflist
-rw-r--r-- 1 root root  292 2026-11-21 08:00:00.000000000 +0800 10-calico.conflist.bak
-rw-r--r-- 1 root root  292 2026-11-21 08:00:00.000000000 +0800 99-bridge.conf
drwxr-xr-x 2 root root 4096 2026-11-21 08:00:00.000000000 +0800 multus.d

/opt/cni/bin:
total 8000
-rwxr-xr-x 1 root root 3529950 2026-11-20 08:00:00.000000000 +0800 calico
lrwxrwxrwx 1 root root       6 2026-11-20 08:00:00.000000000 +0800 calico-ipam -> calico
-rwxr-xr-x 1 root root 3529950 2026-11-20 08:00:00.000000000 +0800 loopback
/etc/cni/net.d/10-calico.conflist:"type": "calico"
/etc/cni/net.d/10-calico.conflist:"type": "calico-ipam"
/etc/cni/net.d/10-calico.conflist:"type": "k8s"
/etc/cni/net.d/10-calico.conflist:"type": "portmap"
/etc/cni/net.d/99-bridge.conf:"type": "bridge"
""",
    "pod-logs": f"""\
[root@node-1 ~]# tail -v -n 20 /var/log/pods/*{UID}/*/*.log
==> /var/log/pods/shop_web-0_{UID}/c/3.log <==
2026-11-21T00:05:11.000000000Z stderr F E1121 00:05:11.000000       1 run.go:74] "command failed" err="the run before"

==> /var/log/pods/shop_web-0_{UID}/c/4.log <==
2026-11-21T00:07:11.561427133Z stdout F token=s3cr3t
2026-11-21T00:07:11.562000000Z stderr F Error syncing pod "{UID}": unlinkat {POD}/volumes/kubernetes.io~empty-dir/d/x: operation not permitted

==> /var/log/pods/shop_web-0_{UID}/side/0.log <==
{{"log":"standard_init_linux.go:190: exec user process caused \\"exec format error\\"\\n","stream":"stderr","time":"2026-11-21T00:07:11Z"}}
""",
    "lsof": f"""\
[root@node-1 ~]# lsof +D {POD}
COMMAND     PID   TID TASKCMD               USER   FD      TYPE             DEVICE  SIZE/OFF       NODE NAME
java       4711                              root  cwd       DIR                0,76      4096          2 {POD}/volumes/kubernetes.io~nfs/n (10.0.0.1:/x)
java       4711                              root    3u      REG                0,76      1234        567 {POD}/volumes/kubernetes.io~nfs/n/x (deleted)
sshd       4712                              root    4u     IPv4              12345       0t0        TCP *:22 (LISTEN)
""",
    "ps-columns": f"""\
[root@node-1 ~]# ps -eo pid,stat,wchan:32,comm,cgroup | grep {UID}
   4711 Ss   do_sys_poll                      tini            0::/kubepods/burstable/pod{UID}/{ID}
   4712 Dl   request_wait_answer              java            0::/kubepods/burstable/pod{UID}/{ID}
""",
    "ps-columns-header": f"""\
    PID    PPID S WCHAN                            COMMAND         CGROUP
   4712    4711 Z -                                tmux: server    12:pids:/kubepods.slice/kubepods-pod{UID.replace("-", "_")}.slice/docker-{ID}.scope,1:name=systemd:/
""",
    "cgroup-find": f"""\
root@node-1:~# find /sys/fs/cgroup -type d -name '*{UID}*'
/sys/fs/cgroup/kubepods/burstable/pod{UID}
/sys/fs/cgroup/systemd/kubepods.slice/kubepods-pod{UID.replace("-", "_")}.slice/docker-{ID}.scope
""",
    "recorded-events": """\
Event(v1.ObjectReference{Kind:"Service", Namespace:"f", Name:"web", UID:"", APIVersion:"v1", ResourceVersion:"7", FieldPath:""}): type: 'Warning' reason: 'SyncLoadBalancerFailed' no room
{"level":"debug","ts":"2026-11-21T00:00:00Z","logger":"events","msg":"no room","type":"Warning","object":{"kind":"Service","namespace":"f","name":"web"},"reason":"SyncLoadBalancerFailed"}
""",
    "unit-status": """\
[root@node-1 ~]# systemctl status kubelet
● kubelet.service - kubelet: The Kubernetes Node Agent
   Loaded: loaded (/lib/systemd/system/kubelet.service; enabled; vendor preset: enabled)
  Drop-In: /etc/systemd/system/kubelet.service.d
           └─10-kubeadm.conf
   Active: failed (Result: exit-code) since Sat 2026-11-21 00:01:00 UTC; 5s ago
     Docs: https://kubernetes.io/docs/home/
  Process: 4711 ExecStart=/usr/bin/kubelet $KUBELET_ARGS (code=exited, status=1/FAILURE)
 Main PID: 4711 (code=exited, status=1/FAILURE)
""",
    "ps-daemons": """\
[root@node-1 ~]# ps -ww -C kubelet,kubelite,hyperkube,k3s-server,k3s-agent,containerd,dockerd,crio -o pid,stat,lstart,args
    PID STAT                  STARTED COMMAND
     51 Tsl  Sun Nov 22 03:32:30 2026 /usr/bin/containerd
     96 SNsl Sun Nov 22 03:32:27 2026 /usr/bin/kubelet --config=/var/lib/kubelet/config.yaml --v=3
""",
    "certificate-dates": """\
[root@node-1 ~]# openssl x509 -noout -dates -in /var/lib/kubelet/pki/kubelet-client-current.pem
notBefore=Nov 19 06:57:00 2026 GMT
notAfter=Nov 20 06:39:47 2026 GMT
""",
    "status": """\
{
  "kind": "Status",
  "apiVersion": "v1",
  "status": "Failure",
  "message": "pods is forbidden: User \\"system:serviceaccount:shop:till\\" cannot list resource \\"pods\\" in API group \\"\\" in the namespace \\"shop\\"",
  "reason": "Forbidden",
  "code": 403
}
""",
    "docker-info": """\
[root@node-1 ~]# docker info
Containers: 5
 Running: 5
Server Version: 1.13.1
Storage Driver: overlay2
Kernel Version: 3.10.0-1160.el7.x86_64
Operating System: CentOS Linux 7 (Core)
""",
    "crictl-pods": """\
[root@node-1 ~]# crictl pods
POD ID              CREATED             STATE               NAME                NAMESPACE           ATTEMPT             RUNTIME
0123456789abc       5 days ago          Ready               web-0               shop                0                   (default)
""",
    "crictl-ps": """\
[root@node-1 ~]# crictl ps -a
CONTAINER           IMAGE               CREATED             STATE               NAME                ATTEMPT             POD ID              POD                 NAMESPACE
fedcba9876543       8652b9f0cb4c0       5 days ago          Running             c                   0                   0123456789abc       web-0               shop
""",
    "goroutines": """\
[root@node-1 ~]# dockerd -D
DEBU[2026-11-20T23:02:51.380433522+08:00] restoring container                           container=0a paused=false running=true
goroutine 1 [chan receive, 61 minutes]:
github.com/docker/docker/daemon.(*Daemon).restore(0xc0004b6380, 0x0, 0x0)
	/root/engine/src/github.com/docker/docker/daemon/daemon.go:307 +0xd15
github.com/docker/docker/daemon.NewDaemon(0xc0004b2000, 0xc0003a8000, 0x0)
	/root/engine/src/github.com/docker/docker/daemon/daemon.go:860 +0x2c05

goroutine 31 [IO wait, 61 minutes, locked to thread]:
google.golang.org/grpc.newClientStream.func5(0xc00097a380)
	/go/src/google.golang.org/grpc/stream.go:319 +0xae
created by google.golang.org/grpc.newClientStream in goroutine 1
	/go/src/google.golang.org/grpc/stream.go:318 +0xbf0
""",
    "docker-inspect": f"""\
[root@node-1 ~]# docker inspect {ID[:12]}
[
    {{
        "Id": "{ID}",
        "Path": "/bin/sh",
        "State": {{
            "Status": "running",
            "Pid": 77,
            "StartedAt": "2026-11-21T00:01:00.1Z"
        }},
        "Config": {{
            "Env": ["PASSWORD=hunter2"],
            "Labels": {{
                "io.kubernetes.pod.name": "web-0",
                "io.kubernetes.pod.namespace": "shop",
                "io.kubernetes.pod.uid": "{UID}"
            }}
        }}
    }}
]
""",
    "crictl-inspect": f"""\
{{
  "status": {{
    "id": "{ID}",
    "metadata": {{"attempt": 0, "name": "c"}},
    "state": "CONTAINER_RUNNING",
    "labels": {{
      "io.kubernetes.pod.name": "web-0",
      "io.kubernetes.pod.namespace": "shop",
      "io.kubernetes.pod.uid": "{UID}"
    }}
  }},
  "info": {{"pid": 77}}
}}
""",
    "journal-json": f"""\
{{"__REALTIME_TIMESTAMP":"1795219200000000","_HOSTNAME":"node-1","SYSLOG_IDENTIFIER":"kubelet","_PID":"77","MESSAGE":"E1121 00:07:16.100000    4242 nestedpendingoperations.go:348] UnmountVolume.TearDown failed for volume \\"d\\" (UniqueName: \\"kubernetes.io/empty-dir/{UID}-d\\") pod \\"{UID}\\" (UID: \\"{UID}\\") : unlinkat {POD}/volumes/kubernetes.io~empty-dir/d/x: operation not permitted"}}
""",
    "journal-export": f"""\
__CURSOR=s=1
__REALTIME_TIMESTAMP=1795219200000000
_HOSTNAME=node-1
SYSLOG_IDENTIFIER=kubelet
MESSAGE=E1121 00:07:16.100000    4242 nestedpendingoperations.go:348] UnmountVolume.TearDown failed for volume "d" (UniqueName: "kubernetes.io/empty-dir/{UID}-d") pod "{UID}" (UID: "{UID}") : unlinkat {POD}/volumes/kubernetes.io~empty-dir/d/x: operation not permitted
""",
    "journal-marks": """\
(base) [root@node-1 ~]# journalctl -u kubelet
-- Logs begin at Fri 2026-11-20 00:00:01 UTC, end at Sat 2026-11-21 00:10:01 UTC. --
Nov 21 00:07:16 node-1 kubelet[77]: E1121 00:07:16.100000      77 kubelet.go:1] "Failed to get node info" err="node \\"node-1\\" not found"
-- Boot 0123456789abcdef0123456789abcdef --
-- No entries --
""",
    "unit-cat": """\
(venv) someone@node-1 ~ % systemctl cat ntpd
# /lib/systemd/system/ntpd.service
[Unit]
Description=Network Time Service
[Service]
Type=forking
PrivateTmp=true
""",
    "klog-json": f"""\
{{"ts":1795219200000.123,"caller":"nestedpendingoperations/nestedpendingoperations.go:348","msg":"Operation failed","err":"UnmountVolume.TearDown failed for volume \\"d\\" (UniqueName: \\"kubernetes.io/empty-dir/{UID}-d\\") pod \\"{UID}\\" (UID: \\"{UID}\\") : unlinkat {POD}/volumes/kubernetes.io~empty-dir/d/x: operation not permitted"}}
""",
    "stamped": """\
2026-11-21T00:07:16.168674384Z E1121 00:07:16.168466   17369 mount_linux.go:195] Mount failed: exit status 32
2026-11-21T00:07:16.168700000Z Mounting command: mount
2026-11-21T00:07:16.168731951Z Output: mount.nfs: Connection timed out
11月 21 00:07:16 node-1 kubelet[77]: W1121 00:07:16.000000      77 x.go:1] something else
INFO[2026-11-21T00:07:16.610430840+08:00] Loading containers: start.
FATA[0305] [controlPlane] Failed to bring up
""",
    "uname-r": """\
[root@node-1 ~]# uname -r
3.10.0-1160.el7.x86_64
""",
    **KUBECTL,
}
