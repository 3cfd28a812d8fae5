"""A registry's certificate is signed by an authority that the node does not know."""

from unstuck_lab.faults import _registry

FAULT = _registry.make_fault(
    "pull-untrusted",
    "a registry shows a certificate that the node does not trust",
    has="untrusted",
    port=5704,
    says="x509: ",
    accepts="image.certificate-untrusted",
    loopback=False,
)
