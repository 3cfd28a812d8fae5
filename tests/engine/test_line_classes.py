"""The next look follows from the class of a line or of a failed call, and the gravest line is quoted."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.api.ranking import rank_diagnoses_of_text
from unstuck.api.text_kinds import recognise
from unstuck.api.unread import find_reason, run_next
from unstuck.collect.text import read_text
from unstuck.diagnosis.failure_looks import FAILURES, look_of_failure
from unstuck.diagnosis.gravity import quote_line, sort_by_gravity
from unstuck.diagnosis.line_classes import CLASSES, look_of_class
from unstuck.diagnosis.line_speakers import SPEAKERS, look_of_speaker
from unstuck.diagnosis.sign import Sign, symptom
from unstuck.diagnosis.text import told_apart, who
from unstuck.diagnosis.verdict import Finding, Match, Signs, Undecided, judge
from unstuck.engine import discover
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.text import Text
from unstuck.facts.vocabulary.failures import ErrorWord, Operation

AT = datetime(2026, 11, 27, tzinfo=UTC)
ATTACHMENT = f"csi-{'0a1b' * 16}"
OF_CLASS = {
    "forbidden": (
        'leases.coordination.k8s.io "l" is forbidden: User "system:serviceaccount:shop:web" cannot get '
        'resource "leases" in API group '
        '"coordination.k8s.io" in the namespace "shop"',
        "kubectl auth can-i get leases.coordination.k8s.io --as=system:serviceaccount:shop:web -n shop",
    ),
    "record-of-controller": (
        '{"level":"error","msg":"Reconciler error","controllerGroup":"apps.example.com",'
        '"controllerKind":"Widget","namespace":"shop","name":"web","error":"retries exhausted"}',
        "kubectl describe widget.apps.example.com/web -n shop",
    ),
    "default-certificate": (
        "issuer=/O=Acme Co/CN=Kubernetes Ingress Controller Fake Certificate",
        "openssl s_client -connect HOST:443 -servername HOST",
    ),
    "node-pool": (
        'Could not schedule pod, incompatible with nodepool "main", label "team" does not have known values',
        "kubectl describe nodepool.karpenter.sh/main",
    ),
    "xds": (
        "warning envoy config StreamAggregatedResources gRPC config stream closed: 14, no healthy upstream",
        "kubectl get pods -n istio-system -o wide",
    ),
    "kubelet-down": (
        "[kubelet-check] It seems like the kubelet isn't running or healthy.",
        "journalctl -u kubelet",
    ),
    "login": ("error: You must be logged in to the server (Unauthorized)", "kubectl config view --minify"),
    "cloud-role": (
        (
            "AccessDenied: User: arn:aws:sts::0:assumed-role/nodes/i-1 is not authorized to perform: "
            "autoscaling:SetDesiredCapacity"
        ),
        "aws iam list-attached-role-policies --role-name=nodes",
    ),
    "cloud-identity": (
        "UnauthorizedOperation: You are not authorized to perform this operation",
        "kubectl get serviceaccounts -A",
    ),
    "cloud-subnet": (
        "Failed to allocate 1 IP addresses on an ENI: InsufficientCidrBlocks: no",
        "aws ec2 describe-subnets",
    ),
    "not-served": (
        'no matches for kind "Ingress" in version "extensions/v1beta1"',
        "kubectl api-resources --api-group=extensions",
    ),
    "release-locked": (
        "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress",
        "helm history RELEASE -n NAMESPACE",
    ),
    "release-waiting": (
        'Upgrade "web" failed: pre-upgrade hooks failed: timed out waiting for the condition',
        "kubectl get jobs,pods -n NAMESPACE",
    ),
    "release-timeout": (
        "Error: timed out waiting for the condition",
        "helm status RELEASE -n NAMESPACE --show-resources",
    ),
    "release": (
        "Error: INSTALLATION FAILED: create: no",
        "helm status RELEASE -n NAMESPACE --show-resources",
    ),
    "argo-rendering": (
        "ComparisonError: rpc error: code = Unknown desc = exit 1",
        "kubectl logs deployment/argocd-repo-server -n argocd",
    ),
    "argo-sync": (
        "one or more objects failed to apply, reason: no",
        "kubectl get applications.argoproj.io -A",
    ),
    "flux-applying": (
        "✗ Kustomization reconciliation failed: Deployment/shop/web invalid",
        "kubectl apply --server-side --dry-run=server",
    ),
    "flux": (
        "✗ HelmRelease reconciliation failed: no",
        "kubectl get kustomizations.kustomize.toolkit.fluxcd.io,",
    ),
    "eviction": (
        'error when evicting pods/"web-0" -n "shop" (will retry after 5s): Cannot evict pod as it would '
        "violate the pod's "
        "disruption budget.",
        "kubectl get pdb,deployments,statefulsets -n shop",
    ),
    "etcd-members": ("member 0a has already been bootstrapped", "etcdctl member list"),
    "etcd-room": ("etcdserver: mvcc: database space exceeded", "etcdctl endpoint status --cluster"),
    "etcd": ("etcdserver: request timed out", "etcdctl endpoint health --cluster"),
    "bridge-addresses": (
        "no available IPv4 addresses on this network's address pools: bridge",
        "docker network inspect bridge",
    ),
    "name-server": (
        "dial tcp: lookup api.example.com on 10.96.0.10:53: server misbehaving",
        "kubectl get pods -n kube-system -l k8s-app=kube-dns",
    ),
    "attachment": (f'Detached "{ATTACHMENT}"', f"kubectl get volumeattachment/{ATTACHMENT} -o yaml"),
    "acme-challenge": (
        "Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'",
        "kubectl get ingresses,services,pods -A -l acme.cert-manager.io/http01-solver=true",
    ),
    "object-cache": (
        (
            'MountVolume.SetUp failed for volume "a" : failed to sync configmap cache: timed out waiting '
            "for the condition"
        ),
        "kubectl get configmap -n NAMESPACE",
    ),
    "object-in": (
        "Exceeded timeout while waiting for Pods resource zk-0 in namespace shop to be ready",
        "kubectl describe pod/zk-0 -n shop",
    ),
    "container-of": ("Stream closed EOF for shop/web-0 (c)", "kubectl get pod/web-0 -n shop -o yaml"),
    "connection-cut": ("upstream connect error: connection reset by peer", "kubectl get pods"),
}
OF_SPEAKER = {
    "room": ("raft_init(): not enough space to allocate 4096 bytes", "df -h; df -i"),
    "calico": ("calico/node is not ready: BIRD is not ready", "calicoctl node status"),
    "aws-addresses": (
        "add cmd: failed to assign an IP address to container",
        "tail -n 100 -- /var/log/aws-routed-eni/ipamd.log",
    ),
    "unit": ("k3s[50]: it failed", "journalctl -u k3s "),
    "kernel": ("kernel:unregister_netdevice: waiting for eth0 to become free.", "uname -r; dmesg -T"),
    "autoscaler": (
        "cluster-autoscaler: scale-up failed",
        "kubectl logs deployment/cluster-autoscaler -n kube-system",
    ),
    "controller-manager": (
        "E1121 03:00:00.1 1 range_allocator.go:90] it is out of ranges",
        "kubectl logs -n kube-system -l component=kube-controller-manager",
    ),
    "scheduler": (
        "E1121 03:00:00.1 1 schedule_one.go:90] it failed",
        "kubectl logs -n kube-system -l component=kube-scheduler",
    ),
    "cloud-controller": (
        "service_controller.go:219] error processing service",
        "kubectl logs daemonset/cloud-controller-manager -n kube-system",
    ),
    "cert-manager": (
        "cert-manager/challenges: propagation check failed",
        "kubectl logs deployment/cert-manager -n cert-manager",
    ),
}


def test_each_class_has_an_example_that_is_of_no_class_before_it() -> None:
    assert {c.id for c in CLASSES} == {*OF_CLASS} and {c.id for c in SPEAKERS} == {*OF_SPEAKER}
    for table, examples in ((CLASSES, OF_CLASS), (SPEAKERS, OF_SPEAKER)):
        for id_, (line, _) in examples.items():
            assert next((c.id for c in table if c.said.search(line)), None) == id_


@pytest.mark.parametrize("id_", OF_CLASS)
def test_a_class_calls_for_its_look(id_: str) -> None:
    line, begins = OF_CLASS[id_]
    look = look_of_class(line)
    assert look is not None and look.command.line.startswith(begins) and look.says.en and look.says.zh


@pytest.mark.parametrize("id_", OF_SPEAKER)
def test_whoever_speaks_is_asked_for_more(id_: str) -> None:
    line, begins = OF_SPEAKER[id_]
    look = look_of_speaker(line)
    assert look is not None and look.command.line.startswith(begins) and look.says.en and look.says.zh


def test_a_nodes_own_lookup_is_not_the_clusters() -> None:
    line = "kubelet: failed to pull image: dial tcp: lookup registry.example.com on 10.0.0.2:53: no such host"
    assert look_of_class(line) is None


def test_a_release_and_its_namespace_are_taken_from_the_command_above() -> None:
    pasted = (
        "$ helm upgrade --install web ./chart -n shop\nError: UPGRADE FAILED: another operation "
        "(install/upgrade/rollback) is in progress\n"
    )
    told = run_next(pasted, recognise(pasted))
    assert told is not None and "helm history web -n shop" in told.en


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (
            (
                "$ helm install web ./chart --namespace shop --wait\nError: timed out waiting for the "
                "condition\n"
            ),
            "helm status web -n shop",
        ),
        (
            (
                "Error: timed out waiting for the condition\n\n  on a.tf line 22, in resource "
                '"helm_release" "edge":\n'
            ),
            "helm status edge -n NAMESPACE",
        ),
        (
            "helm_release.edge: Still creating... [5m0s elapsed]\n\nError: context deadline exceeded\n",
            "helm status edge -n NAMESPACE",
        ),
        (
            "Error: release web failed, and has been rolled back: timed out waiting for the condition\n",
            "helm status",
        ),
    ],
)
def test_what_a_release_waited_for_is_asked_of_the_release(text: str, known: str) -> None:
    told = run_next(text, recognise(text))
    assert told is not None and known in told.en


@pytest.mark.parametrize(
    "line",
    [
        "chown: changing ownership of '/var/lib/postgresql/data': Operation not permitted",
        "chown: /data/db: Operation not permitted",
        "/entrypoint.sh: line 12: mkdir: cannot create directory '/data/db': Permission denied",
        "touch: cannot touch '/cache/x': Read-only file system",
    ],
)
def test_a_path_that_a_script_is_refused_lies_in_its_container(line: str) -> None:
    told = run_next(line, recognise(line))
    assert told is not None and "kubectl get pod/POD -n NAMESPACE -o yaml" in told.en


@pytest.mark.parametrize(
    "text",
    [
        "rm: cannot remove '/var/lib/kubelet/pods/x/volumes/y': Operation not permitted",
        "[root@n-1 ~]# rm -rf /data/x\nrm: cannot remove '/data/x': Operation not permitted",
    ],
)
def test_a_path_of_the_nodes_own_or_below_its_prompt_is_looked_at_there(text: str) -> None:
    told = run_next(text, recognise(text))
    assert told is not None and "lsattr" in told.en


def test_kubectl_waits_for_no_release() -> None:
    assert look_of_class("error: timed out waiting for the condition on pods/web-0") is None


VOLUME = "pvc-00000000-0000-4000-8000-0000000000a1"
CALLS: tuple[tuple[Operation, ErrorWord, str, str], ...] = (
    (
        "volume-attach",
        "attacher-silent",
        f'AttachVolume.Attach failed for volume "{VOLUME}" : no',
        "kubectl get volumeattachments",
    ),
    ("image-pull", "platform-missing", "no match for platform in manifest", "kubectl get nodes -o"),
    ("container-start", "exec-format", "exec format error", "kubectl get nodes -o"),
    (
        "image-pull",
        "forbidden",
        "HEAD request to https://registry.example.com/v2/a/b/manifests/1: 403",
        "curl -sSv",
    ),
    ("pod-create", "limit-range", "maximum cpu usage", "kubectl describe limitranges,resourcequotas -n shop"),
    ("pod-create", "pod-security", "violates PodSecurity", "kubectl get namespace/shop --show-labels"),
    ("container-create", "run-as-root", "image will run as root", "kubectl get pod/web-0 -n shop -o yaml"),
    ("evict", "budget-blocked", "Cannot evict pod", "kubectl get pdb,deployments,statefulsets -n shop"),
    (
        "network-set-up",
        "address-unassigned",
        "failed to assign an IP address",
        "tail -n 100 -- /var/log/aws-routed-eni/ipamd.log",
    ),
    ("kubelet-start", "certificate-expired", "certificate is expired", "openssl x509"),
    ("kubelet-start", "instances-exhausted", "inotify_init: too many open files", "sysctl fs.inotify"),
    ("status-update", "storage-full", "database space exceeded", "etcdctl endpoint status --cluster"),
)


def test_each_class_of_calls_calls_for_its_look() -> None:
    used = set[int]()
    for tried, failed, words, begins in CALLS:
        about = Ref("Pod", "shop", "web-0")
        fact = Failure(about=about, src=Source("t:1", words), operation=tried, error=failed, whole=False)
        look = look_of_failure(fact)
        assert look is not None and look.command.line.startswith(begins), tried
        used.add(
            next(
                n for n, c in enumerate(FAILURES) if failed in c.failed and (not c.tried or tried in c.tried)
            )
        )
    assert used == {*range(len(FAILURES))}


def test_the_gravest_line_is_quoted_with_its_innermost_error_whole() -> None:
    lines = [
        'time="2026-11-27T00:00:00Z" level=fatal msg="starting: preparing: disk is gone"',
        "E1127 00:00:00.000000       1 a.go:1] it failed",
        "I1127 00:00:00.000000       1 a.go:1] Recently we had an error",
        "all is well",
    ]
    assert sort_by_gravity(lines) == lines[:3]
    assert quote_line(lines[0]) == "starting: preparing: disk is gone"
    assert quote_line(
        '{"level":"fatal","msg":"discovery failed","error":"member 0a has already been bootstrapped"}'
    ) == ("discovery failed: member 0a has already been bootstrapped")
    long = f"{'a' * 900}: could not: no room"
    assert (
        quote_line(long).startswith("…")
        and quote_line(long).endswith("could not: no room")
        and len(quote_line(long)) <= 501
    )
    assert find_reason("\n".join(lines), None) == "starting: preparing: disk is gone"
    key = "-----BEGIN PRIVATE KEY-----\nerror: failed\n"
    assert find_reason(key, recognise(key)) is None


@pytest.mark.parametrize("field", ['"Error": "",', "err=<nil>", "error=null", '"err":""'])
def test_a_field_for_an_error_that_there_was_none_of_is_no_reason(field: str) -> None:
    assert find_reason(f'"ExitCode": 137,\n{field}\n"Dead": false', None) is None
    assert find_reason(f"{field}\nerror: disk is gone", None) == "error: disk is gone"


def test_a_kubelet_that_is_down_is_asked_for_its_log() -> None:
    line = "[kubelet-check] It seems like the kubelet isn't running or healthy."
    told = run_next(line, recognise(line))
    assert told is not None and "journalctl -u kubelet" in told.en


def test_a_symptom_alone_makes_nothing_likely() -> None:
    about = Ref("Pod", "shop", "web-0")
    fact = Failure(
        about=about, src=Source("t:1", "no"), operation="volume-attach", error="attacher-silent", whole=False
    )
    said: Sign[Failure] = Sign(True, (fact,), (fact,))
    found = Finding(Text("a", "a"), about, (about,))
    likely = judge(Signs(lambda: found, {}, supporting={"a message says so": said}), Sign(True))
    assert isinstance(likely, Match) and likely.confidence == "likely"
    open_ = judge(Signs(lambda: found, {}, supporting={"a message says so": symptom(said)}), Sign(True))
    assert isinstance(open_, Undecided) and open_.possible
    beside = judge(
        Signs(lambda: found, {}, supporting={"a message says so": symptom(said), "another": said}), Sign(True)
    )
    assert isinstance(beside, Match)


@pytest.mark.parametrize(
    "line",
    [
        'I1127 00:00:00.000000       1 event.go:1] Event(v1.ObjectReference{Kind:"Service", '
        'Namespace:"shop", Name:"web", UID:"u"}): '
        "type: 'Warning' reason: 'UpdateLoadBalancerFailed' listener of the balancer is of another owner",
        'Event(v1.ObjectReference{Kind:"Service", Namespace:"shop", Name:"web", UID:"u"}): '
        "type: 'Warning' reason: 'UpdateLoadBalancerFailed' listener of the balancer is of another owner",
        '{"level":"debug","ts":"2026-11-27T00:00:00Z","logger":"events","msg":"listener of the balancer is '
        'of another owner",'
        '"type":"Warning","object":{"kind":"Service","namespace":"shop","name":"web"},'
        '"reason":"UpdateLoadBalancerFailed"}',
    ],
    ids=["klog", "bare", "zap"],
)
def test_a_warning_about_what_no_cause_is_about_is_told_in_its_own_words(line: str) -> None:
    (told,) = rank_diagnoses_of_text(
        Snapshot(read_text(line, "paste.txt", AT).facts, AT, ("file:paste.txt",)), discover()
    )
    assert told.subject == Ref("Service", "shop", "web") and not told.causes
    assert told.next[0].command.line == "unstuck why service/web -n shop"


def test_a_certificate_is_asked_for_by_the_name_that_its_client_connected_to() -> None:
    text = (
        "openssl s_client -connect till.example.com:443 </dev/null\n\n"
        "subject=/O=Acme Co/CN=Kubernetes Ingress Controller Fake Certificate\n"
    )
    said = run_next(text, recognise(text))
    assert said and "-connect till.example.com:443 -servername till.example.com" in said.en


def test_an_object_without_a_name_is_called_by_its_kind_in_a_sentence() -> None:
    unnamed = Ref("Node", block="paste.txt:1-2")
    assert who(unnamed) == "Node" and told_apart(unnamed) == "Node paste.txt:1-2"
    assert who(Ref("Pod", "shop", "web-0")) == told_apart(Ref("Pod", "shop", "web-0"))


@pytest.mark.parametrize(
    "end",
    [
        "panic: exit status 1",
        "FATAL exiting",
        "Error: command failed with exit code 1",
        "level=fatal msg=terminated",
    ],
)
def test_a_line_that_only_ends_a_program_stands_below_the_one_that_says_over_what(end: str) -> None:
    reason = "cannot find the ring of store 7"
    assert sort_by_gravity([reason, end])[0] == reason
    assert sort_by_gravity(["all is well", end]) == [end]
