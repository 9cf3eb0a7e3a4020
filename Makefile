# make demo and make test need python3 with venv and a C compiler; everything else they fetch themselves.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
SOURCES = pyproject.toml setup.py $(wildcard src/fastbleu/*.pyx src/fastbleu/*.pxd src/fastbleu/kernel/*.h)
DATA ?= ../shared/data
PIP = $(BIN)/python -m pip --disable-pip-version-check install --quiet

.PHONY: help build demo test test-pythons lint bench sanitize clean
.DELETE_ON_ERROR:

help:            ## show this list
	@grep -E '^[a-z-]+: .*##' Makefile | sed 's/:.*##/  -/'

$(VENV)/built: $(SOURCES)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "building fastbleu into $(VENV) ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/tested: $(VENV)/built
	@$(PIP) --editable '.[test]'
	@touch $@

build: $(VENV)/built            ## make the virtual environment and compile

demo: $(VENV)/built            ## build, then score two systems against two references
	@echo; echo '$$ fastbleu examples/reference.1.txt examples/reference.2.txt -i examples/system-a.txt examples/system-b.txt'
	@$(BIN)/fastbleu examples/reference.1.txt examples/reference.2.txt \
	    -i examples/system-a.txt examples/system-b.txt
	@echo; echo 'The same from Python:'
	@$(BIN)/python examples/demo.py

test: $(VENV)/tested            ## build, then run the tests
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" $(BIN)/python -m pytest $(PYTEST_ARGS)

test-pythons:            ## a part of the tests on every other CPython from 3.10 to 3.14 that is found
	@bash tests/pythons.sh

lint: $(VENV)/built            ## ruff, cython-lint, mypy, stubtest
	@$(PIP) --editable '.[lint,test]'
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@PATH=$(CURDIR)/$(BIN):$$PATH cython-lint src
	@$(BIN)/mypy
	@$(BIN)/stubtest fastbleu._core fastbleu._tokens fastbleu._text fastbleu._nltk fastbleu._sacrebleu fastbleu._resample \
	    --ignore-disjoint-bases --allowlist tests/stubtest.allow

bench: $(VENV)/built            ## measure; writes bench/results.json and the table in README.md
	@$(PIP) --editable '.[bench]'
	@$(BIN)/python bench/run.py
	@$(BIN)/python bench/table.py

sanitize: $(VENV)/tested            ## the tests under AddressSanitizer and UBSan; then the canary
	@bash tests/sanitize.sh $(BIN)/python

clean:            ## remove everything that was built
	rm -rf $(VENV) build dist src/*.egg-info src/fastbleu/*.so src/fastbleu/*.c
