# Everything that one does in a checkout. `make` lists the targets; only git, make and Python 3.11 to 3.13 with venv are
# assumed. All that is installed goes into .venv, from the lock files, with the hash of every package checked.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory
# Without the compiled modules that Python keeps, each process of the tests would compile them, and the tests, anew.
unexport PYTHONDONTWRITEBYTECODE
.PHONY: evidence pictures strangers help setup brief lab test test-all notebooks lint format docs linkcheck bench growth deployment fuzz mutate redos faults coverage mutants sbom audit lock upgrade test-oldest clean

VENV := .venv
OLDEST := .venv-oldest
BIN := $(VENV)/bin
PYTEST := -m pytest --dist loadfile
NBVAL := --nbval-lax --nbval-current-env --nbval-cell-timeout 120
# Two workers at most for tests that measure transfers: the tools need the other cores.
SLOW := --numprocesses 2 $(NBVAL)

# uv shows its progress on a terminal, and is quiet where its list of packages would fill a log.
install = $(1)/bin/uv pip install --python $(1)/bin/python --compile-bytecode $$([ -t 2 ] || echo --quiet)
install_project = $(call install,$(1)) --no-deps --no-build-isolation --editable . && $(1)/bin/python -m compileall -q hecn_analysis

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/runtime.stamp ## make .venv from requirements.lock; after this the command is .venv/bin/hecn

brief: setup ## make the briefs whose inputs changed, in briefs/ (HTML, PDF if Chromium is installed, index.html); ARGS=--force: all
	$(BIN)/hecn brief all -o briefs $(ARGS)

KERNELS := --ServerApp.kernel_spec_manager_class=hecn_analysis.base.kernels.OwnKernels
lab: setup ## open JupyterLab in notebooks/; ARGS go to it, e.g. ARGS=--allow-root for root
	$(BIN)/jupyter lab --notebook-dir notebooks $(KERNELS) $(ARGS)

# tests/conftest.py decides which tests are slow: those with a browser, a live transfer, a kill or a wheel. Files run in the
# order of their names and not, as xdist would have it, those of few tests last: many of these take longest. The examples
# of the modules, small files all, then fill the end of both workers.
IN_ORDER := --no-loadscope-reorder
test: $(VENV)/dev.stamp ## the quick tests and doctests, in one process per core; ARGS go to pytest, e.g. ARGS='-k pcie'
	$(BIN)/python $(PYTEST) $(IN_ORDER) --numprocesses auto -m 'not slow' tests hecn_analysis $(ARGS)

# The browser tests make every brief once and compare its numbers with those stored in the notebook.
test-all: test ## the quick tests, then the slow ones: browsers, briefs, live transfers, faults, the wheel
	$(BIN)/python $(PYTEST) $(IN_ORDER) $(SLOW) -m slow tests notebooks/01_analyse_my_folder.ipynb $(ARGS)

notebooks: $(VENV)/dev.stamp ## run every notebook under nbval and compare it with its stored outputs
	$(BIN)/python $(PYTEST) $(SLOW) notebooks $(ARGS)

lint: $(VENV)/dev.stamp ## ruff and mypy
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/dev.stamp ## apply ruff's format and fixes
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/dev.stamp ## build docs/_build/html/index.html, with pictures if Chromium is installed; any warning is an error
	@echo "Taking pictures, running every command and code cell of the pages, and writing them: a few minutes …"
	$(BIN)/sphinx-build --jobs auto --fail-on-warning --keep-going $$([ -t 1 ] || echo --quiet) docs docs/_build/html
	@echo "docs/_build/html/index.html"

pictures: $(VENV)/dev.stamp ## make the pictures of README.md again, in docs/pictures (needs Chromium)
	$(BIN)/python -m upkeep.pictures docs/pictures

linkcheck: $(VENV)/dev.stamp ## request every address in the documentation (needs the network)
	$(BIN)/sphinx-build --builder linkcheck --quiet docs docs/_build/linkcheck

bench: $(VENV)/dev.stamp ## time the package against other packages, for docs/benchmarks.md; ARGS e.g. ARGS='--rounds 31'
	$(BIN)/python -m benchmarks.run $(ARGS)

growth: $(VENV)/dev.stamp ## measure time and memory against input size, for the same page; ARGS e.g. ARGS='--only files'
	$(BIN)/python -m benchmarks.growth $(ARGS)

deployment: $(VENV)/dev.stamp ## measure the costs of a national network's model and check it, for the same page
	$(BIN)/python -m benchmarks.deployment

# All groups are searched, whatever is found in one of them.
MINUTES ?= 10
GROUPS ?= memory files paths wrappers
fuzz: $(VENV)/fuzz.stamp ## search for bytes that break the readers (Linux), MINUTES=10 for each of GROUPS='memory files paths wrappers'
	@status=0; for group in $(GROUPS); do $(BIN)/python -m fuzz.run $$group --minutes $(MINUTES) || status=1; done; exit $$status

INPUTS ?= 100000
mutate: $(VENV)/dev.stamp ## read INPUTS=100000 damaged files of every kind (Linux), drawn by SEED=1; ARGS e.g. ARGS='--jobs 2'
	$(BIN)/python -m fuzz.mutate --inputs $(INPUTS) --seed $(or $(SEED),1) $(ARGS)

redos: $(VENV)/dev.stamp ## try every regular expression on texts of a million characters built to slow it down
	$(BIN)/python -m fuzz.patterns $(ARGS)

# The same code as in `make test`, more of it, and each time at other moments; SEED is that of a failure, to see it again.
FAULTS ?= 2000
SEED ?=
faults: $(VENV)/dev.stamp ## kill, interrupt and block writers at FAULTS=2000 moments, chosen by SEED= (Linux)
	HECN_FAULTS=$(FAULTS) HECN_FAULT_SEED=$(or $(SEED),$(shell date +%s)) $(BIN)/python -m pytest -q tests/faults $(ARGS)

evidence: $(VENV)/dev.stamp ## count the signs of transfers with a known cause in CASES=DIR, and cross-validate the verdicts
	$(BIN)/python -m upkeep.evidence $(CASES) $(ARGS)

strangers: $(VENV)/dev.stamp ## predict published results in DATA=FILE by upkeep/strangers.yaml, and score them; ARGS=--estimate: sizes of errors anew
	$(BIN)/python -m upkeep.strangers $(DATA) $(ARGS)

ROOMS ?= limits prediction traffic logs counters inventory
coverage: $(VENV)/dev.stamp ## measure branch coverage, room by room: ROOMS='limits traffic'; below 95 % is an error
	$(BIN)/python -m upkeep.branches $(ROOMS)

ROOM ?= traffic
NUMBER ?= 150
mutants: $(VENV)/mutation.stamp ## put defects into the code and count those that the tests find (Linux): ROOM=traffic NUMBER=150 SEED=1
	$(BIN)/python -m upkeep.mutants $(ROOM) --number $(NUMBER) --seed $(or $(SEED),1) $(ARGS)

# An old package breaks a call that it lacks or answers otherwise, whatever the values: each call has to run once. So these run:
# every example (all public functions have one), every notebook, and the tests of the rooms whose work another package does:
# tables on disk, packed files, descriptions, figures, notebooks, pages. Searches over values, arithmetic and readers of text
# find nothing here that `make test` does not.
OLDEST_ROOMS := app archive base briefs figures files hardware traffic
test-oldest: $(OLDEST)/oldest.stamp ## the tests with the oldest versions that pyproject.toml allows, on Python 3.11
	$(OLDEST)/bin/python $(PYTEST) $(SLOW) -W default -m 'not hypothesis' $(addprefix tests/,$(OLDEST_ROOMS)) hecn_analysis notebooks $(ARGS)

sbom: $(VENV)/dev.stamp ## write dist/sbom.cdx.json: all packages of requirements.lock with hashes and licences (CycloneDX)
	$(BIN)/python -m tools.sbom dist/sbom.cdx.json

audit: $(VENV)/dev.stamp ## look up all locked packages for known vulnerabilities (network); an incomplete lookup fails
	$(BIN)/python -m tools.audit

# Locks: one file for Python 3.11 to 3.13 on every system, hashes for all, no package host in it. Pins stay unless pyproject.toml
# or `make upgrade` asks for more; only the oldest versions are found anew, since pins would hide a lowered bound.
compile = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-annotate --constraint constraints.txt \
	--custom-compile-command "make lock" $(UPGRADE)
lock: setup ## update the lock files after a change of the dependencies in pyproject.toml
	$(compile) --group bootstrap -o requirements-bootstrap.lock
	$(compile) pyproject.toml --group build -o requirements.lock
	$(compile) --group test --group lint --group docs --group bench --group audit --constraint requirements.lock -o requirements-dev.lock
	$(compile) --group fuzz -o requirements-fuzz.lock
	$(compile) --group mutation --constraint requirements-dev.lock -o requirements-mutation.lock
	$(compile) pyproject.toml --group build --group test --resolution lowest-direct --upgrade -o requirements-oldest.lock

upgrade: UPGRADE := --upgrade
upgrade: lock ## the same with the newest versions of everything

clean: ## remove everything that make created: environments, briefs, built docs, caches
	rm -rf $(VENV) $(OLDEST) briefs dist fuzz/corpus .mutants docs/_build docs/generated docs/jupyter_execute .benchmarks .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# A stamp is newer than the lock it was made from: nothing is installed again until a lock or pyproject.toml changes. It
# holds the place of the checkout, since the programs in .venv name it: after a move the environment is made anew.
ifneq ($(shell cat $(VENV)/runtime.stamp 2>/dev/null),$(CURDIR))
.PHONY: $(VENV)/runtime.stamp
endif
$(VENV)/runtime.stamp: requirements-bootstrap.lock requirements.lock pyproject.toml tools/make-venv
	@echo "Setting up $(VENV) (once) …"
	@tools/make-venv $(VENV) requirements-bootstrap.lock
	@$(call install,$(VENV)) --require-hashes --requirement requirements.lock
	@$(call install_project,$(VENV))
	@echo "$(CURDIR)" > $@

$(VENV)/dev.stamp: $(VENV)/runtime.stamp requirements-dev.lock
	@echo "Adding the tools for tests, checks and docs to $(VENV) (once) …"
	@$(call install,$(VENV)) --require-hashes --requirement requirements-dev.lock
	@touch $@

$(VENV)/fuzz.stamp: $(VENV)/dev.stamp requirements-fuzz.lock
	@echo "Adding the fuzzer to $(VENV) (once) …"
	@$(call install,$(VENV)) --require-hashes --requirement requirements-fuzz.lock
	@touch $@

$(VENV)/mutation.stamp: $(VENV)/dev.stamp requirements-mutation.lock
	@echo "Adding what makes mutants to $(VENV) (once) …"
	@$(call install,$(VENV)) --require-hashes --requirement requirements-mutation.lock
	@touch $@

$(OLDEST)/oldest.stamp: PYTHON ?= python3.11
$(OLDEST)/oldest.stamp: requirements-bootstrap.lock requirements-oldest.lock pyproject.toml tools/make-venv
	@echo "Setting up $(OLDEST) (once) …"
	@PYTHON=$(PYTHON) tools/make-venv $(OLDEST) requirements-bootstrap.lock
	@$(call install,$(OLDEST)) --require-hashes --requirement requirements-oldest.lock
	@$(call install_project,$(OLDEST))
	@touch $@
