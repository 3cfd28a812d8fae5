"""Derives a bundle member's command, machine or container from its path.

- `kubectl cluster-info dump`: `NAMESPACE/pods.json`, `NAMESPACE/POD/logs.txt` (kubectl pkg/cmd/clusterinfo)
- OpenShift must-gather: `namespaces/NS/core/*.yaml`,
  `namespaces/NS/pods/POD/CONTAINER/CONTAINER/logs/current.log`, `nodes/NODE/…`,
  `host_service_logs/masters/kubelet_service.log` (openshift/must-gather, oc adm inspect)
- troubleshoot.sh: `cluster-resources/pods/NS.json`, `cluster-resources/pods/logs/NS/POD/CONTAINER.log`
  (replicatedhq/troubleshoot)
- sosreport: `sosreport-HOST-…/sos_commands/PLUGIN/df_-al`, `var/log/pods/NS_POD_UID/CONTAINER/0.log`
  (sosreport/sos)
- Rancher: `HOST-DATE/systeminfo/dmesg`, `k3s/crictl/psa`, `k8s/podlogs/k8s_C_POD_NS_…`, `k8s/kubectl/pods`
  (rancherlabs/support-tools)
- EKS: `kernel/dmesg.current`, `storage/mounts.txt`, `var_log/POD_NS_CONTAINER-ID.log`
  (awslabs/amazon-eks-ami)

Any other file is recognised by its content alone.
"""

from __future__ import annotations

from unstuck.collect.text.cutting.piece import TypedCommand
from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

_NS = r"(?P<ns>[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)"
_POD = r"(?P<pod>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)"
_CONTAINER = r"(?P<container>[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)"
_LOGS = tuple(
    regex(form)
    for form in (
        rf"(?:^|/)namespaces/{_NS}/pods/{_POD}/{_CONTAINER}/[^/]+/logs/(?P<when>current|previous)[^/]*\.log$",
        rf"(?:^|/)pods/logs/{_NS}/{_POD}/{_CONTAINER}(?P<when>-previous)?\.(?:log|txt)$",
        rf"(?:^|/){_NS}/{_POD}/logs\.txt$",
        rf"(?:^|/)(?:var/log/pods|var_log|pods)/{_NS}_{_POD}_[0-9a-f-]{{32,36}}/{_CONTAINER}/\d+\.log[^/]*$",
        rf"(?:^|/)(?:var/log/containers|var_log|containers)/{_POD}_{_NS}_{_CONTAINER}-[0-9a-f]{{64}}\.log$",
        rf"(?:^|/)podlogs/k8s_{_CONTAINER}_{_POD}_{_NS}_[0-9a-f-]{{32,36}}_\d+$",
    )
)
# Written by containers whose names are not part of the path.
_STRANGERS = regex(
    r"(?:^|/)(?:podlogs|pods/logs|var/log/(?:pods|containers)|namespaces/[^/]+/pods)/.*(?:\.log|/[^./]+)$|"
    r"(?:^|/)rancher/containerlogs/"
)
# The API server's audit log. The kernel's audit log is a different one.
_AUDIT = regex(r"(?:^|/)audit_logs/|(?:^|/)[\w-]{0,60}apiserver/[^/]*audit[^/]*\.log(?:\.gz)?$")
# `sosreport-HOST[-CASE]-DATE-RANDOM`; a case's number is long.
_SOS_HOST = regex(r"(?:^|/)sosreport-(?P<host>[A-Za-z][\w.-]{0,252}?)(?:-\d{6,12})?-\d{4}-\d\d-\d\d-\w+/")
_RANCHER_HOST = regex(
    r"^(?:\./)?(?P<host>[A-Za-z][\w.-]*?)-\d{4}-\d\d-\d\d_\d\d_\d\d_\d\d/(?:systeminfo|journald|k3s|rke2|k8s"
    r"|docker|networking)/"
)
_NODE = regex(r"(?:^|/)nodes/(?P<host>[a-z0-9][a-z0-9.-]{0,252})/")
_SOS = regex(r"(?:^|/)sos_commands/[^/]+/(?P<command>[a-z][\w.-]{1,200})$")
_COMMANDS = {
    "systeminfo/dmesg": "dmesg -T",
    "systeminfo/dfh": "df -h",
    "systeminfo/dfi": "df -i",
    "systeminfo/mount": "mount",
    "systeminfo/lsof": "lsof -Pn",
    "systeminfo/ps": "ps auxfww",
    "crictl/psa": "crictl ps -a",
    "crictl/pods": "crictl pods",
    "docker/dockerpsa": "docker ps -a",
    "docker/dockerinfo": "docker info",
    "kubectl/nodes": "kubectl get nodes -o wide",
    "kubectl/nodesdescribe": "kubectl describe nodes",
    **{
        f"kubectl/{what}": f"kubectl get {what} -A -o wide"
        for what in ("pods", "services", "endpoints", "configmaps")
    },
    "kubectl/namespaces": "kubectl get namespaces",
    "kernel/dmesg.current": "dmesg",
    "kernel/dmesg.human.current": "dmesg",
}


@record()
class LayoutPlace(Record):
    """command: as if a prompt had shown it. container: whose log it is. previous: of its run before.

    skip: some stranger's words, or an audit log.
    """

    command: TypedCommand | None = None
    container: Ref | None = None
    previous: bool = False
    skip: bool = False
    known: bool = False


def place_of(name: str) -> LayoutPlace:
    """Return the information in the member's name; an empty Place for a name of no layout."""
    # Bundles have tens of thousands of files, and most match none of these.
    for form in _LOGS if "log" in name else ():
        if found := form.search(name):
            previous = "previous" in (found.groupdict().get("when") or "")
            container = found.groupdict().get("container")
            return LayoutPlace(
                container=Ref("Container", f"{found['ns']}/{found['pod']}", container),
                previous=previous,
                known=True,
            )
    last = name.rpartition("/")[2]
    if ("." not in last or last.endswith(".log") or "containerlogs/" in name) and _STRANGERS.search(name):
        return LayoutPlace(skip=True, known=True)
    if "audit" in name and _AUDIT.search(name):
        return LayoutPlace(skip=True, known=True)
    found = (
        (_SOS_HOST.search(name) if "sosreport-" in name else None)
        or _RANCHER_HOST.match(name)
        or (_NODE.search(name) if "nodes/" in name else None)
    )
    host = found["host"] if found else None
    text = _command(name)
    return LayoutPlace(
        command=TypedCommand(text or "", host) if text or host else None, known=bool(text or host)
    )


def _command(name: str) -> str:
    if "sos_commands/" in name and (sos := _SOS.search(name)):
        return sos["command"].replace("_", " ")
    return _COMMANDS.get("/".join(name.split("/")[-2:]), "")
