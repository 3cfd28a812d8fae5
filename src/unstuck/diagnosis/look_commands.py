"""Commands that inspect the things named in a message, on their own machine (`diagnosis/looking.py` chooses
among them).

All are read-only, except a pull by hand, which the kubelet repeats anyway. A command that may wait for a dead
server gets five seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import dirname

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, command
from unstuck.facts.core import Ref


def components(path: str) -> Command:
    """Show each directory on the way to a path, with its mode, and the targets of links."""
    return command("timeout 5 namei -l {path}", path=given.path(path))


def room(path: str) -> Command:
    """Show the room and the inodes of the file system of a path; the path itself may not exist."""
    return command("timeout 5 df -P {path}; timeout 5 df -iP {path}", path=given.path(dirname(path) or "/"))


def fills(path: str) -> Command:
    """Show the largest directories of a file system; other file systems below it are not walked."""
    return command("timeout 60 du -xh -d 3 -- {path} | sort -h | tail -n 30", path=given.path(path))


def holders(path: str) -> Command:
    """List the processes in whose mount namespaces a path is mounted."""
    return command("grep -lF -e {path} /proc/[0-9]*/mountinfo", path=given.path(path))


def device(path: str) -> Command:
    """Return a block device with all that is stacked on it."""
    return command("lsblk -o NAME,TYPE,FSTYPE,MOUNTPOINT -- {path}", path=given.path(path))


def attributes(path: str) -> Command:
    """Return a file's attributes."""
    return command("timeout 5 lsattr -d -- {path}", path=given.path(path))


def mount_under(path: str) -> Command:
    """Show the mount of a path, from the kernel's list: a dead server is not touched."""
    return command("timeout 5 findmnt -T {path} -o TARGET,SOURCE,FSTYPE,OPTIONS", path=given.path(path))


def mounts_of(path: str) -> Command:
    """Return the mounts of a path and below, from the kernel's list alone."""
    return command("grep -F -e {path} /proc/self/mountinfo", path=given.path(path))


def content(path: str) -> Command:
    """List a directory."""
    return command("timeout 5 ls -la -- {path}", path=given.path(path))


def bad_disk() -> Command:
    """Show the kernel's messages about disks and file systems."""
    return command("dmesg -T | grep -iE 'i/o error|ext4-fs|xfs|btrfs|nvme|corrupt' | tail -n 50")


def of_pod(uid: str) -> Command:
    """Return the mounts of a Pod, as the node sees them."""
    return command("grep -F -e {uid} /proc/self/mountinfo", uid=given.uid(uid))


def volume(name: str) -> Command:
    """Return a PersistentVolume."""
    return command("kubectl get {volume} -o yaml", volume=given.obj("pv", name))


def describe(ref: Ref) -> Command:
    """Describe an object with kubectl."""
    return command("kubectl describe {object} {space}", object=given.of(ref), space=given.space(ref))


def pull(image: str) -> Command:
    """Pull an image as the kubelet has it pulled, which it does again anyway."""
    return command("crictl pull -- {image}", image=given.image(image))


def process(pid: int) -> Command:
    """Show a process with its children: their cgroups, and the kernel function in which each waits."""
    return command(
        "ps -o pid,ppid,stat,wchan:32,cgroup,args -p {pid} --ppid {pid}; cat /proc/{pid}/stack",
        pid=given.number(pid),
    )


def kernel_stack(pid: int) -> Command:
    """Show the place in the kernel where a task waits."""
    return command("cat /proc/{pid}/stack /proc/{pid}/wchan", pid=given.number(pid))


def out_of_memory() -> Command:
    """Return the kernel's whole report of memory that ran out."""
    return command("journalctl -k --since -2h --no-pager | grep -A 40 'invoked oom-killer'")


def page_allocation() -> Command:
    """Return the kernel's whole report of an allocation that failed."""
    return command("dmesg -T | grep -A 40 'page allocation failure'")


def why_denied(program: str) -> Command:
    """Return why SELinux denies it."""
    return command("ausearch -m AVC -c {program} -ts recent | audit2why", program=given.plain(program))


def client_certificate() -> Command:
    """Return the dates of the kubelet's client certificate."""
    return command("openssl x509 -noout -subject -dates -in /var/lib/kubelet/pki/kubelet-client-current.pem")


def server(host: str) -> Command:
    """Ask an API server for its version, for five seconds at most."""
    return command("curl -k -m 5 https://{host}/version", host=given.host(host))


def resolving(name: str) -> Command:
    """Resolve a name as the node does."""
    return command("getent hosts -- {name}", name=given.host(name))


def route(host: str) -> Command:
    """Return the route to an address."""
    return command("ip route get {host}", host=given.host(host))


def labels(path: str) -> Command:
    """Show the permissions of each directory on the way, and the SELinux labels of the last ones."""
    return command(
        "timeout 5 namei -l {path}; timeout 5 ls -ldZ -- {directory} {path}; getenforce",
        path=given.path(path),
        directory=given.path(dirname(path) or "/"),
    )


def client_of(path: str) -> Command:
    """Return a mount, from the kernel's list alone, and the clients of file systems that run outside of
    the kernel.
    """
    return command(
        "grep -F -e {path} /proc/self/mountinfo; ps -eo pid,lstart,args | grep -iE 'fuse|gluster|s3fs|ceph'",
        path=given.path(path),
    )


def cgroups() -> Command:
    """Count the kernel's cgroups, and the visible ones among them."""
    return command("cat /proc/cgroups; timeout 30 find /sys/fs/cgroup -type d | wc -l")


def processes_of(container: str) -> Command:
    """List the processes with a container's id in their command line, and all that cannot be killed."""
    return command(
        "ps -eo pid,ppid,stat,wchan:32,args | grep -e {id} -e '^ *[0-9]* *[0-9]* [DZ]'",
        id=given.container_id(container[:12]),
    )


def disk(device: str) -> Command:
    """Show a disk with its partitions and mounts, and the kernel's messages about it."""
    return command(
        "lsblk -o NAME,TYPE,FSTYPE,MOUNTPOINT; dmesg -T | grep -we {name} | tail -n 50",
        name=given.plain(device),
    )


def filesystem(kind: str) -> Command:
    """Return whether the kernel knows a file system."""
    return command(
        "grep -we {name} /proc/filesystems; lsmod | grep -e {name}; dmesg -T | grep -ie {name} | tail -n 30",
        name=given.plain(kind),
    )


def installed(program: str) -> Command:
    """Show the path of a program."""
    return command(
        "command -v {name}; ls -l /sbin/{name} /usr/sbin/{name} /usr/bin/{name}", name=given.plain(program)
    )


def certificate(path: str) -> Command:
    """Return the dates of a certificate."""
    return command("openssl x509 -noout -subject -dates -in {path}", path=given.path(path))


def routes() -> Command:
    """Return the node's addresses and routes."""
    return command("ip route; ip -br addr")


def network_plugin() -> Command:
    """Show the network plugin's configuration: the files that the runtime reads, and no key beside them."""
    return command("ls -la /etc/cni/net.d; tail -n +1 /etc/cni/net.d/*.conf*; cat /run/flannel/subnet.env")


def kubelet_room() -> Command:
    """Show the room of the file systems by which the kubelet evicts, and its thresholds."""
    return command(
        "df -h /var/lib/kubelet /var/lib/containerd /var/lib/docker; df -i /var/lib/kubelet; "
        "grep -iE -A 6 'eviction|reserved' /var/lib/kubelet/config.yaml"
    )


def apparmor() -> Command:
    """Return the state of AppArmor."""
    return command("cat /sys/module/apparmor/parameters/enabled /sys/kernel/security/lsm; aa-status")


def whole(ref: Ref) -> Command:
    """Return an object as YAML."""
    return command("kubectl get {object} {space} -o yaml", object=given.of(ref), space=given.space(ref))


def behind_service(service: Ref) -> Command:
    """List the Services of a Namespace with their endpoints."""
    return command(
        "kubectl get services,endpoints,deployments,pods {space} -o wide", space=given.space(service)
    )


def hooks() -> Command:
    """Return the webhooks with the Services that they call."""
    return command(
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o "
        "'custom-columns=NAME:.metadata.name,HOOKS:.webhooks[*].name,SERVICE:.webhooks[*].clientConfig.service.name'"
    )


def attachments(volume_name: str) -> Command:
    """Show the attachments of a volume."""
    return command(
        "kubectl get volumeattachments -o wide | grep -F -e {name}",
        name=given.bare("PersistentVolume", volume_name),
    )


def remaining(resources: Sequence[str], namespace: str | None) -> Command:
    """Return the objects of these types that are left in a Namespace, with their finalizers."""
    return command(
        "kubectl get {resources} {space} -o yaml",
        resources=given.resources(resources),
        space=given.namespace(namespace or "NAMESPACE"),
    )


def runtime_log() -> Command:
    """Show the logs of the container runtimes within the last hour, whichever is installed."""
    return command("journalctl -u containerd -u docker -u cri-docker -u crio --since -1h --no-pager")


def unit_log(unit: str) -> Command:
    """Show the log of a unit within the last hour."""
    return command("journalctl -u {unit} --since -1h --no-pager", unit=given.unit(unit))


def server_certificate(server: str) -> Command:
    """Show the local time, and the issuer, dates and names of the certificate that `HOST:PORT` presents."""
    return command(
        (
            "date; openssl s_client -connect {server} </dev/null | openssl x509 -noout -issuer "
            "-dates -ext subjectAltName"
        ),
        server=given.host(server),
    )


def logs(pod: Ref, container: str | None) -> Command:
    """Return the log of a Pod's container, of its only one if none is named."""
    return command(
        "kubectl logs {space} {pod} --container={container}",
        space=given.space(pod),
        pod=given.of(pod),
        container=given.container(container),
    )
