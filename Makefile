# The two commands of the README are `make demo` and `make test`; `make check` is the inner loop.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.stamp
LAB_STAMP := $(VENV)/.stamp-lab
CASES ?= 1000
SEED ?= 1

.PHONY: help setup demo test check lint types layers cases check-scheduler check-scheduler-process docs docs-check mutate new-cause record node-zipapp bench clean

help: ## what each target does
	@grep -hE '^[a-z-]+:.*?## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP) ## a virtual environment in .venv with `unstuck` and its development tools

$(STAMP): pyproject.toml scripts/setup.sh
	@scripts/setup.sh $(VENV) '.[dev]'
	@touch $@

$(LAB_STAMP): $(STAMP) lab/pyproject.toml
	@scripts/setup.sh $(VENV) ./lab
	@touch $@

demo: $(STAMP) ## recorded incidents and their answers; needs no cluster and no root
	@$(VENV)/bin/unstuck demo

# What takes one core goes two at a time; the tests take both. Bytecode is kept for them, also that of tests and of what they start,
# whatever the environment says: reading the tests anew takes longer than most of them.
check: $(STAMP) ## the inner loop: no root, no cluster
	@$(MAKE) --no-print-directory -j2 lint types layers docs-check
	env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(abspath $(VENV))/.pycache HYPOTHESIS_PROFILE=quick \
	  $(PY) -m pytest -q -n 2 --dist loadfile -p no:anyio -m "not e2e and not slow" --ignore tests/e2e tests

lint: $(STAMP)
	$(VENV)/bin/ruff check src tests lab benchmarks scripts
	$(VENV)/bin/ruff format --check src tests lab benchmarks scripts

types: $(LAB_STAMP)
	$(VENV)/bin/mypy src/unstuck lab/src scripts benchmarks

layers: $(STAMP)
	$(VENV)/bin/lint-imports

docs: $(STAMP) ## writes the generated pages, and the rules of the chart's readers
	$(PY) scripts/cause_index.py
	$(PY) -m scripts.docs
	$(PY) scripts/rbac.py

docs-check: $(STAMP)
	$(PY) scripts/cause_index.py --check
	$(PY) -m scripts.docs --check
	$(PY) scripts/rbac.py --check

mutate: $(STAMP) ## drops each sign of each rule: some case must go red
	$(PY) scripts/mutate.py

check-scheduler: $(LAB_STAMP) ## CASES=20000 SEED=1: our verdicts on generated clusters held against kube-scheduler's own filters; needs Go
	@$(PY) -m tests.scheduling.check --cases $(CASES) --seed $(SEED)

check-scheduler-process: $(LAB_STAMP) ## the same with a running kube-scheduler and the message that it writes (CASES=100); needs etcd and the lab's programs
	@$(PY) -m tests.scheduling.real --cases $(CASES) --seed $(SEED)

new-cause: $(STAMP) ## ID=family.what-is-wrong: the three files of a new cause, with a failing case
	$(PY) scripts/new_cause.py '$(ID)'

record: $(LAB_STAMP) ## records the demo's incidents from the lab's faults
	$(PY) scripts/record.py

node-zipapp: $(STAMP) ## dist/unstuck-node.pyz: the node's collector as one file for a bare Python
	@$(PY) scripts/zipapp.py dist/unstuck-node.pyz

bench: $(LAB_STAMP) ## the figures of the README, on the lab that is up
	scripts/bench.sh

test: $(STAMP) ## everything; with root on Linux and Go also the end-to-end tests on a real cluster
	@scripts/test.sh
