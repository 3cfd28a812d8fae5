"""Answers of the API server, and of other servers that a program logs on to."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words
from unstuck.wording.refused import FORBIDDEN

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "extension-unreached",
        words(
            r"failing or missing response from https://(?P<name>[\w.-]{1,253}|\[[0-9a-f:]{2,45}\]):(?P<port>\d{1,5})(?:/apis/(?P<group>[a-z0-9.-]{1,253})/"
            r"(?P<resource>v\w{1,20}))?/?: (?P<reason>\S.{1,600})"
            r"|endpoints for service/(?P<name_2>[a-z0-9-]{1,63}) in \"(?P<namespace>[a-z0-9-]{1,63})\" have no addresses"
            r"|service/(?P<name_3>[a-z0-9-]{1,63}) in \"(?P<namespace_2>[a-z0-9-]{1,63})\" (?:cannot be accessed due to error: .{1,40} not found|is (?P<verb>not present))"
        ),
        ("failing or missing response from ", " have no addresses", "is not present", "cannot be accessed"),
        (
            Seen(
                "kube-apiserver",
                "1.7–1.34",
                "staging/src/k8s.io/kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go",
            ),
        ),
        (
            Example(
                "failing or missing response from https://10.8.0.7:8443/apis/metrics.k8s.io/v1beta1: bad status from https://10.8.0.7:8443/apis/metrics.k8s.io/v1beta1: 403",
                "extension-unreached group=metrics.k8s.io name=10.8.0.7 port=8443 reason=bad status from "
                "https://10.8.0.7:8443/apis/metrics.k8s.io/v1beta1: 403 resource=v1beta1",
            ),
            Example(
                'endpoints for service/metrics in "shop" have no addresses with port name "https"',
                "extension-unreached name=metrics namespace=shop",
            ),
            Example(
                'service/metrics in "shop" is not present',
                "extension-unreached name=metrics namespace=shop verb=not present",
            ),
        ),
    ),
    LastWord(
        "forbidden",
        words(FORBIDDEN),
        ("forbidden: User", "revoked. User"),
        (
            Seen(
                "kube-apiserver",
                "1.12–1.34",
                "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go",
            ),
        ),
        (
            Example(
                'error: pods is forbidden: User "system:serviceaccount:x-more:default" cannot list resource "pods" in API group "" in the namespace "x-more"',
                "forbidden name=system:serviceaccount:x-more:default namespace=x-more resource=pods verb=list",
            ),
            Example(
                'E1121 03:00:00.0 1 reflector.go:150] Failed to watch *v1.Lease: leases.coordination.k8s.io is forbidden: User "system:serviceaccount:op:ctl" cannot watch resource "leases" in API group "coordination.k8s.io" at the cluster scope',
                "forbidden group=coordination.k8s.io name=system:serviceaccount:op:ctl resource=leases verb=watch",
            ),
        ),
    ),
    LastWord(
        "storage-full",
        words(r"etcdserver: mvcc: database space exceeded|etcdserver: no space(?! left)"),
        ("database space exceeded", "etcdserver: no space"),
        (Seen("etcd", "3.1–3.6", "api/v3rpc/rpctypes/error.go"),),
        (
            Example(
                'Failed to update status for pod "web": etcdserver: mvcc: database space exceeded',
                "storage-full",
            ),
            Example("Error from server: etcdserver: mvcc: database space exceeded", "storage-full"),
        ),
    ),
    LastWord(
        "api-not-served",
        words(
            r"no matches for kind \"(?P<name>[\w.]{1,120})\" in (?:version|group) \"(?P<group>[\w./-]{1,253})\""
            r"|(?:the server )?could not find the requested resource \((?:get|list|watch|post|put|patch|delete) (?P<name_5>[a-z]{2,60}\.[a-z0-9.-]{2,200})\)"
            r"|the server could not find the requested resource"
            r"|\b(?P<group_2>[a-z0-9.-]{3,200}/v\d\w{0,12}): the server could not find the requested resource"
            r"|could not find the requested resource|no kind is registered for the type|the server doesn't have a resource type \"(?P<name_2>[\w.-]{1,120})\""
            r"|no matches for (?P<group_3>[a-z0-9.-]{3,200}/v\d\w{0,12}), Resource=(?P<name_3>[a-z]{1,80})"
            # Helm 2, pkg/tiller/hooks.go; Argo CD's gitops-engine, pkg/sync/sync_context.go.
            r"|apiVersion \"(?P<group_4>[\w./-]{2,253})\" in \S{1,300} is not available"
            r"|Kubernetes API could not find (?P<group_5>[a-z0-9.-]{3,200})/(?P<name_4>[A-Z]\w{1,80}) for requested resource"
        ),
        (
            *(
                "no matches for ",
                "could not find the requested resource",
                "no kind is registered",
                "have a resource type",
            ),
            *("apiVersion ", "Kubernetes API could not find"),
        ),
        (
            Seen("apimachinery", "1.6–1.34", "staging/src/k8s.io/apimachinery/pkg/api/meta/errors.go"),
            Seen("apimachinery", "1.6–1.34", "staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go"),
        ),
        (
            Example(
                'error: unable to recognize "app.yaml": no matches for kind "Ingress" in version "extensions/v1beta1"',
                "api-not-served group=extensions/v1beta1 name=Ingress",
            ),
            Example(
                "failed to list *v1beta1.CronJob: the server could not find the requested resource",
                "api-not-served",
            ),
            Example(
                "Failed to list *v1alpha2.Widget: the server could not find the requested resource (get widgets.shop.example.io)",
                "api-not-served name=widgets.shop.example.io",
            ),
            Example(
                'error: the server doesn\'t have a resource type "widgets"', "api-not-served name=widgets"
            ),
            Example(
                'Error: apiVersion "monitoring.coreos.com/v1" in web/templates/monitor.yaml is not available',
                "api-not-served group=monitoring.coreos.com/v1",
            ),
            Example(
                'The Kubernetes API could not find monitoring.coreos.com/ServiceMonitor for requested resource shop/web. Make sure the "ServiceMonitor" CRD is installed on the destination cluster.',
                "api-not-served group=monitoring.coreos.com name=ServiceMonitor",
            ),
        ),
    ),
    LastWord(
        "credentials-refused",
        words(
            r"password authentication failed for user \"(?P<name>[^\"]{1,80})\"|[Aa]ccess denied for user '(?P<name_2>[^']{1,80})'"
            r"|no pg_hba\.conf entry for host|role \"(?P<name_3>[^\"]{1,80})\" does not exist|WRONGPASS|NOAUTH Authentication required|ACCESS_REFUSED"
            r"|[Aa]uthentication (?:failed|failure)\b|[Ll]ogin failed for user '(?P<name_4>[^']{1,80})'|InvalidAccessKeyId|SignatureDoesNotMatch"
            r"|ExpiredToken|InvalidClientTokenId|[Tt]oken (?:has |is )?expired|[Ii]nvalid (?:username or password|credentials|username-password pair)"
            r"|Permission denied \(publickey|: Unauthorized\"?$|err(?:or)?=\"?Unauthorized\b|asked for the client to provide credentials|must be logged in to the server"
            r"|\b401 Unauthorized\b|status(?: code)?:? 401\b|[Aa]uth_?(?:error|failed)"
        ),
        (
            *(
                "authentication failed",
                "Authentication failed",
                "uthentication failure",
                "denied for user",
                "pg_hba",
                "does not exist",
                "WRONGPASS",
                "NOAUTH",
                "ACCESS_REFUSED",
            ),
            *(
                "ogin failed",
                "InvalidAccessKeyId",
                "SignatureDoesNotMatch",
                "ExpiredToken",
                "InvalidClientTokenId",
                "xpired",
                "nvalid ",
                "publickey",
            ),
            *(
                "Unauthorized",
                "provide credentials",
                "logged in to the server",
                "401",
                "uth_",
                "utherror",
                "uthfailed",
            ),
        ),
        (
            Seen("PostgreSQL", "8–17", "src/backend/libpq/auth.c"),
            Seen("MySQL", "5–9", "share/messages_to_clients.txt"),
            Seen("Redis", "2–8", "src/acl.c"),
            Seen("RabbitMQ", "3–4", "deps/rabbit/src/rabbit_reader.erl"),
        ),
        (
            Example(
                'FATAL: password authentication failed for user "orders"', "credentials-refused name=orders"
            ),
            Example(
                "ERROR 1045 (28000): Access denied for user 'app'@'10.244.1.7' (using password: YES)",
                "credentials-refused name=app",
            ),
            Example("WRONGPASS invalid username-password pair or user is disabled.", "credentials-refused"),
            Example("token expired", "credentials-refused"),
            Example(
                "E1121 03:00:00.0 1 reflector.go:150] Failed to watch *v1.Pod: failed to list *v1.Pod: Unauthorized",
                "credentials-refused",
            ),
            Example("error: You must be logged in to the server (Unauthorized)", "credentials-refused"),
        ),
        # The program's own check of its input: no server was asked.
        unless=("from the shell environment", "too short", "too weak", "length should be", "length must be"),
    ),
)
