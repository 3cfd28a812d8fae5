"""Text without evidence is distinguished from other text by its features, and each kind gets its own
sentence.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.api.text_kinds import list_kinds, recognise

SAMPLES = {
    "klog-cut": 'kubelet_volumes.go:154] orphaned pod "x" found, but volume paths are still present on disk\n',
    "audit": (
        "[Sat Dec 10 18:52:01 2022] audit: type=1400 audit(1.2:3): avc:  denied  { dac_override } for  "
        'pid=1 comm="iscsiadm"\n'
    ),
    "apiservices": "v1beta1.metrics.k8s.io   monitoring/prometheus-adapter   False (ServiceNotFound)   75d\n",
    "discovery": (
        "error: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: the server is "
        "currently unable\n"
    ),
    "webhook": (
        'Internal error occurred: failed calling webhook "a.b.c": Post "https://a.b.svc:443/v": context '
        "deadline exceeded\n"
    ),
    "docker": "$ docker pull registry:5000/a\nc9e6c1e711ec: Extracting\n",
    "conditions": (
        "    - type: NamespaceContentRemaining\n      status: 'True'\n      lastTransitionTime: "
        "'2023-06-28T23:59:51Z'\n"
    ),
    "picture": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
    "pdf": "%PDF-1.7\n%\xe2\xe3",
    "program-file": "\x7fELF\x02\x01\x01",
    "private-key": "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\n",
    "kubeconfig": "apiVersion: v1\nkind: Config\nclusters:\n- name: x\n",
    "certificate": "-----BEGIN CERTIFICATE-----\nMIID\n",
    "kernel-stack": " do_syscall_64+0x55/0xb0\n ? __x64_sys_read+0x1a/0x20\n entry_SYSCALL_64_after_hwframe+0x6e/0xd8\n",
    "proc-stack": "[<0>] do_wait+0x1\n[<0>] kernel_wait4+0x2\n",
    "dmesg": "[    0.000000] Linux version 6.1\n[    0.000001] Command line: x\n[    0.100000] smpboot: up\n",
    "klog": "I1127 20:00:00.000000       1 leaderelection.go:250] successfully acquired lease\n",
    "unit-status": "● ssh.service - OpenBSD\n     Loaded: loaded (/lib/x; enabled)\n     Active: active (running)\n",
    "free": "               total        used        free\nMem:        16000000     1 2\n",
    "top": "top - 20:00:00 up 1 day,  1 user,  load average: 0.0\nTasks: 1 total\n",
    "kubectl-no-access": "The connection to the server 10.0.0.1:6443 was refused - did you specify the right host or port?\n",
    "kubectl-error": 'Error from server (NotFound): pods "web-0" not found\n',
    "kubectl-nothing": "No resources found in shop namespace.\n",
    "kubectl-applied": "deployment.apps/web configured\nservice/web unchanged\n",
    "kubectl-version": "Client Version: v1.31.0\nKustomize Version: v5.4.2\n",
    "helm": "Error: UPGRADE FAILED: timed out waiting for the condition\n",
    "helm-status": "NAME: web\nLAST DEPLOYED: Fri Nov 27 2026\nSTATUS: deployed\nREVISION: 3\n",
    "terraform": (
        "│ Error: context deadline exceeded\n│\n│   with helm_release.web,\n│   on main.tf line 12, in "
        "resource\n"
    ),
    "ansible": "TASK [install chart] ***********************\nok: [localhost]\n",
    "argocd": "Name: web\nSync Status:        OutOfSync\nHealth Status:      Degraded\n",
    "alert": "[FIRING:1] KubePodNotReady shop web-0\n",
    "metrics": "# HELP go_goroutines Number of goroutines\n# TYPE go_goroutines gauge\ngo_goroutines 8\n",
    "ci": "##[group]Run make test\n##[error]Process completed with exit code 1.\n",
    "cloud-cli": "An error occurred (AccessDenied) when calling the DescribeCluster operation: no\n",
    "java-stack": "java.lang.IllegalStateException: x\n\tat com.example.App.main(App.java:12)\n",
    "dotnet-stack": "Unhandled exception.\n   at App.Program.Main(String[] args) in /src/Program.cs:line 7\n",
    "node-stack": "Error: x\n    at Object.<anonymous> (/app/index.js:3:9)\n    at node:internal/main:1:2\n",
    "python-stack": 'Traceback (most recent call last):\n  File "app.py", line 1, in <module>\nValueError: x\n',
    "go-stack": "panic: x\n\ngoroutine 1 [running]:\nmain.main()\n",
    "rust-panic": "thread 'main' panicked at src/main.rs:2:5:\nx\n",
    "ruby-stack": "app.rb:3:in `call': x (RuntimeError)\n\tfrom app.rb:9:in `<main>'\n",
    "nginx-error": "2026/11/27 20:00:00 [error] 31#31: *1 connect() failed (111) while connecting to upstream\n",
    "access-log": '10.0.0.1 - - [27/Nov/2026:20:00:00 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "kube-probe/1.31"\n',
    "postgres-log": "2026-11-27 20:00:00.000 UTC [1] LOG:  database system is ready to accept connections\n",
    "npm": "npm ERR! code ELIFECYCLE\n",
    "program-log": "2026-11-27 20:00:00.123 INFO  [main] c.e.App - started\n",
    "json-log": '{"level":"info","msg":"started"}\n{"level":"error","msg":"lost"}\n',
    "curl": "curl: (7) Failed to connect to 10.0.0.1 port 80\n",
    "ping": "3 packets transmitted, 0 received, 100% packet loss, time 2041ms\n",
    "dns": ";; QUESTION SECTION:\n;web.shop.svc.cluster.local. IN A\n",
    "iptables": "Chain INPUT (policy ACCEPT)\ntarget prot opt\n",
    "helm-template": "replicas: {{ .Values.replicas }}\n",
    "kustomization": "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- a.yaml\n",
    "manifest": "apiVersion: example.com/v1\nkind: Gadget\nspec: {}\n",
    "compose": "services:\n  web:\n    image: nginx\n",
    "dockerfile": "FROM debian:12\nRUN apt-get update\n",
    "image-build": "#5 [2/4] RUN pip install\n#5 DONE 3.1s\n",
    "diff": "diff --git a/x b/x\n@@ -1,2 +1,2 @@\n",
    "git-log": "commit 0123456789abcdef0123456789abcdef01234567\nAuthor: a <a@b>\n",
    "go-source": 'package main\n\nimport "fmt"\n\nfunc main() {}\n',
    "python-source": "import os\n\ndef main():\n    pass\n",
    "java-source": "package com.example;\n\npublic class App {}\n",
    "script-source": "const a = require('a');\nlet b = 1;\n",
    "c-source": "#include <stdio.h>\nint main() { return 0; }\n",
    "shell-script": "#!/bin/bash\nset -e\n",
    "html": "<!DOCTYPE html>\n<html><body>502 Bad Gateway</body></html>\n",
    "xml": '<?xml version="1.0"?>\n<a/>\n',
    "commands": "$ kubectl get pods -A\nkubectl describe pod web-0\n",
    "screenshot": "NAME READY STATUS RESTARTS AGE\nwe b-O\nOll\nPendlng\n",
    "json": '{"a": [1, 2]}\n',
    "sentences": "Hello, since this morning my application does not come up any more. What can I do?\n",
    "empty": "  \n\n",
}


@pytest.mark.parametrize("id_", SAMPLES)
def test_each_is_told_by_its_features(id_: str) -> None:
    found = recognise(SAMPLES[id_])
    assert found is not None and found.id == id_


def test_every_kind_has_a_sample_and_a_sentence_of_its_own() -> None:
    assert {kind.id for kind in list_kinds()} == set(SAMPLES)
    assert len({kind.what for kind in list_kinds()}) == len(list_kinds()) >= 25


@pytest.mark.parametrize(
    "text", ["hello", "a b c\n1 2 3\n", "lorem ipsum dolor sit amet\n", "42\n", "foo: bar\n"]
)
def test_what_has_no_features_is_called_nothing(text: str) -> None:
    assert recognise(text) is None


@given(st.text(max_size=400))
def test_whatever_it_is_it_is_a_kind_or_none(text: str) -> None:
    found = recognise(text)
    assert found is None or found in list_kinds()


@pytest.mark.parametrize(
    "piece", ["\n", "[", " ", "[\n", "a ", "at ", "x.", "kubectl ", "\t", "on ", "一", "{{", "- "]
)
def test_a_long_text_of_one_piece_comes_to_an_end(piece: str) -> None:
    recognise(piece * 200_000)
