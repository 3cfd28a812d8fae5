"""The commands that look at the subject of a class of errors: rights, served resources, releases, logs.

None changes anything (`diagnosis/line_classes.py` chooses among them).
"""

from __future__ import annotations

from unstuck.diagnosis import given
from unstuck.diagnosis.command import Command, command
from unstuck.facts.core import Ref


def can(user: str, verb: str, resource: str, namespace: str | None) -> Command:
    """Ask the API server whether a user may do this."""
    return command(
        "kubectl auth can-i {verb} {resource} --as={user} {space}",
        verb=given.plain(verb),
        resource=given.resource(resource),
        user=given.user(user),
        space=given.namespace(namespace) if namespace else given.NOTHING,
    )


def own_login() -> Command:
    """Return the command that shows kubectl's own credentials; its output names no key and no token."""
    return command("kubectl config view --minify")


def cloud_identities() -> Command:
    """Return under which identity of a cloud each ServiceAccount works."""
    return command(
        "kubectl get serviceaccounts -A -o "
        "'custom-columns=NAMESPACE:.metadata.namespace,ACCOUNT:.metadata.name,"
        "AWS:.metadata.annotations.eks\\.amazonaws\\.com/role-arn,GCP:.metadata.annotations.iam\\.gke\\.io/"
        "gcp-service-account,"
        "AZURE:.metadata.annotations.azure\\.workload\\.identity/client-id'"
    )


def aws_role(name: str) -> Command:
    """Return the policies of a role."""
    return command(
        (
            "aws iam list-attached-role-policies --role-name={role}; aws "
            "iam list-role-policies --role-name={role}"
        ),
        role=given.role(name),
    )


def aws_subnets() -> Command:
    """Return each subnet with its free addresses and its tags."""
    return command(
        "aws ec2 describe-subnets --query "
        "'Subnets[].[SubnetId,VpcId,CidrBlock,AvailableIpAddressCount,MapPublicIpOnLaunch,Tags]'"
    )


def versions_of(group: str) -> Command:
    """Return the kinds and versions that the cluster serves of an API group."""
    return command("kubectl api-resources --api-group={group}; kubectl version", group=given.resource(group))


def helm_history(release: str | None, namespace: str | None) -> Command:
    """Return the revisions of a release, with the state of each."""
    return command(
        "helm history {release} {space}",
        release=given.release(release),
        space=given.namespace(namespace or "NAMESPACE"),
    )


def helm_status(release: str | None, namespace: str | None) -> Command:
    """Return the state of a release and of its objects."""
    return command(
        "helm status {release} {space} --show-resources",
        release=given.release(release),
        space=given.namespace(namespace or "NAMESPACE"),
    )


def jobs(namespace: str | None) -> Command:
    """Return the Jobs and Pods of a Namespace."""
    return command("kubectl get jobs,pods {space} -o wide", space=given.namespace(namespace or "NAMESPACE"))


def log_of(workload: Ref) -> Command:
    """Return the command for the logs of a workload's Pods within the last hour."""
    return command(
        "kubectl logs {workload} {space} --all-containers --since=1h",
        workload=given.of(workload),
        space=given.space(workload),
    )


def log_of_component(name: str) -> Command:
    """Return the command for the logs of a component of the control plane that runs as a static Pod."""
    return command(
        "kubectl logs -n kube-system -l {label} --tail=200 --prefix", label=given.label("component", name)
    )


def flux_objects() -> Command:
    """Show the status of all objects that Flux applies."""
    return command(
        "kubectl get kustomizations.kustomize.toolkit.fluxcd.io,helmreleases.helm.toolkit.fluxcd.io -A"
    )


def dry_run() -> Command:
    """Send a manifest to the API server as a dry run."""
    return command("kubectl apply --server-side --dry-run=server -f MANIFEST.yaml")


def applications() -> Command:
    """Show the status of all applications of Argo CD."""
    return command("kubectl get applications.argoproj.io -A -o yaml")


def solvers() -> Command:
    """List cert-manager's objects for its HTTP-01 challenges, and the classes that may serve them."""
    return command(
        "kubectl get ingresses,services,pods -A -l acme.cert-manager.io/http01-solver=true -o wide; kubectl "
        "get ingressclasses"
    )


def certificate_by_name(host: str) -> Command:
    """Show the certificate that a server presents for a host's name; "" for a host that is not known."""
    return command(
        "openssl s_client -connect {host}:443 -servername {host} -showcerts",
        host=given.host(host or "HOST"),
    )


def mounted_objects(kind: str, namespace: str | None) -> Command:
    """Return the Secrets or ConfigMaps, and which of them the Pods' volumes name."""
    return command(
        "kubectl get {kind} {space}; kubectl get pods {space} -o yaml",
        kind=given.kind_of(kind),
        space=given.namespace(namespace or "NAMESPACE"),
    )


def etcd_members() -> Command:
    """Return the members that etcd knows."""
    return command("etcdctl member list -w table")


def etcd_room() -> Command:
    """Show the usage of etcd's space, and its alarms."""
    return command("etcdctl endpoint status --cluster -w table; etcdctl alarm list")


def etcd_health() -> Command:
    """Show the members of etcd that answer."""
    return command("etcdctl endpoint health --cluster -w table")


def members(namespace: str | None) -> Command:
    """List the Pods of a Namespace with their Nodes."""
    return command("kubectl get pods {space} -o wide", space=given.namespace(namespace or "NAMESPACE"))


def kernel() -> Command:
    """Show the kernel's release and its last messages."""
    return command("uname -r; dmesg -T | tail -n 100")


def cluster_dns() -> Command:
    """Show whether the cluster's name server runs, and its log."""
    return command(
        "kubectl get pods -n kube-system -l k8s-app=kube-dns -o wide; kubectl logs -n kube-system -l "
        "k8s-app=kube-dns --tail=50"
    )


def pods_of_mesh() -> Command:
    """Show whether Istio's control plane runs, and its log."""
    return command(
        "kubectl get pods -n istio-system -o wide; kubectl logs -n istio-system -l app=istiod --tail=50"
    )


def file_end(path: str) -> Command:
    """Return the end of a log that is a file."""
    return command("tail -n 100 -- {path}", path=given.path(path))


def bridge_addresses() -> Command:
    """Count the addresses of a Docker bridge, and its containers."""
    return command("docker network inspect bridge; docker ps -q | wc -l")


def architectures() -> Command:
    """Show the platform of each Node's kernel."""
    return command(
        "kubectl get nodes -o "
        "'custom-columns=NAME:.metadata.name,OS:.status.nodeInfo.operatingSystem,ARCH:.status.nodeInfo.architecture'"
    )


def registry(host: str) -> Command:
    """Ask a registry for its version, as the runtime does."""
    return command("curl -sSv -m 10 -o /dev/null https://{host}/v2/", host=given.host(host))


def limits(namespace: str | None) -> Command:
    """Show the limits of a Namespace's LimitRanges and quotas."""
    return command(
        "kubectl describe limitranges,resourcequotas {space}", space=given.namespace(namespace or "NAMESPACE")
    )


def namespace_labels(namespace: str | None) -> Command:
    """Show the labels of a Namespace, including the Pod Security level it enforces."""
    return command("kubectl get {namespace} --show-labels", namespace=given.obj("namespace", namespace))


def budgets(namespace: str | None) -> Command:
    """Show the disruptions that each PodDisruptionBudget allows."""
    return command(
        "kubectl get pdb,deployments,statefulsets {space}", space=given.namespace(namespace or "NAMESPACE")
    )


def inotify() -> Command:
    """Show the limits of inotify, and the processes with the most instances."""
    return command(
        "sysctl fs.inotify; find /proc/[0-9]*/fd -lname anon_inode:inotify | cut -d/ -f3 | sort | uniq -c | "
        "sort -n | tail -n 20"
    )


def room() -> Command:
    """Show the free space and inodes of each file system."""
    return command("df -h; df -i")


def calico_neighbours() -> Command:
    """Show Calico's BGP peers."""
    return command("calicoctl node status; ip -br addr")


def pods_by_restarts() -> Command:
    """List all Pods, sorted by restarts, the most last."""
    return command("kubectl get pods -A -o wide '--sort-by=.status.containerStatuses[0].restartCount'")
