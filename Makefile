# The distribution's Python is optimized by profile; pyenv's by default is not, which costs a third.
PYTHON ?= $(shell /usr/bin/python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' \
	2>/dev/null && echo /usr/bin/python3 || echo python3)
NATIVE := connector/native/_native.abi3.so
PYTEST := .venv/bin/python -m pytest
ALL_NEEDED := python3-venv default-jdk-headless maven
NEEDS := command -v $(PYTHON) >/dev/null || { \
	echo 'There is no $(PYTHON). Remedy: apt-get install $(ALL_NEEDED)'; exit 1; }; \
	$(PYTHON) -m tools.prerequisites
.DEFAULT_GOAL := help
.PHONY: help setup servers-needed tests-needed demo test test-unit test-python test-long campaign bench check fmt reference lock stack-up stack-down

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*  ## /\1|/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "  make %-11s %s\n", $$1, $$2}'

setup: .venv/ready .venv/native  ## make .venv with the exact versions of the lock files

# The native row core, where there is a cargo; without it rows take the path in Python.
# A build that failed is not tried again by every make: that may wait for a network.
.venv/native: .venv/ready $(wildcard connector/native/Cargo.* connector/native/*.rs connector/native/src/*.rs)
	@if ! command -v cargo >/dev/null; then rm -f $(NATIVE); \
		echo 'Python reads the rows, slower than the native row core: there is no cargo to build it (docs/install.md).'; \
	elif PYO3_PYTHON=$(CURDIR)/.venv/bin/python CARGO_NET_RETRY=1 CARGO_HTTP_TIMEOUT=20 \
		cargo build --quiet --release --locked --manifest-path connector/native/Cargo.toml \
		--target-dir .venv/target >.venv/native.log 2>&1 \
		&& cp -f .venv/target/release/lib_native.so $(NATIVE:.so=.new.so) \
		&& mv -f $(NATIVE:.so=.new.so) $(NATIVE); \
	then echo 'The native row core is built.'; touch $@; \
	else rm -f $(NATIVE); touch $@; \
		echo 'Python reads the rows, slower than the native row core: cargo could not build it (.venv/native.log).' \
			'Rust 1.82 or newer is needed. To try again: rm $@; make setup'; fi

.venv/ready: requirements.lock requirements-dev.lock pyproject.toml
	@$(NEEDS)
	$(PYTHON) -m venv .venv
	.venv/bin/pip install --quiet --requirement requirements-dev.lock
	.venv/bin/pip install --quiet --no-deps --no-build-isolation --editable .
	touch $@

.venv/spark: .venv/ready requirements-spark.lock
	@echo 'Installing Spark into .venv, once: 450 MB, a minute or two'
	.venv/bin/pip install --quiet --requirement requirements-spark.lock
	touch $@

.venv/readers: .venv/spark requirements-readers.lock
	.venv/bin/pip install --quiet --requirement requirements-readers.lock
	touch $@

servers-needed:
	@$(NEEDS) javac mvn

tests-needed:
	@$(NEEDS) javac mvn mariadbd npm

demo: servers-needed .venv/spark  ## see rows of MySQL arrive in Kafka and in Delta tables
	.venv/bin/python -m tools.demo $(DEMO_SECONDS:%=--seconds %)

test: tests-needed .venv/spark .venv/native  ## run the tests, on real servers; some minutes
	.venv/bin/python -m tests.run -m "not slow"

test-unit: setup  ## run the tests that need no server; seconds
	$(PYTEST) -m "not servers and not oracle and not slow"

# The tests of rows, without the native row core.
test-python: setup
	MILLRACE_NATIVE=0 $(PYTEST) tests/unit/converters tests/unit/debezium tests/unit/mysql

test-long: tests-needed .venv/readers .venv/native  ## run all tests, the long ones too
	$(PYTEST)

bench: servers-needed setup  ## measure speed and memory; PEER=1: beside Kafka Connect
	.venv/bin/python -m bench $(PEER:%=--peer) $(BENCH)

check: .venv/spark  ## lint, format, types and language
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	$(PYTEST) --quiet tests/unit/language

fmt: setup  ## format the code, mend what the linter can
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .

campaign: tests-needed .venv/ready  ## inject random faults (FAULTS=1000 SEED=7 DATABASE=mariadb)
	.venv/bin/python -m tests.campaign $(DATABASE) $(FAULTS:%=--faults %) $(SEED:%=--seed %)

reference: setup
	.venv/bin/python -m tools.reference
	.venv/bin/python -m tools.metrics_reference
	.venv/bin/python -m tools.sink_reference
	.venv/bin/python -m tools.package_graph --write

# Writes the lock files again, with the newest versions.
lock: setup
	.venv/bin/python -m tools.lock

stack-up: setup  ## start Kafka and MySQL in the background (STACK="--mariadb --connect")
	.venv/bin/python -m tools.stack up --detach $(STACK)

stack-down: setup  ## stop them
	.venv/bin/python -m tools.stack down
