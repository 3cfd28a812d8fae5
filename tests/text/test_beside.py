"""One line of a text reports an error, another one shows its reason: the two are held against each other."""

from __future__ import annotations

import pytest

from tests.text.support import NOW
from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.beside import ShownReason
from unstuck.facts.record import Record, record


@record()
class _Case(Record):
    """relation, name, value: of the one reason that the text shows; "" for none."""

    text: str
    relation: str = ""
    name: str = ""
    value: str = ""


_DF = """Filesystem      Size  Used Avail Use% Mounted on
overlay          96G   40G   56G  42% /
/dev/vdc         20G   20G     0 100% /ledger
tmpfs            64M     0   64M   0% /dev
"""
_FULL = "FATAL:  could not write lock file: No space left on device\n$ df -h\n"
_BIND = "F1121 02:59:17.296015     900 main.go:8] listen tcp 0.0.0.0:9419: bind: address already in use\n"
_MOUNT = "Output: mount.nfs: access denied by server while mounting 10.9.8.7:/srv/books\n"
_YAML = 'level=error msg="loading /etc/app/rules.yml: yaml: line 9: mapping values are not allowed"\n'
_TYPE = (
    'Error: Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal number into '
    "Go struct field EnvVar.spec.template.spec.containers.env.value of type string\n"
)
_CASES = {
    "the full mount": _Case(f"{_FULL}{_DF}", "file-system-full", "/ledger", "20G"),
    "the mount of the path": _Case(
        "panic: open /ledger/wal/1: no space left on device\n$ df -h\n" + _DF, "file-system-full", "/ledger"
    ),
    "another mount": _Case("panic: open /var/wal/1: no space left on device\n$ df -h\n" + _DF),
    "no full mount": _Case(_FULL + _DF.replace("20G     0 100%", "9G   11G  45%")),
    "full by nature": _Case(
        f"{_FULL}Filesystem Size Used Avail Use% Mounted on\n/dev/loop3 128M 128M 0 100% /snap/core/1\n"
        "/dev/vda1 20G 9G 11G 45% /\n"
    ),
    "netstat": _Case(
        f"{_BIND}# netstat -tlnp\ntcp   0   0 0.0.0.0:9419   0.0.0.0:*   LISTEN   771/old-agent\n",
        "port-held",
        "old-agent",
        "9419",
    ),
    "ss": _Case(
        f'{_BIND}# ss -ltnp\nLISTEN 0 4096 *:9419 *:* users:(("old-agent",pid=771,fd=3))\n',
        "port-held",
        "old-agent",
        "9419",
    ),
    "another port": _Case(
        f"{_BIND}# netstat -tlnp\ntcp   0   0 0.0.0.0:9420   0.0.0.0:*   LISTEN   771/old-agent\n"
    ),
    "no such export": _Case(
        f"{_MOUNT}# cat /etc/exports\n/srv/pages *(rw,sync)\n", "export-missing", "/srv/books", "/srv/pages"
    ),
    "an export above": _Case(f"{_MOUNT}# cat /etc/exports\n/srv *(rw,sync)\n"),
    "two keys": _Case(
        f"{_YAML}rules:\n  target: shop_linkgroups:\n",
        "keys-on-one-line",
        "target",
        "target: shop_linkgroups:",
    ),
    "no broken line": _Case(f"{_YAML}rules:\n  target: shop\n"),
    "a tab": _Case(f"{_YAML}rules:\n\ttarget: shop\n", "tab", "target: shop"),
    "a block": _Case(
        "files:\n  rules.yml: |-\n    groups: []\n\n"
        'level=error msg="loading /etc/app/rules.yml: yaml: unmarshal errors: line 1: '
        'cannot unmarshal !!str into rules.Groups"\n',
        "block-string",
        "rules.yml",
    ),
    "a quote that closes below": _Case(
        'FATAL:  password authentication failed for user "ledger\n"\n', "line-break", "ledger"
    ),
    "a quote that never closes": _Case(
        'FATAL:  password authentication failed for user "ledger\nDETAIL:  x\n'
    ),
    "output with a line break": _Case(
        'level=error msg="hook failed: exit status 137" stderr="Killed\\n" host="tide\\n"\n'
        "$ kubectl get pods\nNo resources found\n"
    ),
    "a set variable": _Case(
        "$ docker run -v ${PWD}/tide-data:/x tide:1\n"
        "Error response from daemon: open /tide-data: permission denied: open /tide-data:/x\n"
    ),
    "kept data": _Case(
        "mariadb 18:18:54 INFO ==> Using persisted data\n"
        "2026-11-20 18:24:31 62 [Warning] Access denied for user 'ledger'@'10.4.0.7' (using password: YES)\n",
        "data-kept",
        "Using persisted data",
    ),
    "an empty variable": _Case(
        "$ skopeo copy dir:out docker://${MIRROR_HOST}/${TEAM}/ledger:1\n"
        'level=fatal msg="Get https://docker.io/v2: unexpected status code 400 Bad Request: '
        'docker:///pay/ledger:1"\n',
        "variable-empty",
        "MIRROR_HOST",
    ),
    "a full variable": _Case(
        "$ skopeo copy dir:out docker://${MIRROR_HOST}/${TEAM}/ledger:1\n"
        'level=fatal msg="Get https://m.example.com/v2: unexpected status code 400 Bad Request: '
        'docker://m.example.com/pay/ledger:1"\n'
    ),
    "the owner": _Case(
        "panic: open /var/shop/data/lock: permission denied\n$ cd /var/shop\n$ ls -l\ntotal 8\n"
        "drwxr-xr-x 3 root root 4096 Nov 20 03:21 data\n",
        "path-owner",
        "/var/shop/data",
        "root:root",
    ),
    "the user": _Case(
        "chown: changing ownership of '/ledger': Operation not permitted\n\nsecurityContext:\n  runAsUser: 1000\n",
        "run-as",
        "1000",
    ),
    "a number": _Case(f"{_TYPE}env:\n- name: LIMIT\n  value: 300\n", "unquoted", "LIMIT", "300"),
    "a secret number": _Case(
        f"{_TYPE}env:\n- name: DB_PASSWORD\n  value: 83749204\n", "unquoted", "DB_PASSWORD", "***"
    ),
    "a string": _Case(f'{_TYPE}env:\n- name: LIMIT\n  value: "300"\n'),
    "a setting that is not read": _Case(
        "kind: KubeletConfiguration\ncgroupDriver: systemd\n\n"
        "F1121 12:23:42.383482   17481 server.go:233] failed to run Kubelet: misconfiguration: kubelet cgroup "
        'driver: "cgroupfs" is different from docker cgroup driver: "systemd"\n',
        "setting-unread",
        "cgroupDriver",
        "systemd",
    ),
    "misplaced": _Case(
        "Error: YAML parse error on a/templates/b.yaml: error converting YAML to JSON: yaml: line 7: did not find "
        "expected key\n\nmatchLabels:\n    tier: sea\n    team: tide\n  part: reef\n",
        "indentation",
        "part: reef",
        "2",
    ),
    "in place": _Case(
        "Error: YAML parse error on a/templates/b.yaml: error converting YAML to JSON: yaml: line 7: did not find "
        "expected key\n\nspec:\n  items:\n  - name: a\n    text: |\n      x: y\n        z: w\n  - name: b\nkind: C\n"
    ),
    "loopback alone": _Case(
        "F1121 02:59:17.296015     900 main.go:8] dial tcp 10.2.3.4:9419: connect: connection refused\n"
        "$ ss -ltn\nLISTEN 0 4096 127.0.0.1:9419 0.0.0.0:*\n",
        "loopback-only",
        "",
        "9419",
    ),
    "every address": _Case(
        "F1121 02:59:17.296015     900 main.go:8] dial tcp 10.2.3.4:9419: connect: connection refused\n"
        "$ ss -ltn\nLISTEN 0 4096 0.0.0.0:9419 0.0.0.0:*\nLISTEN 0 4096 127.0.0.1:9419 0.0.0.0:*\n"
    ),
    "outside": _Case(
        "kubectl get svc -n sea\n\npsql -h tide.sea.svc\n"
        'psql: error: could not translate host name "tide.sea.svc" to address: Name or service not known\n',
        "name-outside",
        "psql",
        "tide",
    ),
    "inside": _Case(
        "$ kubectl exec -it reef-0 -- psql -h tide.sea.svc\n"
        'psql: error: could not translate host name "tide.sea.svc" to address: Name or service not known\n'
    ),
    "another architecture": _Case(
        "exec /tide: exec format error\n# file tide\n"
        "tide: ELF 64-bit LSB executable, x86-64, version 1 (SYSV), statically linked\n# file /bin/ls\n"
        "/bin/ls: ELF 64-bit LSB pie executable, ARM aarch64, version 1 (SYSV), dynamically linked\n",
        "other-architecture",
        "tide",
        "amd64",
    ),
    "an image of another": _Case(
        'exec /tide: exec format error\n$ docker inspect tide:1 | grep Arch\n        "Architecture": "amd64",\n'
        "$ uname -m\naarch64\n",
        "other-architecture",
        "",
        "amd64",
    ),
    "the same": _Case(
        'exec /tide: exec format error\n$ docker inspect tide:1 | grep Arch\n        "Architecture": "arm64",\n'
        "$ uname -m\naarch64\n"
    ),
    "a second line": _Case(
        "Failed to find memory cgroup, you may need to add cgroup_enable=memory to your linux cmdline\n"
        "me@pi:~ $ cat /boot/cmdline.txt\nconsole=tty1 root=PARTUUID=1 rootwait\ncgroup_memory=1\n",
        "second-line",
        "/boot/cmdline.txt",
        "cgroup_memory=1",
    ),
    "one line": _Case(
        "Failed to find memory cgroup, you may need to add cgroup_enable=memory to your linux cmdline\n"
        "me@pi:~ $ cat /boot/cmdline.txt\nconsole=tty1 root=PARTUUID=1 rootwait cgroup_memory=1\n"
    ),
}


@pytest.mark.parametrize("case", _CASES.values(), ids=_CASES.keys())
def test_reason_beside(case: _Case) -> None:
    found = [f for f in read_text(case.text, "paste.txt", NOW).facts if isinstance(f, ShownReason)]
    told = [(f.relation, f.name, f.value if case.value else "") for f in found]
    assert told == ([(case.relation, case.name, case.value)] if case.relation else [])


def test_no_secret_of_a_manifest_is_shown() -> None:
    text = _CASES["a secret number"].text
    [found] = [f for f in read_text(text, "x.txt", NOW).facts if isinstance(f, ShownReason)]
    assert "83749204" not in repr(found)


def test_no_password_of_a_command_is_shown() -> None:
    text = (
        "$ psql postgres://tide:hunter22@$REEF_HOST:5432/sea\n"
        'psql: error: invalid port number in "postgres://tide:hunter22@:5432/sea": could not translate host name '
        '"" to address: Name or service not known\n'
    )
    [found] = [f for f in read_text(text, "x.txt", NOW).facts if isinstance(f, ShownReason)]
    assert (found.relation, found.value) == ("variable-empty", "postgres://tide:***@$REEF_HOST:5432/sea")
    assert "hunter22" not in repr(found)


def test_variables_side_by_side_are_compared_in_linear_time() -> None:
    word = f"{''.join(f'${{REEF_{n}}}' for n in range(6))}tide"
    said = f"curl: (6) Could not resolve host: {'x' * 200}"
    text = f"$ curl {word}\n{said}\n"
    assert not [f for f in read_text(text, "x.txt", NOW).facts if isinstance(f, ShownReason)]
