# Every target does its own set-up; `make help` lists them.
PYTHON ?= python3
# Files or folders of tests, for the targets that run tests; all of them unless given.
TESTS :=
# How many tests run beside each other: one for each 4 GB of memory, 2 to 4. Not the number of cores: most of them wait
# (decision 0075).
WORKERS := $(shell awk '/^MemTotal/ {n = int($$2 / 4000000); print (n < 2 ? 2 : (n > 4 ? 4 : n))}' /proc/meminfo 2>/dev/null || echo 2)
BIN := .venv/bin
READY := .venv/.ready
UI := src/headwater/server/web/built/index.html
UI_PACKAGES := ui/node_modules/.package-lock.json
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
# With a pinned Node, whatever the machine has.
NPM := PATH="$(CURDIR)/$(BIN):$$PATH" npm --prefix ui
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

# What is quick and needs no service.
UNIT := not integration and not long and not slow
# Some machines keep Python from storing compiled files: every process of a run would compile all anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup ui ui-lint ui-check ui-types screenshots dist demo lab-spark lab-connect lab-bridge lab-publish connect services all-services test test-unit test-long test-pythons check static format audit references golden bench bench-sql bench-full lock clean lab-flink fuzz soak

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

setup: $(READY)  ## create .venv with the pinned dependencies and this package

# Without isolation, so that what builds is pinned too; Spark's Java only where the machine has none.
$(READY): requirements.lock requirements-build.lock requirements-java.lock pyproject.toml autoload/pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(INSTALL) --require-hashes -r requirements-build.lock
	$(INSTALL) --require-hashes --no-build-isolation -r requirements.lock
	$(INSTALL) --no-build-isolation -e . ./autoload
	$(BIN)/python -c 'from headwater.pipeline.spark.java import find_java; find_java()' 2>/dev/null \
	  || $(INSTALL) --require-hashes -r requirements-java.lock \
	  || echo 'There is no Java here, nor one to install: all works but what needs Spark.'
	touch $@

demo: $(READY)  ## a server, a pipeline that runs on Spark, an example; on port 5000 (PORT=... for another, ONCE=1 to exit at the end)
	$(MAKE) --no-print-directory ui || echo 'The web UI cannot be built here: the demo goes on without its pages.'
	$(BIN)/headwater demo $(if $(PORT),--port $(PORT)) $(if $(ONCE),--once)

lab-spark: services ui  ## Kafka, Spark and Iceberg, in one graph while they run (PORT=..., KEEP=1 to keep it running)
	$(BIN)/python -m labs.spark $(if $(PORT),--port $(PORT)) $(if $(KEEP),--keep)

lab-connect: services connect ui  ## Kafka Connect, PostgreSQL, S3 and Iceberg, in one graph (PORT=..., KEEP=1 to keep it running)
	$(BIN)/python -m labs.connect $(if $(PORT),--port $(PORT)) $(if $(KEEP),--keep)

lab-bridge: $(READY)  ## an account of Confluent Cloud through LineageBridge's API, on port 8000 (PORT=..., KEEP=1 to keep it running)
	$(MAKE) --no-print-directory ui || echo 'The web UI cannot be built here: the lab goes on without its pages.'
	$(BIN)/python -m labs.bridge $(if $(PORT),--port $(PORT)) $(if $(KEEP),--keep)

lab-publish: all-services ui  ## lineage to four catalogs, a change, and back again (PORT=..., KEEP=1 to keep it running)
	$(BIN)/python -m labs.publish $(if $(PORT),--port $(PORT)) $(if $(KEEP),--keep)

lab-flink: all-services ui  ## Kafka, Flink, Iceberg and Spark, in one graph while they run (PORT=..., KEEP=1 to keep it running)
	$(BIN)/python -m labs.flink $(if $(PORT),--port $(PORT)) $(if $(KEEP),--keep)

services: $(READY)  ## install what the tests start: PostgreSQL, Java, Maven, Chromium (apt, as root), Kafka's jars
	scripts/install-services

all-services: $(READY)
	scripts/install-services --all

connect:  ## build and test the plugin for Kafka Connect (Maven and a JDK), into the package: headwater connect-plugin writes it
	mvn --batch-mode --quiet -Dstyle.color=never --strict-checksums --file connect/pom.xml package
	install -D -m 644 connect/target/headwater-connect.jar src/headwater/connect_plugin/headwater-connect.jar

ui: $(UI)  ## build the web UI into the package

$(UI_PACKAGES): $(READY) requirements-node.lock ui/package.json ui/package-lock.json
	$(INSTALL) --require-hashes -r requirements-node.lock
	$(NPM) ci
	touch $@

$(UI): $(UI_PACKAGES) $(shell find ui -type f -not -path 'ui/node_modules/*')
	$(NPM) run build

ui-lint: $(UI_PACKAGES)  ## format, lint and types of the web UI
	$(NPM) run --silent lint

ui-check: ui ui-lint  ## what ui-lint does, and unit tests of the web UI
	$(NPM) test

ui-types: $(READY)  ## generate the API's types for the web UI
	$(BIN)/python -m scripts.api_types

screenshots: services ui  ## a picture of each page, in light and dark, into docs/pictures
	$(BIN)/python -m scripts.screenshots

# Without isolation, as the set-up: what builds is pinned too.
dist: ui  ## build and check the wheels and source archives: dist/
	rm -rf dist
	$(BIN)/uv build --quiet --no-build-isolation --out-dir dist .
	$(BIN)/uv build --quiet --no-build-isolation --out-dir dist autoload
	$(BIN)/twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl

test: services connect ui-check  ## all tests but the long ones (TESTS=... for some of them, without the floor of coverage)
ifeq ($(TESTS),)
	$(BIN)/python -m pytest -q -n auto -m "$(UNIT)" --cov --cov-report=
	$(BIN)/python -m pytest -n $(WORKERS) --durations=25 -m "not long and (integration or slow)"
else
	$(BIN)/python -m pytest -n $(WORKERS) --durations=25 -m "not long" $(TESTS)
endif

test-unit: $(READY)  ## the quick tests, which need no service
	$(BIN)/python -m pytest -q -n auto -m "$(UNIT)" $(TESTS)

test-long: all-services connect  ## kill loops, soak, second versions, new machines (TESTS=... for some of them)
	$(BIN)/python -m pytest -m long $(TESTS)

fuzz: $(READY)  ## requests by chance to a server, with progress (REQUESTS=200000 SEED=... FIRST=... DATABASE=postgresql)
	$(BIN)/python -m tests.fuzz $(if $(REQUESTS),--requests $(REQUESTS)) $(if $(SEED),--seed $(SEED)) $(if $(FIRST),--first $(FIRST)) $(if $(DATABASE),--database $(DATABASE))

soak: $(READY)  ## a server for long, and its memory; goes on where it was ended (EVENTS=1000000 FOLDER=... STORE=URL)
	$(BIN)/python -m tests.faults.soak $(if $(EVENTS),--events $(EVENTS)) $(if $(FOLDER),--folder $(FOLDER)) $(if $(STORE),--store $(STORE))

test-pythons: dist  ## the unit tests with the wheel in each supported Python that is here (PYTHONS="3.12 3.13" for some)
	$(BIN)/python -m scripts.test_pythons dist $(PYTHONS)

# Beside each other, each with its output in one piece.
check: $(READY)  ## format, lint, types, import layers, unit tests
	$(MAKE) --no-print-directory --jobs --output-sync --keep-going static test-unit

static: $(READY) ui-lint  ## what check does beside the tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.references --check
	@$(BIN)/python -m scripts.audit

audit: $(READY)  ## look up what is locked in a database of known vulnerabilities, if it answers
	@$(BIN)/python -m scripts.audit

references: $(READY)  ## write the references in docs that are made from the code
	$(BIN)/python -m scripts.references

golden: $(READY)  ## write what is found now into tests/golden; review the difference
	$(BIN)/python -m testing.sql_golden

format: $(READY) $(UI_PACKAGES)  ## rewrite the sources in the project's format
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(NPM) run --silent format

bench: services ui  ## the figures, within 8 minutes; writes docs/benchmarks.md
	$(BIN)/python -m bench

bench-sql: $(READY)  ## accuracy and speed of SQL lineage (accuracy if the cases are at ../shared/data/sql; CASES=... for another file)
	$(BIN)/python -m bench.sql_lineage $(CASES)

bench-full: services connect ui  ## the figures with the large rows
	$(BIN)/python -m bench --full

lock: $(READY)  ## update the lock files
	$(COMPILE) --extra registry --extra kafka --extra aws --extra databricks --extra server --extra postgres --extra lake --group dev pyproject.toml -o requirements.lock
	$(COMPILE) --group build -o requirements-build.lock
	$(COMPILE) --group java -o requirements-java.lock
	$(COMPILE) --group node -o requirements-node.lock
	$(BIN)/python -m scripts.lock_jars

clean:  ## remove what the targets created
	rm -rf ui/node_modules src/headwater/server/web/built src/headwater/connect_plugin .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .headwater-demo dist build connect/target
