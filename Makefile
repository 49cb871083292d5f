# Every target sets up what it needs: a virtual environment in .venv, with weft installed in editable mode.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
BENCH := .venv-bench
PEERS := numba scipy jax tensorflow-cpu torch pythran 'dace>=2.0.0b1'

.DEFAULT_GOAL := help

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "weft needs Python 3.10 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml integrations/keras_weft/pyproject.toml integrations/weft_emulator/pyproject.toml | $(BIN)/python
	@echo "installing weft in $(VENV), with NumPy, LLVM and MLIR (80 MB) and what tests and demo need: some minutes, once"
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on --editable '.[test,demo]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable ./integrations/weft_emulator
	! $(BIN)/python -c 'import keras' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable ./integrations/keras_weft
	@touch $@

install: $(INSTALLED) ## Set up .venv; runs again when pyproject.toml changed

$(VENV)/.demo-installed: pyproject.toml | $(BIN)/python
	@echo "installing weft in $(VENV), with NumPy, LLVM and MLIR (80 MB) and scikit-learn: a minute or two, once"
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on --editable '.[demo]'
	@touch $@

demo: $(VENV)/.demo-installed ## Read handwritten digits, draw the Mandelbrot set, find how a flow began, with compiled functions
	$(BIN)/python examples/digits_knn.py
	$(BIN)/python examples/kmeans.py
	$(BIN)/python examples/mandelbrot.py
	$(BIN)/python examples/train_digits.py
	$(BIN)/python examples/burgers.py

test: $(INSTALLED) ## Check format, lint, types; run the FileCheck tests and pytest
	$(BIN)/python test/run.py

test-fast: $(INSTALLED) ## The same checks on a part of the tests that covers every room once, in under two minutes
	$(BIN)/python test/run.py --fast

$(BENCH)/.installed: pyproject.toml
	test -x $(BENCH)/bin/python || $(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --editable . matplotlib
	for peer in $(PEERS); do \
	  $(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check $$peer || echo "measuring without $$peer"; \
	done
	@touch $@

bench: $(BENCH)/.installed ## Measure weft beside its peers, in an environment of their own; writes bench/results/
	$(BENCH)/bin/python bench/run.py

soak: $(INSTALLED) ## Compare all float32 numbers and random programs with the reference for a long time
	$(BIN)/python test/soak.py

SECONDS ?= 600
JOBS ?= 1
DEVICE ?=

fuzz: $(INSTALLED) ## Compare random whole programs with eager Python for SECONDS (600) in JOBS (1) processes, and damage IR and files
	$(BIN)/python test/fuzz/run.py --seconds $(SECONDS) --jobs $(JOBS) $(if $(DEVICE),--device $(DEVICE))
	cd test && ../$(BIN)/python -W ignore -m support.ir_mutants --seconds $$(($(SECONDS) / 10))
	cd test && ../$(BIN)/python -W ignore -m support.damaged_files --seconds $$(($(SECONDS) / 10)) --first $$(date +%s)

FIRES ?=

fires: $(INSTALLED) ## Count in which programs each pass changes something, also in FIRES="--npbench DIR --checkouts DIR"
	$(BIN)/python bench/fires.py $(FIRES)

gpu-pack: $(INSTALLED) ## Compile what the check on a GPU runs there; writes build/gpu/
	$(BIN)/python bench/gpu/pack.py build/gpu

gpu-carry: $(INSTALLED) ## Pack MLIR and LLVM for a machine with a GPU that cannot fetch them; writes build/carry/
	$(BIN)/python bench/gpu/carry.py build/carry

format: $(INSTALLED) ## Format the code and apply the safe lint fixes
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

docs: $(INSTALLED) ## Regenerate the pages of docs/ that come from the sources
	$(BIN)/python docs/generate.py

$(VENV)/.docs-installed: pyproject.toml | $(BIN)/python
	@echo "installing weft in $(VENV), with NumPy, LLVM and MLIR (80 MB) and Sphinx: a minute or two, once"
	$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on --editable '.[docs]'
	@touch $@

docs-site: $(VENV)/.docs-installed ## Build the documentation as a site, in build/site/html; links are checked
	$(BIN)/python docs/site/build.py

dist: $(INSTALLED) ## Write the source distribution and the wheel of a tagged release to dist/
	git diff --quiet HEAD || { echo "there are changes that are not committed"; exit 1; }
	git tag --points-at HEAD | grep -qx "v$$($(BIN)/python -c 'import weft; print(weft.__version__)')" || { echo "this commit has no tag of its version"; exit 1; }
	rm -rf dist build/lib
	$(BIN)/python -c 'from setuptools import build_meta; build_meta.build_sdist("dist")'
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist dist/*.tar.gz
	ls -l dist

clean: ## Remove .venv, build products and caches
	rm -rf $(VENV) $(BENCH) build dist weft.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help install demo test test-fast bench soak fuzz fires gpu-pack gpu-carry format docs docs-site dist clean
