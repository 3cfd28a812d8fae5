"""The description of a refused certificate and its fix, by its flaw, for messages from any source."""

from __future__ import annotations

from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.facts.derive.certificates import CertificateFlaw

say = Messages(__name__)


def describe_flaw(flaw: CertificateFlaw) -> Text:
    """Return the flaw as a predicate of the certificate: ` has expired …`."""
    match flaw.flaw:
        case "misnamed":
            names = (
                say(" is issued for {names}", names=flaw.names)
                if flaw.names
                else say(" is issued for other names")
            )
            return names + (say(" and not for {wanted}", wanted=flaw.wanted) if flaw.wanted else NO_TEXT)
        case "no-address":
            return say(" holds no IP address") + (
                say(", and it is checked against {wanted}", wanted=flaw.wanted) if flaw.wanted else NO_TEXT
            )
        case "no-names":
            named = say(" holds no subject alternative name (SAN)")
            return named + (
                say(", and it is checked against {wanted}", wanted=flaw.wanted) if flaw.wanted else NO_TEXT
            )
        case "expired":
            return say(" has expired, on {limit}", limit=flaw.limit) if flaw.limit else say(" has expired")
        case "early":
            if flaw.limit:
                return say(
                    " is valid only from {limit} on, and the clock read {clock}",
                    limit=flaw.limit,
                    clock=flaw.clock,
                )
            return say(" is not valid yet")
        case "dates":
            return say(" has expired, or is not valid yet")
        case "self-signed":
            return say(" is self-signed and not trusted")
        case "untrusted":
            if flaw.authority:
                return say(
                    (
                        " is not signed by the authority {authority} that is trusted, but by another one, "
                        "of the same name as a rule"
                    ),
                    authority=flaw.authority,
                )
            return say(" is signed by an unknown authority")


def mend_flaw(flaw: CertificateFlaw, trust: Text) -> Text:
    """Return the fix. trust: the act of putting the right authority where the checking side reads its
    authorities.
    """
    match flaw.flaw:
        case "misnamed" | "no-names" | "no-address":
            if flaw.wanted:
                return say(
                    "have one made that holds {wanted} as a subject alternative name (SAN), or use a name "
                    "or address that it holds; if another server than {wanted} is called, see which "
                    "server name the client expects",
                    wanted=flaw.wanted,
                )
            return say(
                "have one made that holds the name in use as a subject alternative name (SAN), or use a "
                "name that it holds"
            )
        case "expired":
            return say(
                "renew the certificate; if something renews it automatically, see why it did not, and "
                "whether the new one was read"
            )
        case "early":
            return say(
                "set the clock of the machine that checked it; if that is right, the clock of the "
                "certificate's issuer"
            )
        case "dates":
            return say(
                "see its dates and the clock of the machine that checked it: renew an expired one, set a "
                "clock that is wrong"
            )
        case "self-signed" | "untrusted":
            return trust
