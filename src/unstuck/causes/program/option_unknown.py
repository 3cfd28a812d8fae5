"""The program ends because it does not know an option

## How it happens

`args` or `command` in the Pod's template gives the program an option that it does not know: it is misspelled,
it was removed or renamed in the version of the image, or it belongs to another program or subcommand. For
Kubernetes' own programs, etcd and the JVM it is known which release removed an option.

## How to tell

The run ended with an error and was not ended from outside, and its last lines contain `unknown flag`,
`unrecognized option`, `flag provided but not defined` or the like, with the option.

## Known limits

Command lines are never read: it stays likely.

## References

- Go src/flag; pflag; getopt(3); Python argparse; OpenJDK arguments.cpp
- removed options: src/unstuck/knowledge/removed_options.py, each with its pull request
"""

from __future__ import annotations

from unstuck.causes._removed_options import tell_removal
from unstuck.causes.program._plain import look_at_settings, make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.pasted import Pasted
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)

# Tools that people and scripts call, not the args of a container.
_TYPED = ("kubectl", "helm", "kubeadm", "istioctl", "etcdctl", "crictl", "flux", "argocd")


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("option-unknown",), lambda one: _make_finding(pod, one, snap))


def _make_finding(pod: Ref, one: ProgramMessage, snap: Facts) -> Finding:
    name = one.complaint.name
    if "feature gate" in one.complaint.line:
        return _make_gate_finding(pod, one)
    means = say("it does not know the option {name}", name=name)
    if program := one.complaint.path:
        return _make_usage_finding(pod, one, program)
    notes = (say("the image is {image}", image=one.run.spec.image),) if one.run.spec else ()
    removal = tell_removal(name, _describe_program(pod, one, snap))
    step = mend(removal.change or say("correct args for this version of the image"))
    return make_finding(
        pod,
        one,
        means + removal.says,
        (step, removal.look) if removal.look else (step,),
        notes=(*notes, *removal.notes),
    )


def _describe_program(pod: Ref, one: ProgramMessage, snap: Facts) -> str:
    """Return the words that may name the program: its image and container; of a text the commands in it."""
    typed = (c.text for f in snap.of(Pasted, pod) for c in f.commands)
    image = one.run.spec.image if one.run.spec else ""
    about = one.of.name if one.of else ""
    return " ".join(filter(None, (pod.name, one.run.name, image, one.by, about, *typed)))


def _make_usage_finding(pod: Ref, one: ProgramMessage, program: str) -> Finding:
    """Return the finding where the usage below shows which program was given the option."""
    means = say("{program} does not know the option {name}", program=program, name=one.complaint.name)
    if program.rpartition("/")[2] in _TYPED:
        step = mend(
            say("correct the command line: this version of {program} has no such option", program=program)
        )
        return make_finding(pod, one, means, (step,))
    step = mend(
        say(
            "if args are meant for {program}, correct them for this version of the image; if they are "
            "meant for another program, the image begins with {program}: set command, or go back to the "
            "previous image",
            program=program,
        )
    )
    return make_finding(pod, one, means, (step, look_at_settings(one.of or pod)))


def _make_gate_finding(pod: Ref, one: ProgramMessage) -> Finding:
    """Return the finding for a Kubernetes component with a feature gate of another version."""
    means = say(
        (
            "this version does not know the feature gate {name}: it was removed with an upgrade, or comes "
            "with a later version"
        ),
        name=one.complaint.name,
    )
    step = mend(
        say(
            "remove it from its source: --feature-gates in the static Pod's manifest or the "
            "kubelet's flags, featureGates in the kubelet's configuration file or in the ConfigMaps "
            "kube-proxy and kubeadm-config"
        )
    )
    return make_finding(pod, one, means, (step,))


CAUSE = Cause(
    id="program.option-unknown",
    title=say("the program ends because it does not know an option"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS | {Pasted},
    rule=_rule,
)
