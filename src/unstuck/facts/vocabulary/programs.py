"""Why a program could not go on, as one word of what it wrote last (`Complaint.error`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from unstuck.facts.text import Messages, Text

say = Messages(__name__)
ProgramError = Literal[
    "address-in-use",
    "api-not-served",
    "already-there",
    "certificate-expired",
    "certificate-untrusted",
    "cloud-forbidden",
    "cloud-limit",
    "cloud-object-missing",
    "command-not-found",
    "config-unparsable",
    "connection-refused",
    "connection-timed-out",
    "crashed",
    "credentials-refused",
    "file-missing",
    "forbidden",
    "format-refused",
    "library-missing",
    "lock-held",
    "memory-exhausted",
    "name-unanswered",
    "name-unresolved",
    "no-space",
    "not-tls",
    "object-invalid",
    "object-missing",
    "option-unknown",
    "path-is-directory",
    "permission-denied",
    "read-only",
    "storage-full",
    "thread-refused",
    "variable-missing",
    "waits",
]

PROGRAMS: Mapping[ProgramError, Text] = MappingProxyType[ProgramError, Text](
    {
        "address-in-use": say("another process listens on this address and port"),
        "api-not-served": say("the API server does not serve this kind in this version"),
        "already-there": say("what it makes is there already, and is somebody else's"),
        "certificate-expired": say("the server's certificate is outside of its time"),
        "certificate-untrusted": say("the server's certificate is of an unknown authority, or for another name"),
        "cloud-forbidden": say("a cloud's access control does not allow it a request"),
        "cloud-limit": say("a cloud has no more of what it asks for, or the account's quota is used up"),
        "cloud-object-missing": say("a cloud does not find what it needs"),
        "command-not-found": say("a command that it runs is not there"),
        "config-unparsable": say("its configuration cannot be parsed"),
        "connection-refused": say("nobody listens where it connects to"),
        "connection-timed-out": say("no answer, or no way, to where it connects to"),
        "crashed": say("a panic, an exception that nobody caught, or a segmentation fault"),
        "credentials-refused": say("a server refuses its login"),
        "file-missing": say("a file is not there"),
        "forbidden": say("RBAC does not allow it a request to the API server"),
        "format-refused": say("a file is no program for this machine"),
        "library-missing": say("a library, module or class is not there, or too old"),
        "lock-held": say("somebody else holds the lock that it needs"),
        "memory-exhausted": say("its runtime gives it no more memory"),
        "name-unanswered": say("nobody answers what address a host name has"),
        "name-unresolved": say("a host name has no address"),
        "no-space": say("no space left where it writes"),
        "not-tls": say("it speaks TLS to a server that does not"),
        "object-invalid": say("the API server takes a field of its object for invalid or unchangeable"),
        "object-missing": say("an object of the cluster is not there"),
        "option-unknown": say("an option or subcommand that it does not know"),
        "path-is-directory": say("a directory where it expects a file"),
        "permission-denied": say("the kernel does not allow it what it tries"),
        "read-only": say("it writes to a read-only file system"),
        "storage-full": say("etcd is out of space"),
        "thread-refused": say("no further process or thread can be started"),
        "variable-missing": say("an environment variable or setting is missing"),
        "waits": say("it waits for somebody else"),
    }
)
