"""Words of service meshes: a sidecar that gets no identity or configuration from its control plane, and a login
that Consul does not know.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, LastWord, words

_LINKERD = Seen(
    "Linkerd",
    "2.3–2.17",
    "linkerd2-proxy: linkerd/app/core/src/control.rs, linkerd/proxy/identity-client, linkerd/reconnect/src",
)
_LATE = r"(?:request timed out|[Cc]onnect(?:ion)? timed out(?: after \w{1,8})?|deadline has elapsed|[Ss]ervice in fail-fast)"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "connection-timed-out",
        words(
            rf"\bControlAddr \{{ addr: Name\(NameAddr \{{ name: \"(?P<name>{HOST})\.?\", port: (?P<port>\d{{1,5}}) \}}\).{{0,300}}?\}}: (?P<reason>{_LATE})"
            rf"|\bcontroller\{{addr=(?P<name_2>{HOST}):(?P<port_2>\d{{1,5}})\}}.{{0,200}}?(?P<reason_2>{_LATE})"
        ),
        ("ControlAddr {", "controller{addr="),
        (_LINKERD,),
        (
            Example(
                'WARN linkerd2_proxy::proxy::reconnect connect error to ControlAddr { addr: Name(NameAddr { name: "tide-identity.tide.svc.cluster.local", port: 8080 }), identity: None }: request timed out',
                "connection-timed-out name=tide-identity.tide.svc.cluster.local port=8080 reason=request timed out",
            ),
            Example(
                "WARN identity:controller{addr=tide-dst-headless.tide.svc.cluster.local:8086}: linkerd_reconnect: Failed to connect error=connect timed out after 1s",
                "connection-timed-out name=tide-dst-headless.tide.svc.cluster.local port=8086 reason=connect timed out after 1s",
            ),
        ),
        own=True,
    ),
    LastWord(
        "value-absent",
        words(
            r"(?P<reason>\bACL not found: (?P<resource>auth method|role|policy|token|binding rule) \\*\"?(?P<name>[\w.-]{2,120})\\*\"? not found)"
        ),
        ("ACL not found: ",),
        (Seen("Consul", "1.5–1.21", "agent/consul/acl_endpoint.go"),),
        (
            Example(
                'unable to login: error="Unexpected response code: 403 (ACL not found: auth method "tide-login" not found)"',
                'value-absent name=tide-login reason=ACL not found: auth method "tide-login" not found resource=auth method',
            ),
            Example(
                "rpc error making call: ACL not found: role tide-reader not found",
                "value-absent name=tide-reader reason=ACL not found: role tide-reader not found resource=role",
            ),
        ),
        own=True,
    ),
    LastWord(
        "value-refused",
        words(
            r"config received from XDS server, but was rejected: (?P<reason>(?:cds updates: \d{1,6} successful, \d{1,6} rejected; )?"
            r"(?P<name>[cl]ds) updates: \d{1,6} successful, (?!0 )\d{1,6} rejected)"
        ),
        ("config received from XDS server",),
        (Seen("Istio", "1.9–1.27", "pilot/cmd/pilot-agent/status/ready/probe.go"),),
        (
            Example(
                "warn Envoy proxy is NOT ready: config received from XDS server, but was rejected: cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 1 rejected",
                "value-refused name=lds reason=cds updates: 1 successful, 0 rejected; lds updates: 0 successful, 1 rejected resource=configuration",
            ),
            Example(
                "config received from XDS server, but was rejected: cds updates: 0 successful, 2 rejected; lds updates: 0 successful, 0 rejected",
                "value-refused name=cds reason=cds updates: 0 successful, 2 rejected resource=configuration",
            ),
        ),
        own=True,
        kind="configuration",
    ),
    LastWord(
        "backend-missing",
        words(
            r"\berror=(?:HTTP |TCP |gRPC )?(?:[Ll]ogical |[Bb]alancer |[Ss]erver )?[Ss]ervice (?:(?P<name>[a-z0-9][\w.-]{1,250}):\d{1,5} )?in fail-fast\b"
        ),
        ("in fail-fast",),
        (_LINKERD,),
        (
            Example(
                "WARN outbound:accept{client.addr=10.8.0.3:4422}: linkerd_app_core::errors: unexpected error error=service in fail-fast",
                "backend-missing",
            ),
            Example("INFO Connection closed error=TCP Server service in fail-fast", "backend-missing"),
        ),
        own=True,
    ),
)
