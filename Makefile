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

.PHONY: help setup lab demo test test-cold accept check check-rules check-servers check-others in-full format lint types layers cases check-scheduler check-scheduler-process check-versions docs accuracy docs-check lock-check mutate wording-check new-cause new-fact facts case-answers record pictures node-zipapp bench bench-scale lock release clean

help: ## what each target does
	@grep -hE '^[a-z-]+:.*?## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(STAMP) ## a virtual environment in .venv with `unstuck` and its development tools

$(STAMP): pyproject.toml scripts/setup.sh
	@scripts/setup.sh $(VENV) '.[dev]'
	@touch $@
	@echo "setup: done; next: make demo, or $(VENV)/bin/unstuck why pod/NAME; all that is checked before a push: make check"

lab: $(LAB_STAMP) ## `unstuck-lab` in .venv beside it: a real cluster to break (root on Linux; see lab/README.md)

$(LAB_STAMP): $(STAMP) lab/pyproject.toml scripts/setup.sh
	@scripts/setup.sh $(VENV) ./lab
	@touch $@

demo: $(STAMP) ## recorded incidents and their answers; needs no cluster and no root
	@$(VENV)/bin/unstuck demo

# A part of the tests in one process each costs half of handing out every test; those that wait for servers leave the others the cores.
# Bytecode is kept for them, also that of tests and of what they start, whatever the environment says: reading the tests anew takes
# longer than most of them.
INNER := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(abspath $(VENV))/.pycache HYPOTHESIS_PROFILE=quick \
  $(PY) -m pytest -q -p no:anyio -p no:cacheprovider -m "not e2e and not slow"
RULES := $(addprefix tests/,contract wording text engine facts fuzz knowledge)
SERVERS := $(addprefix tests/,kube kubelet runtime agent)
OTHERS := $(filter-out $(RULES) $(SERVERS) tests/e2e tests/__pycache__,$(patsubst %/,%,$(wildcard tests/*/)))

check: $(STAMP) ## the inner loop: no root, no cluster
	@$(MAKE) --no-print-directory -j2 static
	@$(MAKE) --no-print-directory -j3 --output-sync=target check-rules check-servers check-others

check-rules: $(STAMP) ## the part of `make check` for facts, messages, texts and causes
	$(INNER) $(RULES)

check-servers: $(STAMP) ## the part for the API server, kubelets, runtimes and the agent
	$(INNER) $(SERVERS)

check-others: $(STAMP) ## the part for the rest: the command line, the node's readers, recorded answers
	$(INNER) $(OTHERS)

# All of them with all their examples. What waits for servers and shells, or reads a node, has limits of time; the others only compute, and
# may run beside anything, as slowly as it must be. What looks at the answer to every case is one part: each is answered once in it.
FULL := env -u PYTHONDONTWRITEBYTECODE PYTHONPYCACHEPREFIX=$(abspath $(VENV))/.pycache \
  $(PY) -m pytest -q -p no:anyio -p no:cacheprovider -m "not e2e" --durations=10
READ := tests/recorded/test_trees.py
ANSWERED := $(addprefix tests/,contract/test_formats.py contract/test_next.py bundle recorded cli/test_replay.py)
WAITING := $(SERVERS) $(addprefix tests/,cli node) $(READ)
REST := $(filter-out $(ANSWERED) $(WAITING) $(addprefix tests/,contract fuzz e2e __pycache__),$(patsubst %/,%,$(wildcard tests/*/)))

in-full: in-full-waiting in-full-computing ## every test that needs no cluster, with all examples

in-full-waiting: $(STAMP)
	@$(MAKE) --no-print-directory -k -j3 --output-sync=target in-full-cli in-full-kube in-full-others

in-full-computing: $(STAMP)
	@$(MAKE) --no-print-directory -k -j2 --output-sync=target in-full-answered in-full-rest in-full-contract in-full-fuzz

in-full-answered: $(STAMP)
	$(FULL) $(ANSWERED) $(addprefix --ignore=,$(READ))

in-full-rest: $(STAMP)
	$(FULL) $(REST)

in-full-others: $(STAMP)
	$(FULL) $(filter-out tests/cli tests/kube,$(WAITING))

in-full-%: $(STAMP)
	$(FULL) tests/$* $(addprefix --ignore=,$(ANSWERED))

static: lint types layers docs-check lock-check ## what needs no test: lint, types, layers, generated pages, pinned packages

format: $(STAMP) ## lays out sources as lint wants them, and says what only a person can mend
	$(VENV)/bin/ruff check --fix-only src tests lab benchmarks scripts
	$(VENV)/bin/ruff format src tests lab benchmarks scripts
	$(VENV)/bin/ruff check src tests lab benchmarks scripts

lint: $(STAMP)
	$(VENV)/bin/ruff check src tests lab benchmarks scripts
	$(VENV)/bin/ruff format --check src tests lab benchmarks scripts

types: $(LAB_STAMP)
	$(VENV)/bin/mypy src/unstuck lab/src scripts benchmarks

layers: $(STAMP) ## who may import whom
	$(VENV)/bin/lint-imports

docs: $(STAMP) ## writes the generated pages, and the rules of the chart's readers; says which messages lack their Chinese
	$(PY) -m scripts.messages
	$(PY) -m scripts.cause_index
	$(PY) -m scripts.docs
	$(PY) -m scripts.rbac
	$(PY) -m scripts.readme_counts
	$(MAKE) -s accuracy

accuracy: $(STAMP) ## docs/accuracy.md: first sight, and the public reports as they are answered now
	$(PY) -m scripts.accuracy

docs-check: $(STAMP)
	$(PY) -m scripts.messages --check
	$(PY) -m scripts.cause_index --check
	$(PY) -m scripts.docs --check
	$(PY) -m scripts.rbac --check
	$(PY) -m scripts.readme_counts --check
	$(PY) -m scripts.accuracy --check

mutate: $(STAMP) ## ID=file.immutable: drops each sign of each rule, or of one: some case must go red
	$(PY) scripts/mutate.py $(ID)

wording-check: $(STAMP) ## looks the words of Kubernetes 1.34 up in its source, which the lab's setup has fetched
	@$(PY) -m scripts.wording_check

check-scheduler: $(LAB_STAMP) ## CASES=20000 SEED=1: our verdicts on generated clusters held against kube-scheduler's own filters; needs Go
	@$(PY) -m tests.scheduling.check --cases $(CASES) --seed $(SEED)

check-scheduler-process: $(LAB_STAMP) ## the same with a running kube-scheduler and the message that it writes (CASES=100); needs etcd and the lab's programs
	@$(PY) -m tests.scheduling.real --cases $(CASES) --seed $(SEED)

check-versions: $(LAB_STAMP) ## the faults that need no node, on the oldest and the newest Kubernetes (root; builds both at first)
	$(PY) -m scripts.check_versions

new-cause: $(STAMP) ## ID=family.what-is-wrong BY=fact|message: the three files of a new cause, an example that works, to be replaced
	$(PY) scripts/new_cause.py '$(ID)' '$(BY)'

new-fact: $(STAMP) ## NAME=OpenFiles ABOUT=Pod BY=node|api|object: a new fact's record, declaration, reader and failing test
	@$(PY) -m scripts.new_fact '$(NAME)' '$(ABOUT)' '$(BY)'

WORD ?=
facts: $(STAMP) ## WORD=lease: the facts, causes and vocabulary that know a word; who makes a fact, which causes read it
	@$(PY) -m scripts.facts $(WORD)

case-answers: $(STAMP) ## ID=file.immutable: what each case of a cause answers, sign by sign
	@$(PY) -m scripts.case_answers '$(ID)'

record: $(LAB_STAMP) ## records the demo's incidents from the lab's faults
	$(PY) scripts/record.py

pictures: $(STAMP) ## docs/pictures: answers as a terminal shows them
	$(PY) -m scripts.pictures

node-zipapp: $(STAMP) ## dist/unstuck-node.pyz: the node's collector as one file for a bare Python
	@$(PY) scripts/zipapp.py dist/unstuck-node.pyz

lock: $(STAMP) ## pins the newest packages that fit pyproject.toml, by version and hash, in requirements/
	$(PY) -m scripts.lock

lock-check: $(STAMP)
	$(PY) -m scripts.lock --check

release: ## dist/: the wheel and what it runs with, built and tried with the packages of requirements/ alone
	@scripts/release.sh

bench: $(LAB_STAMP) ## the figures of the README, on the lab that is up
	scripts/bench.sh

NODES ?= 5000
PODS ?= 150000
bench-scale: $(LAB_STAMP) ## NODES=5000 PODS=150000 JSON=FILE DATA=DIR AGAINST=CLONE PAIRS=9: what a scan of that cluster costs, beside curl and kubectl; needs etcd, 20 GB
	@$(PY) -m benchmarks.scale --nodes $(NODES) --pods $(PODS) $(if $(JSON),--json '$(JSON)') $(if $(DATA),--data '$(DATA)') $(if $(AGAINST),--against '$(AGAINST)') $(if $(PAIRS),--pairs $(PAIRS))

test: $(STAMP) ## everything; with root on Linux and Go also the end-to-end tests on a real cluster
	@scripts/test.sh

ONLY ?=
accept: $(LAB_STAMP) ## hours: what each area promises, run in full, and its page in docs/accept; ONLY=fresh-machine CHECK=cold SEED=1; goes on where it was ended
	@$(PY) -m scripts.accept $(if $(ONLY),--only $(ONLY)) $(if $(CHECK),--check "$$CHECK") --seed $(SEED)

test-cold: ## the same of HEAD with empty caches and without the lab's packages, as on a machine that has never seen it
	@scripts/test-cold.sh
