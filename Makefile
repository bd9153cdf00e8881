# `make help` lists the targets. `check` never changes a file; `format` does.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
DATA ?= .palimpsest
PORT ?= 8787
export PYTHONPATH := $(CURDIR):$(CURDIR)/layers/memory:$(CURDIR)/cli

$(VENV)/laptop.stamp: requirements/laptop.txt
	@echo "Installing what the laptop needs into $(VENV) (once)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/laptop.stamp
	@echo "Installing what the tests need into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

.PHONY: run
run: $(VENV)/laptop.stamp ## Run the whole service here; data stays in DATA=.palimpsest, PORT=8787
	@$(BIN)/python -m local.run --data "$(DATA)" --port "$(PORT)"

.PHONY: install
install: $(VENV)/dev.stamp ## Install everything that check and test need

.PHONY: format
format: install ## Change files: ruff format and the fixes ruff is sure of
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

.PHONY: lint
lint: install ## Formatting, lint, types and the floors; changes nothing
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .
	@$(BIN)/mypy layers/memory/palimpsest cli local functions tests benchmarks
	@$(BIN)/lint-imports

.PHONY: test
test: install ## Every test that needs no account
	@$(BIN)/python -m pytest

.PHONY: lock
lock: ## Write the locks again from pyproject.toml (needs uv)
	@.ci/lock
