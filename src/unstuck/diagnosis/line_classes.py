"""Classes of lines by subject, each with the look that fits it: the table behind the command to run next.

A class is a family of errors (a refused right, no server, no free address), or the operation that failed (a
release, a reconciliation, etcd); no row is about one fault. The groups of a row are the parts of the line
that it needs.
"""

from __future__ import annotations

import re

from unstuck.diagnosis import class_commands as by
from unstuck.diagnosis import look_commands
from unstuck.diagnosis.line_class import LineClass, list_looks
from unstuck.diagnosis.line_parts import (
    KIND_WORD,
    NAME,
    SPACE,
    find_asked_host,
    find_namespace,
    find_release,
    look_at_named,
    look_at_reconciled,
    look_here,
)
from unstuck.diagnosis.looking import NamedLook
from unstuck.diagnosis.text import Messages
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex

say = Messages(__name__)

_MAY = say("whether the API server allows it; if it says no: the roles that are bound to this user")
_LOGIN = say("with which user, certificate, token or plugin kubectl logs in, and where")
_IDENTITY = say("under which cloud identity each controller works; then its policies")
_POLICIES = say("which policies this role has")
_SUBNETS = say("which subnets have free addresses, and how they are tagged")
_SERVED = say("in which versions the cluster serves this API, if at all")
_REVISIONS = say("which revision is unfinished; then, whether another Helm still runs")
_RELEASE = say("what became of the release's objects")
_WAITED = say("which Job or Pod is not done yet, or has failed; then, its log")
_RENDERING = say("what it says where it renders the manifests")
_SOLVERS = say(
    "whether the solver's Ingress and Pod are there and of the right class; then what answers at the "
    "challenge's URL"
)
_BY_NAME = say(
    "whether another certificate is presented for this server name (SNI): an Ingress controller presents its "
    "default one for a request without a host, or for a host without a valid TLS Secret"
)
_MOUNTED = say(
    "whether it is there under the name that the Pod's volumes have; then the Pod's later events: at a "
    "start this passes by itself"
)
_RECONCILED = say("what it says of all that it applies")
_REFUSED = say("what the server says of the manifest itself")
_MEMBERS = say("which members etcd knows, and whether this is one of them; on a member that answers")
ROOM = say("how full etcd is, and whether an alarm keeps it from writing; on a control plane machine")
_HEALTH = say("which members of etcd answer; on a control plane machine")
_DNS = say("whether the cluster's name server runs, and what it says")
_ATTACHMENT = say("its finalizers, whether it is being deleted, and whether it is attached")
_RESTARTED = say("whether the Pods of that server were restarted then; next, their log with --previous")
_SPEAKS = say("what this program says besides")
_OF_ITS_CONTAINER = say("what is mounted in it, and what its container is told")
_BRIDGE = say("how many addresses the bridge of that machine has, and how many containers run there")
_MESH = say("whether the control plane of the mesh runs, and its log says that this proxy connects")
BUDGETS = say("which PodDisruptionBudget allows none, and how many replicas stand behind it")

# The first row that matches a line counts: refused rights come before the attempt, and an error before its
# speaker.
CLASSES: tuple[LineClass, ...] = (
    LineClass(
        "forbidden",
        regex(
            r"User \\*\"(?P<user>[^\"\\\s]{1,253})\\*\" cannot (?P<verb>[a-z]{1,20}) resource \\*\""
            r"(?P<resource>[a-z0-9./-]{1,200})\\*\" "
            r"in API group \\*\"(?P<group>[a-z0-9.-]{0,200})\\*\"(?: in the namespace \\*\""
            rf"(?P<space>{SPACE})\\*\")?"
        ),
        lambda m, _: look_here(
            by.can(m["user"], m["verb"], ".".join(filter(None, (m["resource"], m["group"]))), m["space"]),
            _MAY,
        ),
    ),
    LineClass(
        "login",
        # kubectl's words for the API server's 401: k8s.io/kubectl pkg/cmd/util/helpers.go.
        regex(
            r"You must be logged in to the server|the server has asked for the client to provide credentials"
            r"|^Unable to connect to the server: |\bKubernetes cluster unreachable: "
        ),
        lambda _, __: look_here(by.own_login(), _LOGIN),
    ),
    LineClass(
        "kubelet-down",
        # kubeadm cmd/kubeadm/app/util/apiclient/wait.go: only its own log gives the reason.
        regex(r"\[kubelet-check\]|[Tt]he kubelet is(?: not|n't) (?:running|healthy)|:10248/healthz"),
        lambda _, __: NamedLook(look_commands.unit_log("kubelet"), _SPEAKS),
    ),
    LineClass(
        "cloud-role",
        # A name that its reader shortened by dots is none that a command finds.
        regex(
            r"assumed-role/(?![^/\s]{0,64}\.\.)(?P<role>[\w+=,.@-]{1,64})/\S{1,200} "
            r"is not authorized to perform"
        ),
        lambda m, _: look_here(by.aws_role(m["role"]), _POLICIES),
    ),
    LineClass(
        "cloud-identity",
        regex(
            r"\b(?:UnauthorizedOperation|AccessDenied(?:Exception)?:(?! /)|AuthorizationFailed|AuthFailure"
            r"|PERMISSION_DENIED"
            r"|insufficient authentication scopes|is not authorized to perform|WebIdentityErr"
            r"|NoCredentialProviders|InvalidIdentityToken)"
        ),
        lambda _, __: look_here(by.cloud_identities(), _IDENTITY),
    ),
    LineClass(
        "cloud-subnet",
        regex(
            r"InsufficientCidr|InsufficientFreeAddressesInSubnet|\bsubnets?\b.{0,80}\b(?:ELB|NLB|ALB"
            r"|[Ll]oad ?[Bb]alancer)|no subnets found"
        ),
        lambda _, __: look_here(by.aws_subnets(), _SUBNETS),
    ),
    LineClass(
        "not-served",
        regex(r"no matches for kind \\*\"\w{1,63}\\*\" in version \\*\"(?P<group>[a-z0-9.-]{1,253})/v"),
        lambda m, _: look_here(by.versions_of(m["group"]), _SERVED),
    ),
    LineClass(
        "release-locked",
        regex(
            r"another operation \([a-z/]{1,60}\) is in progress|has no deployed releases|cannot re-use a "
            r"name that is still in use"
        ),
        lambda _, around: look_here(
            by.helm_history(find_release(around), find_namespace(around)), _REVISIONS
        ),
    ),
    LineClass(
        "release-waiting",
        regex(
            r"\b(?:pre|post)-(?:install|upgrade|delete|rollback) hooks? failed|\bhook .{0,80}timed out"
            r"|\b(?:UPGRADE|INSTALLATION|ROLLBACK) FAILED: .{0,200}(?:timed out waiting|deadline exceeded"
            r"|not ready)"
        ),
        lambda _, around: look_here(by.jobs(find_namespace(around)), _WAITED),
        frame=True,
    ),
    LineClass(
        "release",
        regex(r"\b(?:UPGRADE|INSTALLATION|ROLLBACK) FAILED\b|\brelease \S{1,60} failed\b"),
        lambda _, around: look_here(by.helm_status(find_release(around), find_namespace(around)), _RELEASE),
        frame=True,
    ),
    LineClass(
        "release-timeout",
        # cobra's capital E: helm and programs that call it; kubectl writes `error: `.
        regex(
            r"^(?:[│|] ?)?\s*Error: (?:.{0,200}: )?(?:timed out waiting for the condition|context deadline "
            r"exceeded)\s*$"
        ),
        lambda _, around: look_here(by.helm_status(find_release(around), find_namespace(around)), _RELEASE),
        frame=True,
    ),
    LineClass(
        "argo-rendering",
        regex(
            r"\bComparisonError\b|[Mm]anifest generation error|`(?:kustomize|helm|jsonnet)\b.{1,600}?` failed"
        ),
        lambda _, __: look_here(by.log_of(Ref("Deployment", "argocd", "argocd-repo-server")), _RENDERING),
        frame=True,
    ),
    LineClass(
        "acme-challenge",
        regex(
            r"\b(?:http-01|HTTP-?01|HTTP01)\b.{0,200}(?:propagation|self check|status code)"
            r"|/\.well-known/acme-challenge/"
        ),
        lambda _, __: look_here(by.solvers(), _SOLVERS),
    ),
    LineClass(
        "default-certificate",
        # ingress-nginx internal/net/ssl/ssl.go (GetFakeSSLCert), Traefik pkg/tls/generate/generate.go.
        regex(r"\bCN ?= ?(?:Kubernetes Ingress Controller Fake Certificate|TRAEFIK DEFAULT CERT)"),
        lambda _, around: look_here(by.certificate_by_name(find_asked_host(around)), _BY_NAME),
    ),
    LineClass(
        "object-cache",
        regex(r"failed to sync (?P<kind>secret|configmap) cache"),
        lambda m, around: look_here(by.mounted_objects(m["kind"], find_namespace(around)), _MOUNTED),
    ),
    LineClass(
        "argo-sync",
        regex(r"\bSyncError\b|one or more (?:objects|synchronization tasks)"),
        lambda _, __: look_here(by.applications(), _RECONCILED),
        frame=True,
    ),
    LineClass(
        "flux-applying",
        regex(r"\b(?:Kustomization|HelmRelease) reconciliation failed: \w{1,63}/|dry-run failed"),
        lambda _, __: look_here(by.dry_run(), _REFUSED),
        frame=True,
    ),
    LineClass(
        "flux",
        regex(r"\b(?:Kustomization|HelmRelease|HelmChart) reconciliation failed"),
        lambda _, __: look_here(by.flux_objects(), _RECONCILED),
        frame=True,
    ),
    LineClass(
        "eviction",
        regex(
            r"(?:evict\w{0,6} pods?/? ?\\*\"?\S{1,253}\\*\"? -n \\*\"(?P<space>[a-z0-9-]{1,63})|violate the "
            r"pod's disruption budget)"
        ),
        lambda m, around: look_here(by.budgets(m["space"] or find_namespace(around)), BUDGETS),
    ),
    LineClass(
        "etcd-members",
        regex(
            r"already been bootstrapped|\bcluster ID mismatch\b|\b(?:etcdmain|rafthttp)/"
            r"|\bmember count is unequal|\bunmatched member"
        ),
        lambda _, __: NamedLook(by.etcd_members(), _MEMBERS),
    ),
    LineClass(
        "etcd-room",
        regex(r"database space exceeded|alarm:NOSPACE"),
        lambda _, __: NamedLook(by.etcd_room(), ROOM),
    ),
    LineClass(
        "etcd",
        regex(r"\betcdserver: |\b(?:etcdserver|mvcc|raft)/\w{1,40}\.go"),
        lambda _, __: NamedLook(by.etcd_health(), _HEALTH),
        frame=True,
    ),
    LineClass(
        "bridge-addresses",
        regex(r"no available (?:ip|IPv4|IPv6) address(?:es)?(?: on)?"),
        lambda _, __: NamedLook(by.bridge_addresses(), _BRIDGE),
    ),
    LineClass(
        "name-server",
        # A program not known to run on the node itself uses the cluster's name server.
        regex(
            r"^(?!.{0,3000}?(?:\b(?:kubelet|containerd|dockerd|crio|k3s|rke2)\b|[Pp]ull|\bimages?\b"
            r"|/manifests/)).{0,3000}?"
            r"\blookup \S{1,253} on (?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}:53: "
        ),
        lambda _, __: look_here(by.cluster_dns(), _DNS),
    ),
    LineClass(
        "record-of-controller",
        # sigs.k8s.io/controller-runtime pkg/internal/controller/controller.go, in JSON or klogr's fields, in
        # any order.
        regex(
            r"^(?=.*?\"(?:controllerKind|reconciler kind)\"(?:: ?|=)\"(?P<kind>[A-Z][A-Za-z]{1,60})\")"
            rf"(?=.*?\"name\"(?:: ?|=)\"(?P<name>{NAME})\")"
            rf"(?:(?=.*?\"namespace\"(?:: ?|=)\"(?P<space>{SPACE})\"))?"
            r"(?:(?=.*?\"(?:controllerGroup|reconciler group)\"(?:: ?|=)\"(?P<group>[a-z0-9.-]{1,200})\"))?"
        ),
        lambda m, _: look_at_reconciled(m),
    ),
    LineClass(
        "node-pool",
        # karpenter pkg/controllers/provisioning/scheduling/scheduler.go.
        regex(rf"incompatible with (?P<kind>nodepool|provisioner) \\*\"(?P<name>{NAME})\\*\""),
        lambda m, _: look_at_reconciled(m),
    ),
    LineClass(
        "xds",
        # Envoy source/extensions/config_subscription/grpc/grpc_stream.h; Istio pkg/istio-agent/xds_proxy.go.
        regex(r"gRPC config stream (?:to \S{1,80} )?closed|\bxdsproxy\b"),
        lambda _, __: look_here(by.pods_of_mesh(), _MESH),
    ),
    LineClass(
        "attachment",
        regex(r"\b(?P<name>csi-[0-9a-f]{64})\b"),
        lambda m, _: NamedLook(
            look_commands.whole(Ref("VolumeAttachment", None, m["name"])), _ATTACHMENT, on_node=False
        ),
    ),
    LineClass(
        "object-in",
        regex(
            rf"(?<![\w./-])(?P<kind>{KIND_WORD}) (?:resource )?\\*\"?(?P<name>{NAME})\\*\"? in (?:the "
            r")?namespace \\*\"?"
            rf"(?P<space>{SPACE})\b",
            re.I,
        ),
        lambda m, _: look_at_named(m),
    ),
    LineClass(
        "container-of",
        # As k9s ends a container's log.
        regex(rf"Stream closed \w{{1,20}} for (?P<space>{SPACE})/(?P<name>{NAME}) \("),
        lambda m, _: NamedLook(
            look_commands.whole(Ref("Pod", m["space"], m["name"])), _OF_ITS_CONTAINER, on_node=False
        ),
    ),
    LineClass(
        "connection-cut",
        regex(
            r"connection reset by peer|\bECONNRESET\b|socket hang up|closed the connection unexpectedly"
            r"|Lost connection to M|server has gone away|closed prematurely|transport is closing"
            r"|: unexpected EOF|Remote end closed|Empty reply from server"
        ),
        lambda _, __: look_here(by.pods_by_restarts(), _RESTARTED),
    ),
)


def look_of_class(line: str, around: str = "") -> NamedLook | None:
    """Return the look for a line's class; None if it has none. around: the whole paste, for names that the
    line lacks.
    """
    return next(list_looks(CLASSES, line, around or line), None)


def look_of_error(line: str, around: str = "") -> NamedLook | None:
    """Return the look that the failure itself calls for, whichever program reported it; None if the line's
    class calls for none. around: as above.
    """
    return next(list_looks(tuple(one for one in CLASSES if not one.frame), line, around or line), None)
