"""Automatic answers of proxies, gateways and the API server's proxy when they cannot pass a request on."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, NAME, SPACE, LastWord, words

_NGINX = Seen("nginx", "1.0–1.29", "src/http/ngx_http_special_response.c")
_ENVOY = Seen("Envoy", "1.8–1.36", "source/common/router/router.cc, source/common/http/utility.cc")
_PROXY = Seen("kube-apiserver", "1.2–1.34", "pkg/registry/core/service/storage/storage.go (ResourceLocation)")
_HAPROXY = Seen("HAProxy", "1.5–3.2", "src/http.c (http_err_msgs)")
_TRAEFIK_INGRESS = Seen("Traefik", "2–3", "pkg/provider/kubernetes/ingress/kubernetes.go")
_TRAEFIK = Seen("Traefik", "1.7–3.5", "pkg/server/service/loadbalancer/wrr/wrr.go")
# A status as a page's title or heading, or as a client's own first line of the answer.
_PAGE = r"(?:<(?:title|h1)>|^(?:< )?HTTP/\d(?:\.\d)? )"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "backend-missing",
        words(rf"\bService \"(?P<namespace>{SPACE})/(?P<name>{NAME})\" does not have any active Endpoint"),
        (" does not have any active Endpoint",),
        (Seen("ingress-nginx", "0.9–1.13", "internal/ingress/controller/controller.go"),),
        (
            Example(
                'Service "shop/till" does not have any active Endpoint.',
                "backend-missing name=till namespace=shop",
            ),
            Example(
                'Service "shop/till" does not have any active Endpoint for upstream port',
                "backend-missing name=till namespace=shop",
            ),
        ),
    ),
    LastWord(
        "object-missing",
        words(
            rf"\b(?:X\.509|SSL) certificate(?: \"[^\"]{{1,320}}\")?: (?:no object matching key \"(?P<namespace>{SPACE})/(?P<name>{NAME})\" in local store"
            rf"|local SSL certificate (?P<namespace_2>{SPACE})/(?P<name_2>{NAME}) was not found)"
        ),
        ("no object matching key ", "local SSL certificate "),
        (
            Seen(
                "ingress-nginx",
                "0.9–1.13",
                "internal/ingress/controller/store/backend_ssl.go, internal/ingress/controller/store/store.go",
            ),
        ),
        (
            Example(
                'Error obtaining X.509 certificate: no object matching key "shop/till-tls" in local store',
                "object-missing name=till-tls namespace=shop resource=secret",
            ),
            Example(
                'Error getting SSL certificate "shop/till-tls": local SSL certificate shop/till-tls was not found. Using default certificate',
                "object-missing name=till-tls namespace=shop resource=secret",
            ),
        ),
        own=True,
        kind="secret",
    ),
    LastWord(
        "object-missing",
        words(
            rf"\b(?:Endpoints? for|getting|obtaining) (?P<resource>[Ss]ervice) \"[^\"]{{1,320}}\": no object matching key \"(?P<namespace>{SPACE})/(?P<name>{NAME})\" in local store"
        ),
        ("no object matching key ",),
        (Seen("ingress-nginx", "0.9–1.13", "internal/ingress/controller/store/store.go"),),
        (
            Example(
                'Error obtaining Endpoints for Service "shop/till": no object matching key "shop/till" in local store',
                "object-missing name=till namespace=shop resource=Service",
            ),
            Example(
                'Error getting Service "shop/cart-2": no object matching key "shop/cart-2" in local store',
                "object-missing name=cart-2 namespace=shop resource=Service",
            ),
        ),
        own=True,
    ),
    LastWord(
        "object-missing",
        words(
            rf"\bCannot create service: (?P<resource>service) not found\b(?=.{{0,300}}?\bnamespace=(?P<namespace>{SPACE})\b)"
            rf"(?=.{{0,300}}?\bserviceName=(?P<name>{NAME}))"
        ),
        ("Cannot create service: service not found",),
        (_TRAEFIK_INGRESS,),
        (
            Example(
                'level=error msg="Cannot create service: service not found" namespace=shop serviceName=till servicePort=80',
                "object-missing name=till namespace=shop resource=service",
            ),
            Example(
                'ERR Cannot create service error="Cannot create service: service not found" ingress=till namespace=shop providerName=kubernetes serviceName=till-2',
                "object-missing name=till-2 namespace=shop resource=service",
            ),
        ),
        own=True,
    ),
    LastWord(
        "backend-missing",
        words(
            rf"\bno endpoints available for service \\?\"(?P<name>{HOST})\\?\"|{_PAGE}503 Service (?:Temporarily )?Unavailable\b|^no healthy upstream\b"
            r"|^no available server$|^No server is available to handle this request\.|>No server is available to handle this request\."
        ),
        (
            "no endpoints available for service ",
            "503 Service ",
            "no healthy upstream",
            "no available server",
            "No server is available",
        ),
        (_PROXY, _NGINX, _ENVOY, _HAPROXY, _TRAEFIK),
        (
            Example('no endpoints available for service "web"', "backend-missing name=web"),
            Example("<head><title>503 Service Temporarily Unavailable</title></head>", "backend-missing"),
            Example("no healthy upstream", "backend-missing"),
            Example("< HTTP/1.1 503 Service Unavailable", "backend-missing"),
        ),
    ),
    LastWord(
        "backend-broken",
        words(
            rf"{_PAGE}502 Bad Gateway\b|\bupstream connect error or disconnect/reset before headers\. (?:retried and the latest )?reset reason: "
            r"(?P<reason>(?:remote |local )?(?:connection failure|connection termination|reset)[^\n]{0,160})|^The server returned an invalid or incomplete response\.$"
        ),
        ("502 Bad Gateway", "upstream connect error or disconnect/reset", "invalid or incomplete response"),
        (_NGINX, _ENVOY, _HAPROXY),
        (
            Example("<center><h1>502 Bad Gateway</h1></center>", "backend-broken"),
            Example(
                "upstream connect error or disconnect/reset before headers. reset reason: connection failure",
                "backend-broken reason=connection failure",
            ),
        ),
    ),
    LastWord(
        "backend-silent",
        words(
            rf"{_PAGE}504 Gateway Time-?out\b|^upstream request timeout$|^The server didn't respond in time\.$"
        ),
        ("504 Gateway Time", "upstream request timeout", "didn't respond in time"),
        (_NGINX, _ENVOY, _HAPROXY),
        (
            Example("<head><title>504 Gateway Time-out</title></head>", "backend-silent"),
            Example("upstream request timeout", "backend-silent"),
        ),
    ),
    LastWord(
        "route-missing",
        words(r"^default backend - 404\b"),
        ("default backend - 404",),
        (Seen("ingress-nginx", "0.9–1.13", "images/custom-error-pages, defaultbackend (server.go)"),),
        (
            Example("default backend - 404", "route-missing"),
            Example("default backend - 404/ # exit", "route-missing"),
        ),
    ),
)
