# Everything one does with a checkout, one word each. `make` alone lists the words.
#
# A machine needs Python 3.11 or newer and make. What else is needed goes into .venv, once;
# Node.js is the system's when it is new enough, and otherwise comes from a wheel.
#
#   make test PYTHON=python3.12     another Python, in an environment of its own: .venv-3.12
#   make test ARGS="-k backoff"     more words for the command behind test, campaign, demo or bench
#   make test ARGS="-n 0 --pdb"     all tests in one process, to look into one
#   make planted ARGS="state_lost --command=chaos --seeds=5"     one planted bug, one command, five seeds

# A Python that is named has an environment of its own, so that it is never ignored for one that stands.
ifeq ($(origin PYTHON),undefined)
PYTHON := python3
VENV := .venv
else
VENV := .venv-$(shell "$(PYTHON)" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null)
endif
ARGS ?=

# All paths are relative: the checkout may lie below a folder whose name has spaces.
RUN := $(VENV)/bin/python
# --use-pep517: an older pip would run `setup.py develop`, which cannot map the rooms.
INSTALL := $(RUN) -m pip --quiet --disable-pip-version-check --no-input install --use-pep517
RUNNABLE := $(VENV)/runnable.stamp
INSTALLED := $(VENV)/installed.stamp
CHECKERS := $(VENV)/checkers.stamp
OLDEST := .venv-oldest
VIEW := build/view
FRAMEWORKS := $(VENV)/frameworks
KIT := $(VENV)/kit
TYPED := $(VENV)/typed
WHEEL := build/wheel
SITE_BUILDER := $(VENV)/docs
PYTEST = $(RUN) -m pytest --dist worksteal --numprocesses $$($(RUN) -c "$$WORKERS")
QUICK := tests/base tests/plugins tests/interop tests/supervision tests/agent

# Compiled code is kept, in one place: without it each of hundreds of short Pythons in the tests would compile the
# library again, and where containers and CI say to keep none, they do.
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/pycache
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:  # pip twice at once in one .venv breaks it
.PHONY: help docs demo demo-chat demo-mcp test test-thorough test-pythons test-newest-python test-oldest test-adapters test-mcp test-mcp-clients test-kit quick campaign planted mutants fuzz check check-format check-lint check-types check-public-types check-page-types typed bench gateways matrix format clean node moved view

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | awk -F'|' '{ printf "%-26s %s\n", $$1, $$2 }'

demo: node ## Watch tools answer while their hosts are killed
	@$(RUN) -m callboard demo $(ARGS)

demo-chat: $(INSTALLED) node ## Watch a conversation with real tools, one of whose hosts is killed
	@$(RUN) -m callboard chat --demo --play $(ARGS)

demo-mcp: $(INSTALLED) node ## Watch a client of MCP whose servers are killed, without Callboard and behind it (fetches three servers)
	@PYTHONPATH=tests/support $(RUN) tests/support/real_mcp_servers.py
	@PYTHONPATH=tests/support $(RUN) benchmarks/mcp_under_kills.py

test: $(INSTALLED) node ## Run the tests: each rule once
	@$(PYTEST) $(ARGS)

test-thorough: $(INSTALLED) node ## Run all tests: full products, many examples, long loads (takes half an hour)
	@CALLBOARD_TESTS=thorough $(PYTEST) $(ARGS)

# In an environment of its own: the frameworks bring a hundred packages.
test-adapters: $(RUNNABLE) ## Run the tests of the adapters in the frameworks that they are for (fetches those)
	@test -x $(FRAMEWORKS)/bin/python || $(RUN) -m venv $(FRAMEWORKS)
	@$(FRAMEWORKS)/bin/python -m pip --quiet --disable-pip-version-check --no-input install --use-pep517 --editable '.[frameworks]'
	@OPENAI_AGENTS_DISABLE_TRACING=1 $(FRAMEWORKS)/bin/python -m pytest tests/facade/adapters/each_framework.py $(ARGS)

test-mcp: $(INSTALLED) node ## Run the tests with real MCP servers, of Node and Python (fetches those)
	@PYTHONPATH=tests/support $(RUN) tests/support/real_mcp_servers.py
	@$(RUN) -m pytest tests/facade/mcp/real_servers.py $(ARGS)

test-mcp-clients: $(INSTALLED) node ## Run the tests with the official MCP clients and the conformance suite (fetches those)
	@PYTHONPATH=tests/support $(RUN) tests/support/mcp_client_packages.py
	@$(RUN) -m pytest tests/facade/mcp/official_clients.py $(ARGS)

# In an environment of its own, from a wheel: as it is installed, with nothing of the checkout.
test-kit: $(INSTALLED) node ## Have `callboard chaos` try each example, each template and MCP servers of others (fetches those)
	@PYTHONPATH=tests/support $(RUN) tests/support/real_mcp_servers.py
	@rm -rf $(WHEEL)
	@$(RUN) -m pip --quiet --disable-pip-version-check --no-input wheel --no-deps --no-index --no-build-isolation --wheel-dir $(WHEEL) .
	@test -x $(KIT)/bin/python || $(RUN) -m venv $(KIT)
	@$(KIT)/bin/python -m pip --quiet --disable-pip-version-check --no-input install "$$(echo $(WHEEL)/*.whl)[test]"
	@$(KIT)/bin/python -m pip --quiet --disable-pip-version-check --no-input install --no-deps --force-reinstall $(WHEEL)/*.whl
	@$(KIT)/bin/python -m pytest tests/facade/trial/every_healthy_tool.py $(ARGS)

test-pythons: ## Run all tests on each Python of 3.11 to 3.14 that is found, each in a fresh environment
	@"$(PYTHON)" tests/support/pythons.py all $(ARGS)

test-newest-python: ## Run all tests on the newest other Python that is found
	@"$(PYTHON)" tests/support/pythons.py newest $(ARGS)

# On the oldest Python too. First without an SDK, as most users are, then with those that the extra `sdk` pins.
test-oldest: ## Run all tests with the oldest versions that setup.cfg allows, without the SDKs and with them (fetches those)
	@python=$$("$(PYTHON)" tests/support/pythons.py oldest) && "$$python" -m venv --clear $(OLDEST)
	@$(OLDEST)/bin/python -m pip --quiet --disable-pip-version-check --no-input install uv
	@for extras in test test,sdk; do \
	  echo "make: the oldest versions that .[$$extras] allows" && \
	  $(OLDEST)/bin/uv pip install --quiet --python $(OLDEST)/bin/python --resolution lowest-direct --editable ".[$$extras]" && \
	  $(subst $(VENV),$(OLDEST),$(PYTEST)) $(ARGS) || exit 1; \
	done

quick: $(INSTALLED) ## Run the tests that start no process (for while you write)
	@CALLBOARD_TESTS=quick $(PYTEST) $(QUICK) $(ARGS)

campaign: $(INSTALLED) node ## Try random configurations under load, a hundred rounds of them (takes minutes)
	@$(RUN) -m callboard.chaos campaign $(ARGS)

planted: $(INSTALLED) node ## Plant bugs into the library, and see which commands of the kit convict each (takes a quarter of an hour)
	@PYTHONPATH=tests/support $(RUN) tests/support/planted.py $(ARGS)

mutants: $(INSTALLED) node ## Take out each control of the table of threats, and see that its named tests fail (takes twenty minutes)
	@PYTHONPATH=tests/support $(RUN) tests/support/mutants.py $(ARGS)

fuzz: $(INSTALLED) ## Have a fuzzer look for bytes that break what reads them, a minute for each reader
	@$(INSTALL) --editable '.[fuzz]'
	@$(RUN) tests/fuzz/explore.py $(ARGS)

check: check-format check-lint check-types check-public-types check-page-types test ## Run all checks: format, lint, types, tests

check-format: $(CHECKERS) ## Check the format only
	@$(RUN) -m ruff format --check .

check-lint: $(CHECKERS) ## Check against the lint rules only
	@$(RUN) -m ruff check .

# A plain copy of the package, as it is installed.
view: $(INSTALLED)
	@rm -rf $(VIEW)
	@$(INSTALL) --no-deps --no-index --no-build-isolation --target $(VIEW) .

# mypy reads a plain copy: it does not follow the finder by which an editable install maps the rooms.
check-types: $(CHECKERS) view ## Check the types only
	@MYPYPATH=$(VIEW) $(RUN) -m mypy --strict -p callboard
	@MYPYPATH=$(VIEW) $(RUN) -m mypy --strict --platform darwin -p callboard
	@MYPYPATH=$(VIEW) $(RUN) -m mypy --strict --platform win32 -p callboard

# As a user has it: a wheel, in an environment of its own, with all that it can be used with.
typed: $(INSTALLED)
	@rm -rf $(WHEEL)
	@$(RUN) -m pip --quiet --disable-pip-version-check --no-input wheel --no-deps --no-index --no-build-isolation --wheel-dir $(WHEEL) .
	@test -x $(TYPED)/bin/python || $(RUN) -m venv $(TYPED)
	@$(TYPED)/bin/python -m pip --quiet --disable-pip-version-check --no-input install --no-binary claude-agent-sdk "$$(echo $(WHEEL)/*.whl)[typed]"
	@$(TYPED)/bin/python -m pip --quiet --disable-pip-version-check --no-input install --no-deps --force-reinstall $(WHEEL)/*.whl

check-public-types: typed ## Check that each public symbol of the installed package has a type (fetches the frameworks of the adapters)
	@$(RUN) tests/support/public_types.py $(CURDIR)/$(TYPED)/bin/python

check-page-types: typed ## Check the types of the Python of all pages, with two checkers (fetches as above)
	@PYTHONPATH=tests/support $(RUN) tests/support/page_types.py $(CURDIR)/$(TYPED)/bin/python

bench: $(INSTALLED) node ## Measure, and say what it means
	@$(RUN) benchmarks/run.py $(ARGS)

gateways: $(INSTALLED) node ## Compare gateways for MCP servers under faults (fetches them)
	@$(RUN) benchmarks/gateways/run.py $(ARGS)

matrix: $(INSTALLED) ## Write what conversions may lose into docs/formats.md anew
	@$(RUN) tests/support/interop_matrix.py

# In an environment of its own: what builds the site is nothing that the library, or its tests, need.
docs: $(INSTALLED) view ## Build the site of the documentation into build/site (fetches what builds it)
	@test -x $(SITE_BUILDER)/bin/zensical || $(RUN) -m venv $(SITE_BUILDER)
	@$(SITE_BUILDER)/bin/python -m pip --quiet --disable-pip-version-check --no-input install --use-pep517 --editable '.[docs]'
	@PYTHONPATH=tests/support $(RUN) tests/support/docs_site.py pages
	@$(SITE_BUILDER)/bin/zensical build --clean --strict
	@PYTHONPATH=tests/support $(RUN) tests/support/docs_site.py finish

format: $(CHECKERS) ## Format the Python files and mend what can be mended
	@$(RUN) -m ruff check --fix-only --quiet .
	@$(RUN) -m ruff format .

clean: ## Delete all that was made here, the environments too
	@rm -rf .venv .venv-* build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# --- What the words above stand on -----------------------------------------------------------

# The rule only runs when there is no Python in the environment, or a link to one that is gone.
$(VENV)/bin/python:
	@command -v "$(PYTHON)" >/dev/null || \
	  { echo "make: there is no $(PYTHON); Callboard needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $(PYTHON) is $$("$(PYTHON)" --version 2>&1); Callboard needs Python 3.11 or newer: make PYTHON=/path/to/python3" >&2; exit 1; }
	@echo "make: setting up $(VENV), once ..."
	@"$(PYTHON)" -m venv --clear $(VENV) || \
	  { rm -rf $(VENV); echo "make: $(PYTHON) cannot make $(VENV); on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }

# An editable install names the folder it was made in, so that a checkout that was moved or
# copied would test the code it came from. The stamp tells where it was made.
ifneq ($(shell cat $(RUNNABLE) 2>/dev/null),$(CURDIR))
$(RUNNABLE): moved
endif

# What runs: who only wants to see the demonstration waits for no test tools and no SDKs.
$(RUNNABLE): $(VENV)/bin/python setup.cfg setup.py
	@$(INSTALL) --editable .
	@printf '%s' "$(CURDIR)" > $@

$(INSTALLED): $(RUNNABLE)
	@$(INSTALL) --editable '.[test,sdk]'
	@touch $@

$(CHECKERS): $(INSTALLED)
	@$(INSTALL) --editable '.[check]'
	@touch $@

# Two more than there are processors, since many tests wait for processes; a few, since all of them are collected in each.
define WORKERS
import os
print(min(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1, 3) + 2)
endef
export WORKERS

# Which Node runs the tools is the library's decision (hosts/node/find.py); here it is only asked.
# 3 is "none": then the wheel is installed, unless CALLBOARD_NODE names one that cannot be used.
define FIND_NODE
import sys
from callboard.hosts.errors import HostStartError
from callboard.hosts.node.find import find_node
try:
    find_node()
except HostStartError as error:
    print(error, file=sys.stderr)
    sys.exit(3)
endef
export FIND_NODE

node: $(RUNNABLE)
	@said=$$($(RUN) -c "$$FIND_NODE" 2>&1); case $$? in \
	  0) ;; \
	  3) if [ -n "$$CALLBOARD_NODE" ]; then echo "make: $$said" >&2; exit 1; fi; \
	     echo "make: no Node.js here that is new enough; installing one into $(VENV) ..."; \
	     $(INSTALL) --editable '.[node]' && $(RUN) -c "$$FIND_NODE" ;; \
	  *) echo "$$said" >&2; exit 1 ;; \
	esac
