# Needs make, Python 3.11 or newer and pip. Everything is installed into .venv, nothing outside of it.
PYTHON ?= python3
WORKERS ?= 2

VENV := .venv
RUN := $(VENV)/bin/python
INSTALL := $(RUN) -m pip install --quiet --editable

.PHONY: help demo test lint docs site bench wheel clean
.DEFAULT_GOAL := help

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

demo: $(VENV)/.run ## index the shipped documents, evaluate three retrievers, write a report; offline
	$(RUN) examples/orrin/demo.py

test: $(VENV)/.test ## all tests, with coverage
	$(RUN) -m pytest -n $(WORKERS) --cov --cov-report=term-missing:skip-covered
	$(RUN) -m coverage report --include='*/assay/metrics/*,*/assay/stats/*,*/gold/gates/*,*/judges/verdict.py' --fail-under=100

lint: $(VENV)/.dev ## format, lint rules, types
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy

docs: $(VENV)/.test ## write again what is generated: docs/configuration.md, docs/commands.md, outputs in the texts
	$(RUN) docs/generate.py

site: $(VENV)/.site ## the documentation as a site, in docs/_build; a warning is an error
	$(RUN) -m sphinx -b html -W --keep-going -q docs docs/_build

bench: $(VENV)/.bench ## every benchmark, peers in the same run
	@for file in benchmarks/*.py; do echo "== $$file"; $(RUN) $$file || exit 1; done

wheel: $(VENV)/.ready ## the wheel, in dist/
	rm -rf dist
	$(RUN) -m pip wheel --quiet --no-deps --wheel-dir dist .

clean: ## all that was made here, the environment too
	rm -rf $(VENV) dist build docs/_build htmlcov .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.run: pyproject.toml $(VENV)/.ready
	$(INSTALL) '.[docx]'
	@touch $@

$(VENV)/.test $(VENV)/.dev $(VENV)/.bench $(VENV)/.site: $(VENV)/.%: pyproject.toml $(VENV)/.ready
	$(INSTALL) '.[$*]'
	@touch $@ $(VENV)/.run

# Debian splits pip's bootstrap off into python3-venv; with pip alone the environment can still be made.
$(VENV)/.ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo 'Assay needs Python 3.11 or newer, and $(PYTHON) is not: make PYTHON=python3.12 ...' >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) >/dev/null 2>&1 \
	  || { $(PYTHON) -m venv --without-pip $(VENV) && $(PYTHON) -m pip --python $(RUN) install --quiet pip; } \
	  || { echo 'No virtual environment can be made: apt install python3-venv (or python3-pip)' >&2; exit 1; }
	@touch $@
