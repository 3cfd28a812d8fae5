"""The program ends because a library or module that it needs is missing

## How it happens

The dynamic loader or the language's own loader does not find a library of the program's build: the image
lacks the package, the program was built on a system with a newer C library, the dependencies were not
installed into the image, or a volume is mounted over them. The library of a GPU's driver is in no image: the
container runtime of its vendor puts it there from the node.

## How to tell

The run ended with an error and was not ended from outside, and its last lines name the missing part: a shared
library, a version of `GLIBC`, a module (Python, Node.js, Ruby), a class (Java), NVML. A text alone shows it
if the program ends with this line.

## Known limits

The image is not looked into: it stays likely. A text alone does not show whether the program ran in a
container.

## References

- ld.so(8); CPython importlib; Node.js modules (cjs/loader.js); OpenJDK launcher
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import NO_TEXT, Messages, Text
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex
from unstuck.knowledge.libraries import find_library

say = Messages(__name__)

# Of NVIDIA's driver: nvidia-container-toolkit mounts these from the node.
_OF_THE_DRIVER = regex(r"^(?:NVML|lib(?:cuda|nvidia-[\w-]{1,40}|nvcuvid|nvoptix)\.so)")
# Programs that run on the node itself, as the dynamic loader names them.
_NODES_PROGRAM = regex(
    r"(?:^|[\s/])(?P<program>containerd(?:-shim[\w-]{0,20})?|dockerd|kubelet|crio|conmon|runc|crun|k3s|rke2|buildkitd"
    r"|kube-proxy|flanneld|iptables|ipset|conntrack): (?:\S{1,200}: )?error while loading shared"
)
_SYMBOL = "undefined symbol"
_IMAGES = command(
    "kubectl get pods -A -o "
    "'custom-columns=NAMESPACE:.metadata.namespace,POD:.metadata.name,IMAGES:.spec.containers[*].image'"
)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("library-missing",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    name = _name_library(one)
    notes = (say("the image is {image}", image=one.run.spec.image),) if one.run.spec else ()
    if _OF_THE_DRIVER.match(name):
        means = say("the library {name} of the NVIDIA driver is not in its container", name=name)
        return make_finding(pod, one, means, _put_the_driver_there(), notes=notes)
    if _SYMBOL in one.complaint.line and one.complaint.place:
        return _make_symbol_finding(pod, one)
    if pod.kind == "Text":
        means = _told(one)
        look = Step(
            say(
                (
                    "see which image, in which version, this container runs; and whether the previous "
                    "version has {name}"
                ),
                name=name,
            ),
            command=_IMAGES,
        )
        if _is_of_node(one):
            return _make_node_finding(pod, one, name)
        step = mend(
            say(
                (
                    "take a version of the image that has {name}, or install it where the program runs: in "
                    "the image"
                ),
                name=name,
            )
            + _tell_packages(one.complaint.name)
        )
        return make_finding(pod, one, means, (look, step))
    means = say("it finds no {name}", name=name)
    step = mend(
        say("install it into the image, or build the program for the image's own C library")
        + _tell_packages(one.complaint.name)
    )
    return make_finding(pod, one, means, (step,), notes=notes)


def _make_symbol_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a library that asks for a function which no loaded library has."""
    said = one.complaint
    means = say(
        "{library} asks for the function {name}, which no library there has: it is built for another "
        "version, usually of the C library, than the image has",
        library=said.place,
        name=_name_library(one),
    )
    step = mend(
        say(
            "use a build of {library} for this image, or an image of the system for which it is built; if "
            "it is mounted or preloaded (LD_PRELOAD) from outside, leave it out there",
            library=said.place,
        )
    )
    return make_finding(pod, one, means, (step,))


def _is_of_node(one: ProgramMessage) -> bool:
    """Tell whether the program is one that runs on a node itself, not in a container."""
    return (one.of is not None and one.of.kind == "Node") or _NODES_PROGRAM.search(
        one.complaint.line
    ) is not None


def _make_node_finding(pod: Ref, one: ProgramMessage, name: str) -> Finding:
    """Return the finding for a program of the node, which no image brings."""
    found = _NODES_PROGRAM.search(one.complaint.line)
    means = (
        say("{program} on the node finds no library {name}", program=found["program"], name=name)
        if found
        else say("a program on the node finds no library {name}", name=name)
    )
    look = Step(say("on the node: see which libraries the loader finds"), command=command("ldconfig -p"))
    fix = Step(
        say("install the library on the node, then start the service again")
        + _tell_packages(one.complaint.name)
        + say("; or use a build of the program for this distribution"),
        verify=say("the service starts"),
    )
    return make_finding(pod, one, means, (look, fix))


def _tell_packages(name: str) -> Text:
    """Return the packages with a library, as the end of a sentence; nothing for an unknown one."""
    known = find_library(name)
    if known is None:
        return NO_TEXT
    families = (("Debian, Ubuntu", known.debian), ("RHEL, Fedora", known.redhat), ("Alpine", known.alpine))
    return say(
        "; it is in package {packages}",
        packages=", ".join(f"{package} ({family})" for family, package in families if package),
    )


def _name_library(one: ProgramMessage) -> str:
    """Return the name of the missing library, with the required version if the message has it."""
    return f"{one.complaint.name} {one.complaint.reason}".rstrip()


def _told(one: ProgramMessage) -> Text:
    """Return the loader that misses it, and the place of the reference in the program."""
    name, place = _name_library(one), one.complaint.place
    means = (
        say("{by} finds no module or library {name}", by=one.by, name=name)
        if one.by
        else say("a program finds no {name}", name=name)
    )
    return means + say(", which {place} asks for", place=place) if place else means


def _put_the_driver_there() -> tuple[Step, ...]:
    return (
        Step(
            say(
                "see whether a RuntimeClass for it is there; on the node: whether nvidia-smi answers, and "
                "which runtime is the default one"
            ),
            command=command("kubectl get runtimeclasses"),
        ),
        mend(
            say(
                "install the driver on the node; make the NVIDIA container runtime the default one of "
                "containerd or Docker there, or name its RuntimeClass in the Pod (runtimeClassName)"
            )
        ),
    )


CAUSE = Cause(
    id="program.library-missing",
    title=say("the program ends because a library or module that it needs is missing"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
