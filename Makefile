# Every target does its own set-up; `make help` lists them.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help setup demo services test test-unit test-long check format bench bench-full lock clean

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## create .venv with the pinned dependencies and this package

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

demo: $(READY)  ## a server with an example in it, on port 5000 (PORT=... for another)
	$(BIN)/headwater demo $(if $(PORT),--port $(PORT))

services: $(READY)  ## install what the tests start: PostgreSQL, Java, Maven (apt, as root), Kafka's jars
	scripts/install-services

test: services  ## all tests but the long ones
	$(BIN)/python -m pytest -m "not long"

test-unit: $(READY)  ## the tests that need no service, in under a minute
	$(BIN)/python -m pytest -q -n auto -m "not integration and not long"

test-long: services  ## kill loops, soak, second versions
	$(BIN)/python -m pytest -m long

check: $(READY)  ## format, lint, types, import layers, unit tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(MAKE) --no-print-directory test-unit

format: $(READY)  ## rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: services  ## the figures, within 8 minutes; writes docs/benchmarks.md
	$(BIN)/python -m bench

bench-full: services  ## the figures with the large rows
	$(BIN)/python -m bench --full

lock: $(READY)  ## write requirements.lock anew
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --group dev pyproject.toml -o requirements.lock

clean:  ## remove what the targets made
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .headwater-demo dist build
