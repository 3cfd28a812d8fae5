"""Clients' words about the far side: its SSH key, its silence, the path from outside, and the first checks of
a cluster's tools.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, PATH, LastWord, words

_SSH = Seen("OpenSSH", "3–10", "sshconnect.c")
_KUBEADM = Seen("kubeadm", "1.4–1.34", "cmd/kubeadm/app/preflight/checks.go")
_ACME = Seen("cert-manager", "0.5–1", "pkg/issuer/acme/http/http.go, pkg/controller/acmechallenges/sync.go")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "preflight-refused",
        words(
            r"\[ERROR (?P<name>[A-Z][\w./-]{1,120})\]: (?P<reason>[^\s\"\\][^\"\\]{2,300})"
            r"|(?P<reason_2>(?P<path>/proc/sys/net/[\w/.-]{3,100}) (?:contents are not set to \d|does not exist))"
        ),
        ("[ERROR ", "/proc/sys/net/"),
        (_KUBEADM,),
        (
            Example(
                "\t[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2",
                "preflight-refused name=NumCPU reason=the number of available CPUs 1 is less than the required 2",
            ),
            Example(
                "\t/proc/sys/net/bridge/bridge-nf-call-iptables contents are not set to 1",
                "preflight-refused path=/proc/sys/net/bridge/bridge-nf-call-iptables "
                "reason=/proc/sys/net/bridge/bridge-nf-call-iptables contents are not set to 1",
            ),
        ),
    ),
    LastWord(
        "join-refused",
        words(
            r"(?P<reason>could not find a JWS signature in the cluster-info ConfigMap for token ID \"(?P<name>[\w*]{1,16})\"|(?P<verb>invalid discovery token CA certificate hash)[^\n]{0,120}"
            r"|cluster CA found in cluster-info ConfigMap is invalid: none of the public keys \"?(?P<verb_2>sha256)[^\n]{0,200}"
            r"|\"(?P<verb_3>kubeadm-certs)\" was not found[^\n.]{0,80}"
            r"|token id \"?(?P<name_2>[\w*]{1,16})\"? is invalid for this cluster or it has expired)"
        ),
        (
            "JWS signature",
            "discovery token CA",
            "cluster-info ConfigMap is invalid",
            "kubeadm-certs",
            "is invalid for this cluster",
        ),
        (
            Seen(
                "kubeadm",
                "1.8–1.34",
                "cmd/kubeadm/app/discovery/token/token.go, util/pubkeypin/pubkeypin.go, phases/copycerts/copycerts.go",
            ),
        ),
        (
            Example(
                'couldn\'t validate the identity of the API Server: could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
                'join-refused name=abcdef reason=could not find a JWS signature in the cluster-info ConfigMap for token ID "abcdef"',
            ),
            Example(
                'error downloading certs: error downloading the secret: Secret "kubeadm-certs" was not found in the "kube-system" Namespace.',
                'join-refused reason="kubeadm-certs" was not found in the "kube-system" Namespace verb=kubeadm-certs',
            ),
            Example(
                'Failed to connect to API Server "10.0.0.1:6443": token id "abcdef" is invalid for this cluster or it has expired.',
                'join-refused name=abcdef reason=token id "abcdef" is invalid for this cluster or it has expired',
            ),
        ),
    ),
    LastWord(
        "host-key-unknown",
        words(
            r"(?P<reason>knownhosts: key (?:is unknown|(?P<verb>mismatch))|(?:No (?:[\w-]{2,20} )?host key is known for|[\w-]{2,20} host key for) \[?(?P<name>[\w.:*-]{1,253}?)\]?(?::\d{1,5})?"
            r" (?:(?P<verb_2>has changed) )?and you have requested strict checking|(?:^|(?<=[:;|\"\]] )|(?<=\\n)|(?<=\\r))Host key verification failed(?=[.\\\"]|\s*$)|(?P<verb_3>REMOTE HOST IDENTIFICATION HAS CHANGED)"
            rf"|UnknownHostKey: (?P<name_2>{HOST})|HostKey (?P<verb_4>has been changed)|[Ss]erver '?\[?(?P<name_3>{HOST})\]?(?::\d{{1,5}})?'? not found in known_hosts"
            r"|invalid or unknown remote ssh hostkey|hostkey could not be verified)"
        ),
        ("knownhosts: ", "host key", "Host key", "HOST IDENTIFICATION", "HostKey", "known_hosts", "hostkey"),
        (
            _SSH,
            Seen("golang.org/x/crypto/ssh/knownhosts", "all", "knownhosts.go"),
            Seen("JSch", "0.1–2", "Session.java"),
            Seen("paramiko", "2–4", "client.py"),
            Seen("libgit2", "1", "src/libgit2/transports/ssh_libssh2.c"),
        ),
        (
            Example(
                "ssh: handshake failed: knownhosts: key is unknown",
                "host-key-unknown reason=knownhosts: key is unknown",
            ),
            Example(
                "ssh: handshake failed: knownhosts: key mismatch",
                "host-key-unknown reason=knownhosts: key mismatch verb=mismatch",
            ),
            Example(
                "No ECDSA host key is known for git.example.com and you have requested strict checking.",
                "host-key-unknown name=git.example.com reason=No ECDSA host key is known for git.example.com and you have "
                "requested strict checking",
            ),
        ),
    ),
    LastWord(
        "credentials-refused",
        words(
            r"(?P<name>[\w.-]{1,60}@[\w.-]{1,253}): Permission denied \(publickey|could not read (?:Username|Password) for '(?P<name_2>https?://[^'\s]{1,253})'"
            r"|unable to clone '(?P<name_3>[^'\s]{1,300})': (?:authentication required|(?:ssh: handshake failed: )?ssh: unable to authenticate)"
            r"|fatal: Authentication failed for '(?P<name_4>https?://[^'\s]{1,253})'|ssh: unable to authenticate, attempted methods \["
            # go-git plumbing/transport: a server that hides private repositories reports them as missing.
            r"|(?:^|desc = |: )authentication required: Repository not found"
            # Registries say `unauthorized: ` before it, and are read as pulls of images.
            r"|(?<!nauthorized)(?:desc = |: )authentication required(?=[\"'\s]{0,4}$)"
        ),
        (
            "publickey",
            "could not read ",
            "unable to clone",
            "Authentication failed for '",
            "attempted methods",
            "authentication required",
        ),
        (
            _SSH,
            Seen("git", "1.8–2", "credential.c, http.c"),
            Seen("Flux source-controller", "0.1–1", "pkg/git/gogit/client.go"),
            Seen("golang.org/x/crypto/ssh", "all", "client_auth.go"),
        ),
        (
            Example(
                "git@git.example.com: Permission denied (publickey).",
                "credentials-refused name=git@git.example.com",
            ),
            Example(
                "fatal: could not read Username for 'https://git.example.com': terminal prompts disabled",
                "credentials-refused name=https://git.example.com",
            ),
            Example(
                "failed to checkout: unable to clone 'https://git.example.com/a/b': authentication required",
                "credentials-refused name=https://git.example.com/a/b",
            ),
            Example(
                "rpc error: code = Unknown desc = authentication required: Repository not found.",
                "credentials-refused",
            ),
            Example(
                "failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = authentication required",
                "credentials-refused",
            ),
            Example(
                "ssh: handshake failed: ssh: unable to authenticate, attempted methods [none publickey]",
                "credentials-refused",
            ),
        ),
        own=True,
    ),
    LastWord(
        "ownership-refused",
        words(
            rf"\b(?:chown|chgrp|chmod): (?:(?:changing (?:ownership|group|permissions) of|cannot access) )?['‘\"`]?(?P<path>{PATH})['’\"`]?:? (?P<reason>Operation not permitted|Permission denied|Invalid "
            "argument)"
            rf"|could not (?:change|set) permissions of (?:directory|file) \"(?P<path_2>{PATH})\": (?P<reason_2>Operation not "
            "permitted|Permission denied)"
            rf"|\b(?:chown|chmod) (?P<path_3>{PATH}): (?P<reason_3>operation not permitted|permission denied)"
        ),
        ("chown", "chgrp", "chmod", "permissions of "),
        (
            Seen("coreutils", "8–9", "src/chown-core.c, src/chmod.c"),
            Seen("busybox", "1", "coreutils/chown.c"),
            Seen("PostgreSQL", "8–18", "src/bin/initdb/initdb.c"),
            Seen("Go", "1.0–1.25", "src/os/file_posix.go"),
        ),
        (
            Example(
                "chown: changing ownership of '/var/lib/postgresql/data': Operation not permitted",
                "ownership-refused path=/var/lib/postgresql/data reason=Operation not permitted",
            ),
            Example(
                "chown: /var/lib/mysql: Operation not permitted",
                "ownership-refused path=/var/lib/mysql reason=Operation not permitted",
            ),
            Example(
                'initdb: error: could not change permissions of directory "/data/pg": Operation not permitted',
                "ownership-refused path=/data/pg reason=Operation not permitted",
            ),
            Example(
                "failed to start: chown /data/db: operation not permitted",
                "ownership-refused path=/data/db reason=operation not permitted",
            ),
        ),
    ),
    LastWord(
        "requests-limited",
        words(
            r"urn:ietf:params:acme:error:(?P<verb>rateLimited)\b(?:: )?(?P<reason>[^\"\n]{0,200})|(?P<reason_2>API rate limit (?:already )?exceeded for [^\"\n]{3,80})"
            r"|\bThrottling(?:Exception)?: (?P<reason_3>Rate exceeded)"
        ),
        ("acme:error:rateLimited", "API rate limit ", "Throttling"),
        (Seen("RFC 8555", "2019", "section 6.7"), Seen("GitHub", "v3", "REST API: rate limits")),
        (
            Example(
                "Failed to create Order: 429 urn:ietf:params:acme:error:rateLimited: too many certificates already issued",
                "requests-limited reason=too many certificates already issued verb=rateLimited",
            ),
            Example(
                "GET https://api.github.com/repos/a/b: 403 API rate limit exceeded for 10.0.0.1",
                "requests-limited reason=API rate limit exceeded for 10.0.0.1",
            ),
            Example(
                "records retrieval failed: failed to list hosted zones: Throttling: Rate exceeded",
                "requests-limited reason=Rate exceeded",
            ),
        ),
    ),
    LastWord(
        "challenge-unanswered",
        words(
            r"[Ww]aiting for (?P<verb>HTTP-01|http-01) challenge propagation: (?P<reason>wrong status code '(?P<at>\d{3})'[^\"\n]{0,40}|did not (?:get expected|return the expected) response[^\"\n]{0,160})"
            r"|[Ww]aiting for (?P<verb_2>DNS-01|dns-01) challenge propagation: (?P<reason_2>DNS record for \"(?P<name>[^\"]{1,253})\" not yet "
            "propagated)"
            r"|(?P<verb_4>urn:ietf:params:acme:error:caa): (?P<reason_4>[^\"\n]{3,200})"
            # The controller's own look, as its log has it.
            r"|propagation check failed(?:: |\\?\"? \\?\"?err(?:or)?\\?\"?=\\?\")(?:(?P<reason_5>wrong status code '(?P<at_5>\d{3})'[^\"\n]{0,40}|did not get expected response[^\"\n]{0,60})"
            r"|presented key \(.{0,1500}?\) (?P<reason_6>did not match expected)|(?P<reason_7>DNS record for \"(?P<name_7>[^\"]{1,253})\" not yet propagated))"
        ),
        ("challenge propagation: ", "acme:error:caa", "propagation check failed"),
        (_ACME, Seen("RFC 8555", "2019", "section 6.7")),
        (
            Example(
                "Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'",
                "challenge-unanswered at=404 reason=wrong status code '404', expected '200' verb=HTTP-01",
            ),
            Example(
                'Waiting for DNS-01 challenge propagation: DNS record for "app.example.com" not yet propagated',
                'challenge-unanswered name=app.example.com reason=DNS record for "app.example.com" not yet propagated verb=DNS-01',
            ),
            Example(
                "acme: authorization error for example.com: 403 urn:ietf:params:acme:error:caa: CAA record for example.com "
                "prevents issuance",
                "challenge-unanswered reason=CAA record for example.com prevents issuance verb=urn:ietf:params:acme:error:caa",
            ),
            Example(
                '"propagation check failed" err="wrong status code \'503\', expected \'200\'" logger="cert-manager.challenges"',
                "challenge-unanswered at=503 reason=wrong status code '503', expected '200'",
            ),
            Example(
                "I1121 03:00:00.1 1 sync.go:173] propagation check failed: presented key () did not match expected (Fo3.7B1)",
                "challenge-unanswered reason=did not match expected",
            ),
            Example(
                'cert-manager/controller/challenges "msg"="propagation check failed" "error"="DNS record for "app.example.com" not yet propagated"',
                'challenge-unanswered name=app.example.com reason=DNS record for "app.example.com" not yet propagated',
            ),
        ),
    ),
    LastWord(
        "request-unset",
        words(
            r"missing request for (?P<resource>[a-z][\w./-]{2,60})(?: in container (?P<name>[a-z0-9][\w-]{0,62}) of Pod (?P<path>[a-z0-9][a-z0-9.-]{0,252}))?"
        ),
        ("missing request for ",),
        (Seen("kube-controller-manager", "1.2–1.34", "pkg/controller/podautoscaler/replica_calculator.go"),),
        (
            Example(
                "the HPA was unable to compute the replica count: failed to get cpu utilization: missing request for cpu in "
                "container app of Pod web-1",
                "request-unset name=app path=web-1 resource=cpu",
            ),
            Example(
                "failed to get memory utilization: missing request for memory",
                "request-unset resource=memory",
            ),
        ),
    ),
    LastWord(
        "metric-missing",
        words(
            r"unable to get metrics for resource (?P<resource>[a-z][\w./-]{1,60}): (?:unable to fetch metrics from resource metrics API: )?"
            r"(?P<reason>no metrics returned from resource metrics API|the server (?:could not find|is currently unable)[^\n]{1,120}|an error on the server[^\n]{1,120})"
            r"|^(?:error: )?(?P<reason_2>[Mm]etrics API not available|metrics not available yet)"
            r"|(?P<reason_3>the server (?:could not find the requested resource|is currently unable to handle the request)) \(get (?:pods|nodes)\.metrics\.k8s\.io\b"
            r"|\bmetrics API: (?P<reason_4>the server (?:could not find the requested resource|is currently unable to handle the request) \(get \S{1,253}\.(?P<group>(?:external|custom)\.metrics\.k8s\.io))\b"
            r"|^(?:(?P<namespace>[a-z0-9][a-z0-9-]{0,62})\s+)?(?P<name>[a-z0-9][\w.-]{0,252})\s+(?P<path>(?:Deployment|StatefulSet|ReplicaSet|Rollout|DeploymentConfig)/[\w.-]{1,253})"
            r"\s+(?:\w{2,10}: )?<unknown> ?/ ?\d"
        ),
        (
            "unable to get metrics for ",
            "etrics API not",
            "metrics not available",
            ".metrics.k8s.io",
            "<unknown>",
        ),
        (
            Seen("kube-controller-manager", "1.2–1.34", "pkg/controller/podautoscaler/metrics/client.go"),
            Seen("kubectl", "1.8–1.34", "pkg/cmd/top, pkg/printers/internalversion/printers.go"),
        ),
        (
            Example("error: Metrics API not available", "metric-missing reason=Metrics API not available"),
            Example(
                "web   Deployment/web   <unknown>/80%   1   10   3   9m",
                "metric-missing name=web path=Deployment/web",
            ),
        ),
        own=True,
    ),
    LastWord(
        "kubelet-certificate-missing",
        words(
            r"https?://(?P<name>[\w.:\[\]-]{1,253}?):10250/[^\s\"]{1,400}\"?: remote error: tls: internal error|no serving certificate available for "
            "the kubelet|error dialing backend: remote error: tls: internal error"
        ),
        ("remote error: tls: internal error", "no serving certificate available"),
        (
            Seen("kubelet", "1.12–1.34", "pkg/kubelet/certificate/kubelet.go"),
            Seen("Go crypto/tls", "all", "alert.go"),
        ),
        (
            Example(
                'Error from server: Get "https://10.0.0.11:10250/containerLogs/a/b/c": remote error: tls: internal error',
                "kubelet-certificate-missing name=10.0.0.11",
            ),
            Example(
                "Error from server: error dialing backend: remote error: tls: internal error",
                "kubelet-certificate-missing",
            ),
            Example(
                "http: TLS handshake error from 10.0.0.1:56340: no serving certificate available for the kubelet",
                "kubelet-certificate-missing",
            ),
        ),
    ),
    LastWord(
        "addresses-used-up",
        words(
            r"[Ff]ailed to allocate IP for \"(?P<name>[a-z0-9-]{1,63}/[a-z0-9.-]{1,253})\": (?P<reason>no available IPs|(?:address pool|pool) \"[^\"]{1,120}\" is exhausted|no available IPs in pool \"[^\"]{1,120}\"[^\"\n]{0,40}|can't allocate an IP address[^\"\n]{0,120})"
        ),
        ("ailed to allocate IP for ",),
        (Seen("MetalLB", "0.3–0.15", "controller/service.go, internal/allocator/allocator.go"),),
        (
            Example(
                'Failed to allocate IP for "shop/web": no available IPs',
                "addresses-used-up name=shop/web reason=no available IPs",
            ),
            Example(
                'Failed to allocate IP for "shop/web": address pool "prod" is exhausted',
                'addresses-used-up name=shop/web reason=address pool "prod" is exhausted',
            ),
        ),
    ),
)
