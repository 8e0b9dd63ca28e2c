# Every target is safe to repeat. `check` installs what the command needs in .venv, the
# others their tools, too; both again only when the packaging files change.
# PYTHON=/path/to/python3 chooses another interpreter for a new one.
BIN := .venv/bin
PYTHON ?=
MINUTES ?= 60
SUITES ?= default kraft kraft-further-faults large
COMMAND := .venv/installed
TOOLS := .venv/installed-dev
SITE := .venv/installed-site
# As many tests at once as there are cores; each keeps to its own files.
AT_ONCE := -n auto --dist worksteal
TESTS := $(BIN)/pytest $(AT_ONCE)

.DEFAULT_GOAL := help
.PHONY: help setup venv check suites test test-all bench conform docs docs-site pictures nightly \
    nightly-clusters clean

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 10

setup: $(COMMAND) ## create .venv with what the command needs, and nothing else

venv: $(TOOLS) ## create .venv with replicheck and its development tools

$(COMMAND): setup.cfg pyproject.toml .ci/make-venv
	@PYTHON='$(PYTHON)' .ci/make-venv

$(TOOLS): $(COMMAND)
	@.ci/make-venv dev

$(SITE): $(COMMAND)
	@.ci/make-venv site

check: $(COMMAND) ## run the default suite of scenarios
	@$(BIN)/replicheck check

suites: venv ## run the shipped suites as tests, with a report for CI servers
	$(BIN)/pytest $(AT_ONCE) --replicheck-threads 1 --junit-xml=suites.xml \
	    $(SUITES:%=invariants/suites/%.toml)

test: venv ## lint, formatting, types, import contracts, all tests but the slow ones
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(TESTS) -m "not slow"

test-all: test ## what test runs, then the slow tests
	$(TESTS) -m slow

bench: venv ## measure the engines
	$(BIN)/python bench/run.py
	$(BIN)/python bench/aims.py

conform: venv ## run the models on Kafka's own classes (needs Java and Maven)
	.ci/conform

pictures: venv ## take the pictures in the docs again (needs chromium-driver)
	$(BIN)/python .ci/diagrams.py docs/pictures
	PICTURES=docs/pictures $(BIN)/pytest -q -k picture_in_the_docs

docs: venv ## write the pages of docs/ that are generated
	$(BIN)/replicheck rules --markdown > docs/rules.md
	$(BIN)/replicheck mutants --markdown > docs/mutants.md
	$(BIN)/replicheck bugs --markdown > docs/bugs.md

docs-site: $(SITE) ## write the documentation as a site to site/
	rm -rf build/site
	$(BIN)/replicheck bugs --pages build/site/bugs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

nightly: venv ## the tests with many more random examples, large searches and further faults
	HYPOTHESIS_PROFILE=nightly $(TESTS)
	$(BIN)/replicheck check large further-faults pairs-of-faults kraft-all-further-faults
	ONLY_AT_HAND=1 WALKS=200 .ci/conform --all-known

nightly-clusters: venv ## random faults on real clusters for MINUTES; validate each run
	$(BIN)/pip install --quiet -e '.[real]'
	$(BIN)/python tests/real/nightly.py --minutes $(MINUTES) nightly-clusters

clean: ## remove .venv, builds and caches
	rm -rf .venv build dist site *.egg-info .hypothesis .import_linter_cache \
	    .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
