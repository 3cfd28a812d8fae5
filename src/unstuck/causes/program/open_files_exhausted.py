"""A limit on open files or inotify is reached

## How it happens

Linux answers EMFILE (`too many open files`) for two unrelated limits: the open files of a process
(`LimitNOFILE`, `ulimit -n`), and the inotify instances of one user (`fs.inotify.max_user_instances`, 128 by
default), which all programs on a node that run as root share. A program that watches its configuration, and
ends at its start, usually meets the second.

## How to tell

The words follow a colon, in a line that is logged as an error, and name neither a watch nor a file.

## Known limits

Its evidence is the message alone: it is never more than likely. Which of the two limits it is, the counters
on the node show. Words that name inotify or a watcher are a separate cause (node.inotify-exhausted), as has
the number of files of the whole system (node.file-max-exhausted).

## References

- inotify(7), getrlimit(2); Kubernetes kube-proxy cmd/kube-proxy/app/server.go (`failed complete`); kind
  documentation, Known issues
"""

from __future__ import annotations

from unstuck.causes.program._plain import make_plain_signs, mend
from unstuck.causes.program._told import READS, STAGES, ProgramMessage, find_last_words, make_finding
from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs, Step
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(pod: Ref, snap: Facts) -> Signs:
    return make_plain_signs(pod, snap, ("files-exhausted",), lambda one: _make_finding(pod, one))


def _make_finding(pod: Ref, one: ProgramMessage) -> Finding:
    c = one.complaint
    look = Step(
        say("on its node: see the limits of inotify, and how many instances each process has"),
        command=command(
            "sysctl fs.inotify.max_user_instances fs.inotify.max_user_watches; "
            "find /proc/[0-9]*/fd -lname 'anon_inode:*inotify*' 2>/dev/null | cut -d/ -f3 | sort | uniq -c "
            "| sort -n | tail"
        ),
    )
    own = mend(
        say("raise the limit of open files of its unit or runtime (LimitNOFILE), or find what it leaves open")
    )
    if c.resource:
        return make_finding(
            pod,
            one,
            say("it has as many files and connections open as its process may (RLIMIT_NOFILE)"),
            (own,),
        )
    means = say(
        "a limit of the node is reached: mostly that of inotify (fs.inotify.max_user_instances, "
        "max_user_watches), else that of the process' open files"
    )
    raised = Step(
        say(
            "raise fs.inotify.max_user_instances and fs.inotify.max_user_watches in /etc/sysctl.d on the "
            "nodes, and load them"
        ),
        verify=say("the program starts"),
    )
    return make_finding(pod, one, means, (look, raised, own))


CAUSE = Cause(
    id="program.open-files-exhausted",
    title=say("a limit on open files or inotify is reached"),
    subjects=("Pod", "Text"),
    stages=STAGES,
    needs=find_last_words,
    reads=READS,
    rule=_rule,
)
