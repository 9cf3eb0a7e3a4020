# make demo, make dev and make test need python3 with venv and a C compiler; they fetch everything else.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# Environments for what takes long to install; CI, which installs all of it, uses one for several.
DOCS ?= .venv-docs
INTEGRATIONS ?= .venv-integrations
REPORT ?= .venv-report
TABLES ?= .venv-tables
SOURCES = pyproject.toml setup.py $(shell find src -name "*.pyx" -o -name "*.pxd" -o -name "*.h")
# Headers that are mostly tables are not formatted.
HEADERS = $(filter-out %/unicode_ranges.h %/char_classes.h,$(shell find src -name "*.h"))
# The modules that have a stub; fastbleu.nltk is checked with all of its modules.
STUBBED = fastbleu.nltk $(shell find src -name "_*.pyi" ! -name "__init__.pyi" ! -path "*/nltk/*" \
    | sed 's|^src/||; s|\.pyi$$||; s|/|.|g')
DATA ?= ../shared/data
# Tests run on all processors; pytest-benchmark would warn about that.
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
PARALLEL = -n $(WORKERS) --dist worksteal -p no:benchmark
PYTEST = $(BIN)/python -m pytest $(PARALLEL)
# PyTorch for the CPU: set TORCH if plain torch would install gigabytes for GPUs.
TORCH ?= torch==2.13.0
# The revision whose speed make bench compares with.
AGAINST ?= HEAD~1
# Without compiling all that is installed: what is imported is compiled then.
PIP = $(BIN)/python -m pip --disable-pip-version-check install --quiet --no-compile
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help build demo dev test test-full test-libraries test-integrations test-mbrs test-tables test-engines test-report test-levels test-windows test-emulated test-emulated-short test-pythons mutants docs docs-links test-wheels test-sdist test-installs test-upstream check-release check-packaging lint bench bench-hosts trust trust-short trust-long clean
.DELETE_ON_ERROR:

help:            ## show this list
	@grep -E '^[a-z-]+: .*##' Makefile | sed 's/:.*##/  -/'

# pip 25.1 is the first that installs dependency groups.
%/created:
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip --disable-pip-version-check install --quiet 'pip>=25.1'
	@touch $@

$(VENV)/built: $(VENV)/created $(SOURCES)
	@echo "building fastbleu into $(VENV): about a minute ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/tested: $(VENV)/built
	@$(PIP) --group test
	@touch $@

build: $(VENV)/built            ## make the virtual environment and compile

# Without build isolation: the build tools and compiled files stay, so later builds are incremental.
$(VENV)/dev: $(VENV)/created pyproject.toml
	@$(PIP) 'setuptools>=77' 'Cython>=3.1,<4'
	@FASTBLEU_DEBUG=1 $(PIP) --no-build-isolation --editable . --group test
	@touch $@

dev: $(VENV)/dev            ## build in place with bounds checks, unoptimized; repeat after each edit (takes seconds)
	@FASTBLEU_DEBUG=1 $(BIN)/python setup.py -q build_ext --inplace
	@rm -f $(VENV)/built    # make test builds as usual
	@echo 'built; run some tests: $(BIN)/python -m pytest -p no:benchmark tests/counting'

demo: $(VENV)/built            ## build, then score the output of two systems, compare them and create a report
	@$(PIP) 'pyfastbleu[report]'    # the package is there: adds what the extra requires
	@echo; echo '$$ fastbleu examples/reference.1.txt examples/reference.2.txt -i examples/system-a.txt'
	@$(BIN)/fastbleu examples/reference.1.txt examples/reference.2.txt -i examples/system-a.txt
	@echo; echo '$$ fastbleu examples/reference.1.txt -i examples/system-a.txt examples/system-b.txt -f text'
	@$(BIN)/fastbleu examples/reference.1.txt -i examples/system-a.txt examples/system-b.txt -f text
	@echo; echo 'From Python:'
	@$(BIN)/python examples/demo.py
	@echo; echo 'Where the two differ, as a page: build/report.html; as Markdown: build/report.md'
	@mkdir -p build && $(BIN)/fastbleu examples/reference.1.txt examples/reference.2.txt \
	    -i examples/system-a.txt examples/system-b.txt --html build/report.html --md build/report.md -q >/dev/null

test: $(VENV)/tested            ## build, then run all tests except the long ones
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_TEST_SEGMENTS="$${FASTBLEU_TEST_SEGMENTS:-20000}" \
	    $(PYTEST) -m 'not long' $(PYTEST_ARGS)
	@echo 'For the long tests, and 1,000,000 random segments instead of 20,000: make test-full'

test-full: $(VENV)/tested            ## run all tests, with 1,000,000 random segments (FASTBLEU_TEST_SEGMENTS)
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" $(PYTEST) $(PYTEST_ARGS)

$(VENV)/with-libraries: $(VENV)/tested
	@$(PIP) 'pyfastbleu[ja,ko,spm,words]'
	@touch $@

test-libraries: $(VENV)/with-libraries            ## test the tokenizers of other libraries
	@FASTBLEU_REQUIRE_LIBRARIES=1 $(PYTEST) -q tests/tokenizers/test_tokenizer_libraries.py tests/tokenizers/test_words.py

# The frameworks take half a gigabyte. Tests elsewhere that need one are named after it.
test-integrations:            ## test the integrations and example scripts with all training frameworks installed
	@$(MAKE) --no-print-directory VENV=$(INTEGRATIONS) $(INTEGRATIONS)/with-hosts
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 HF_HUB_OFFLINE=1 \
	    $(INTEGRATIONS)/bin/python -m pytest $(PARALLEL) $(PYTEST_ARGS) tests/integrations \
	    tests/dialects/test_originals.py tests/tokenizers/test_ptb.py tests/test_documentation.py \
	    tests/test_entry_points.py::test_each_dialect tests/test_entry_points.py::test_each_entry_point \
	    --ignore tests/integrations/test_mbrs.py \
	    --ignore tests/integrations/test_spark.py --ignore tests/integrations/test_ray.py \
	    --ignore tests/integrations/test_queries.py --ignore tests/integrations/test_run.py
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" $(INTEGRATIONS)/bin/python -m pytest $(PARALLEL) -q $(PYTEST_ARGS) tests \
	    --ignore tests/integrations --ignore tests/tables --ignore tests/reporting \
	    --ignore tests/dialects/test_originals.py -k 'torch or tensorbleu or pandas or pyarrow'

# In a separate environment, because mbrs needs older releases than the other hosts.
test-mbrs:            ## test the metric for mbrs, with mbrs installed
	@$(MAKE) --no-print-directory VENV=.venv-mbrs .venv-mbrs/with-mbrs
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 HF_HUB_OFFLINE=1 \
	    .venv-mbrs/bin/python -m pytest -p no:benchmark $(PYTEST_ARGS) tests/integrations/test_mbrs.py

test-tables:            ## test tables and columns, with all data frame libraries installed
	@$(MAKE) --no-print-directory VENV=$(TABLES) $(TABLES)/with-tables
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 HF_HUB_OFFLINE=1 \
	    $(TABLES)/bin/python -m pytest $(PARALLEL) $(PYTEST_ARGS) tests/tables \
	    tests/integrations/test_queries.py tests/test_entry_points.py::test_each_entry_point \
	    'tests/test_docstrings.py::test_examples[fastbleu.tables.functions]' \
	    'tests/test_documentation.py::test_code_blocks[docs/guides/tables.md]' \
	    'tests/test_documentation.py::test_code_blocks[docs/guides/daily-totals.md]' \
	    'tests/test_documentation.py::test_code_blocks[docs/guides/engines.md]' \
	    'tests/test_documentation.py::test_code_blocks[docs/guides/other-engines.md]'

# Spark needs Java 17 or later.
test-engines:            ## test tables on clusters, with Spark and Ray
	@$(MAKE) --no-print-directory VENV=.venv-engines .venv-engines/with-engines
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" FASTBLEU_REQUIRE_HOSTS=1 \
	    .venv-engines/bin/python -m pytest -p no:benchmark $(PYTEST_ARGS) tests/integrations/test_spark.py \
	    tests/integrations/test_ray.py tests/test_entry_points.py::test_engines

$(VENV)/with-hosts: $(VENV)/tested
	@$(PIP) '$(TORCH)'
	@$(PIP) --group hosts
	@$(PIP) --no-deps 'opencompass==0.5.4'    # holds the hub's metric sacrebleu, for the tests
	@touch $@

$(VENV)/with-tables: $(VENV)/tested
	@$(PIP) --group table-libraries
	@touch $@

$(VENV)/with-engines: $(VENV)/tested
	@$(PIP) --group engines
	@touch $@

$(VENV)/with-mbrs: $(VENV)/tested
	@$(PIP) '$(TORCH)'
	@$(PIP) --group mbrs
	@touch $@

# Needs npm, for axe-core, and apt-get if chromium is not installed.
test-report:            ## test the report in a browser, and the plots; installs what these tests need
	@$(MAKE) --no-print-directory VENV=$(REPORT) $(REPORT)/with-browser
	@FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" $(REPORT)/bin/python -m pytest $(PARALLEL) \
	    -q $(PYTEST_ARGS) tests/reporting tests/plots

$(VENV)/with-browser: $(VENV)/tested
	@$(PIP) --group browser
	@npm install --silent --no-save --no-audit --no-fund --prefix build/axe axe-core@4.14.1
	@command -v chromium >/dev/null || apt-get install -y -q chromium >/dev/null || \
	    { apt-get update -q && apt-get install -y -q chromium; } >/dev/null
	@touch $@

test-levels:            ## compare instruction sets, processors, C libraries and Windows by the kernel alone; emulated
	@bash tests/levels.sh

test-windows: $(VENV)/built            ## compile for Windows: the modules by mingw-w64, the kernel as MSVC reads it
	@bash tests/windows.sh $(BIN)/python

# What the byte order, the size of a word and the instruction set may change.
EMULATED_SHORT = tests/dialects/test_sacrebleu.py tests/inputs/test_arrow.py tests/matrix/test_reader.py \
    tests/metric/test_state.py
ARCH ?= arm64 s390x

test-emulated: $(VENV)/tested            ## run tests on other processors, emulated (ARCH="arm64 s390x i386" TESTS="tests/counting ...")
	@$(PIP) 'setuptools>=77' 'Cython>=3.1,<4'
	@bash tests/emulated.sh $(BIN)/python $(ARCH) -- $(TESTS)

test-emulated-short:            ## the same with a selection
	@UNOPTIMIZED=1 FASTBLEU_TEST_SEGMENTS=100 $(MAKE) --no-print-directory test-emulated TESTS="$(EMULATED_SHORT)"

mutants: $(VENV)/tested            ## plant faults in the package, Python and compiled code, which the tests must find
	@$(PIP) 'Cython>=3.1,<4'
	@INTEGRATIONS=$(INTEGRATIONS) $(BIN)/python tests/mutants.py

test-pythons:            ## run some tests on all CPythons that are found, or PYTHONS="3.10 3.13"
	@PYTHONS="$(PYTHONS)" bash tests/pythons.sh

docs:            ## build the documentation site in build/docs/html; warnings and broken internal links are errors
	@$(MAKE) --no-print-directory VENV=$(DOCS) $(DOCS)/with-sphinx
	@$(DOCS)/bin/sphinx-build -q -W --keep-going -d build/docs/doctrees -b html docs build/docs/html
	@echo 'open build/docs/html/index.html; links to other sites: make docs-links'

docs-links: docs            ## check the links of the documentation to other sites
	@$(DOCS)/bin/sphinx-build -q -d build/docs/doctrees -b linkcheck docs build/docs/links

test-wheels: .venv-release/installed            ## build wheels for all CPythons found (PYTHONS), and test them without a compiler
	@PYTHONS="$(PYTHONS)" bash tools/test_wheels.sh .venv-release/bin/python

test-sdist: .venv-release/installed            ## build the source distribution and run its tests from it alone
	@bash tools/test_sdist.sh .venv-release/bin/python

# Only tools; the package is not installed in this environment.
.venv-release/installed: .venv-release/created pyproject.toml
	@.venv-release/bin/python -m pip --disable-pip-version-check install --quiet --group release
	@touch $@

test-installs:            ## run each pip install of README.md and docs/ in an environment of its own
	@TORCH='$(TORCH)' $(PYTHON) tools/test_installs.py $(EXTRAS)

check-release: .venv-release/installed            ## check pyproject.toml, CITATION.cff, the workflows and forms against their schemas
	@bash tools/check_release.sh .venv-release/bin

check-packaging: .venv-release/installed            ## check what is under packaging/ by its linters; two builds of the sdist are equal
	@bash tools/check_packaging.sh .venv-release/bin/python

$(VENV)/with-sphinx: $(VENV)/built
	@$(PIP) --group docs
	@touch $@

lint: $(VENV)/tested            ## run ruff, cython-lint, clang-format, mypy, stubtest
	@$(PIP) --group lint
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@PATH=$(CURDIR)/$(BIN):$$PATH cython-lint src
	@$(BIN)/clang-format --dry-run --Werror $(HEADERS)
	@$(BIN)/mypy
	@$(BIN)/stubtest $(STUBBED) \
	    --ignore-disjoint-bases --allowlist tests/stubtest.allow

bench: $(VENV)/built            ## measure; writes bench/results.json, bench/RESULTS.md, README.md's table and chart
	@$(PIP) '$(TORCH)'
	@$(PIP) --group bench
	@$(PIP) --no-deps 'rxlm==0.3.80'    # holds TensorBLEU, to compare with
	@$(BIN)/python bench/run.py
	@$(BIN)/python bench/table.py
	@$(BIN)/python bench/run.py --against $(AGAINST)

test-upstream:            ## apply and test the patches for other projects in packaging/upstream
	@$(MAKE) --no-print-directory VENV=$(INTEGRATIONS) $(INTEGRATIONS)/with-hosts
	@$(MAKE) --no-print-directory VENV=.venv-mbrs .venv-mbrs/with-mbrs
	@$(INTEGRATIONS)/bin/python -m pytest -q -p no:benchmark -W default packaging/upstream/tests.py -k 'not mbrs'
	@.venv-mbrs/bin/python -m pytest -q -p no:benchmark -W default packaging/upstream/tests.py -k mbrs

bench-hosts:            ## measure evaluation tools with and without fastbleu.patch (HUB=folder with the hub's scripts)
	@$(MAKE) --no-print-directory VENV=$(INTEGRATIONS) $(INTEGRATIONS)/with-hosts
	@$(MAKE) --no-print-directory VENV=.venv-mbrs .venv-mbrs/with-mbrs
	@$(INTEGRATIONS)/bin/python bench/hosts.py --write $(HUB:%=--hub %)
	@.venv-mbrs/bin/python bench/hosts.py --write --only mbrs

# The short form uses the same seed each time; the long form uses a new one.
RUN_TRUST = FASTBLEU_DATA="$${FASTBLEU_DATA:-$(DATA)}" $(PYTEST) --dist load --maxschedchunk 1 -q -r fE \
    --junitxml build/trust.xml $(PYTEST_ARGS) $(or $(TRUST:%=tests/trust/test_%.py),tests/trust)

trust: $(VENV)/tested            ## the gate: test faults, hostile input, threads and memory (TRUST="PART ...")
	@$(RUN_TRUST)

# All but the parts that compile with sanitizers.
trust-short:            ## the parts of the gate that take a minute
	@$(MAKE) --no-print-directory trust TRUST="hostile_objects interrupts sizes flooding allocation threads files"

trust-long: $(VENV)/tested            ## the same without a time limit, with tests that take hours
	@FASTBLEU_TEST_SEED="$${FASTBLEU_TEST_SEED:-$$(date +%s)}" $(RUN_TRUST) --long

clean:            ## remove all build output and environments
	rm -rf $(VENV) .venv-docs .venv-integrations .venv-mbrs .venv-release .venv-report .venv-tables .venv-engines .venv-3.* build dist src/*.egg-info $$(find src -name "*.so" -o -name "*.c")
