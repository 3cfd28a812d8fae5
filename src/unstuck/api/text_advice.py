"""Messages that name a more useful text instead of an uninformative one."""

from __future__ import annotations

from unstuck.facts.text import Messages

say = Messages(__name__)


DESCRIBE = say("useful would be: kubectl describe pod NAME | unstuck read -")
PROGRAM = say("it tells what the program did, not what became of its container; {useful}", useful=DESCRIBE)
LIVE = say(
    "it tells what is wanted, not what is; useful would be what the cluster has: kubectl get KIND NAME -o "
    "yaml | unstuck read -"
)
NODE = say(
    "useful would be, on that node and as root: unstuck node --here; or journalctl -u kubelet | unstuck "
    "read -"
)
EVENTS = say(
    "useful would be what it left in the cluster: kubectl get events,pods -n NAMESPACE | unstuck read -"
)
SOURCE = say("it tells how a program is written, not what happened; {useful}", useful=DESCRIBE)
TYPED = say("copy the text itself; {useful}", useful=DESCRIBE)
SECRET = say(
    "it holds credentials: do not pass it on; nothing of it was kept; unstuck takes it by --kubeconfig FILE"
)
KEY = say("it is a secret: do not pass it on; nothing of it was kept")
NETWORK = say("it tells of the network, not of the object that is stuck; {useful}", useful=DESCRIBE)
CERTIFICATE = say("it alone tells nothing; when it ends: openssl x509 -noout -enddate -in FILE")
STACK = say(
    "useful would be the lines of dmesg before it, which name the fault, and whose process it is: unstuck "
    "node --here on that node"
)
QUIET = say("none of its lines tells of a fault that is known here; {useful}", useful=NODE)
ACCESS = say("first make kubectl reach the cluster (kubectl cluster-info); then: unstuck why pod/NAME")
NAMED = say("see what there is: kubectl get pods -A; then: unstuck why pod/NAME -n NAMESPACE")
HELM = say("it names what Helm waited for, not why; {useful}", useful=EVENTS)
ALERT = say("it tells that something is wrong, not what; {useful}", useful=EVENTS)
METRICS = say("numbers tell that, not why; {useful}", useful=DESCRIBE)
OUTPUT = say("their output is missing: paste it with them")
TABLE = say("no row of it reads, as from a screenshot; {useful}", useful=TYPED)
CUT = say("paste its lines whole: journalctl -u kubelet | unstuck read -")
DENIED = say("it tells what was denied to which program; {useful}", useful=DESCRIBE)
APIS = say("useful would be all of them: kubectl get apiservices -o yaml | unstuck read -")
HOOKS = say("useful would be the object that was refused: kubectl get KIND NAME -o yaml | unstuck read -")
WHOLE = say("useful would be the whole object: kubectl get KIND NAME -o yaml | unstuck read -")
