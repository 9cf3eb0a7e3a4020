# make demo, make dev and make test need python3 with venv and a C compiler; they fetch everything else.
# Targets that take PARTS="..." do all of their parts without it. FULL=1 adds what takes long.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
# Environments for what takes long to install; CI, which installs all of it, uses one for several.
DOCS ?= .venv-docs
INTEGRATIONS ?= .venv-integrations
REPORT ?= .venv-report
TABLES ?= .venv-tables
ENVIRONMENTS = $(sort $(VENV) $(DOCS) $(INTEGRATIONS) $(REPORT) $(TABLES) .venv-mbrs .venv-engines)
SOURCES = pyproject.toml setup.py src/fastbleu/__init__.py \
    $(shell find src -name "*.pyx" -o -name "*.pxd" -o -name "*.h")
# Headers that are mostly tables are not formatted.
HEADERS = $(filter-out %/unicode_ranges.h %/char_classes.h,$(shell find src tests -name "*.[ch]"))
# The modules that have a stub; fastbleu.nltk is checked with all of its modules.
STUBBED = fastbleu.nltk $(shell find src -name "_*.pyi" ! -name "__init__.pyi" ! -path "*/nltk/*" \
    | sed 's|^src/||; s|\.pyi$$||; s|/|.|g')
# Tests run on all processors.
WORKERS ?= $(shell nproc 2>/dev/null || echo 2)
PARALLEL = -n $(WORKERS) --dist worksteal
# All tests, with 1,000,000 random segments instead of 5,000.
SEGMENTS = $(if $(FULL),FASTBLEU_TEST_SEGMENTS="$${FASTBLEU_TEST_SEGMENTS:-1000000}")
ARGS = $(if $(FULL),-m '') $(PYTEST_ARGS)
# Tests in an environment with hosts must not be skipped for want of one, and nothing is downloaded for them.
ON_HOSTS = $(SEGMENTS) FASTBLEU_REQUIRE_HOSTS=1 HF_HUB_OFFLINE=1
# PyTorch for the CPU: set TORCH if plain torch would install gigabytes for GPUs.
TORCH ?= torch==2.13.0
# Into the environment of the target, and without compiling all of it: what is imported is compiled then.
PIP = $(@D)/bin/python -m pip --disable-pip-version-check install --quiet --no-compile
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo dev test test-hosts test-report test-platforms test-trust mutants lint docs bench release clean
.DELETE_ON_ERROR:

help:            ## show this list
	@grep -E '^[a-z-]+: .*##' Makefile | sed 's/:.*##/  -/'

demo: $(VENV)/with-report            ## build, then score the output of two systems, compare them and create a report
	@echo; echo '$$ fastbleu examples/reference.1.txt examples/reference.2.txt -i examples/system-a.txt'
	@$(BIN)/fastbleu examples/reference.1.txt examples/reference.2.txt -i examples/system-a.txt
	@echo; echo '$$ fastbleu examples/reference.1.txt -i examples/system-a.txt examples/system-b.txt -f text'
	@$(BIN)/fastbleu examples/reference.1.txt -i examples/system-a.txt examples/system-b.txt -f text
	@echo; echo 'From Python:'
	@$(BIN)/python examples/demo.py
	@echo; echo 'Where the two differ, as a page: build/report.html; as Markdown: build/report.md'
	@mkdir -p build && $(BIN)/fastbleu examples/reference.1.txt examples/reference.2.txt \
	    -i examples/system-a.txt examples/system-b.txt --html build/report.html --md build/report.md -q >/dev/null

dev: $(VENV)/dev            ## build in place with bounds checks, unoptimized; repeat after each edit (takes seconds)
	@FASTBLEU_DEBUG=1 $(BIN)/python setup.py -q build_ext --inplace
	@rm -f $(VENV)/built    # make test builds as usual
	@echo 'built; run some tests: $(BIN)/python -m pytest tests/core/counting'

test: $(VENV)/tested $(COVERAGE:%=$(VENV)/with-coverage)            ## build, then run the tests (FULL=1: all, with 1,000,000 random segments; COVERAGE=1: a report)
	@echo 'running $(if $(FULL),all tests: an hour,the tests but the long ones: two minutes) on two processors; here are $(WORKERS)'
	@$(SEGMENTS) $(BIN)/python -m pytest $(PARALLEL) $(ARGS) $(if $(COVERAGE),--cov=fastbleu \
	    --cov-report=term:skip-covered --cov-report=html:build/coverage)

HOSTS = integrations tables mbrs engines libraries upstream
test-hosts: $(addprefix hosts-,$(or $(PARTS),$(HOSTS)))            ## test with other libraries (PARTS="integrations tables mbrs engines libraries upstream", FULL=1)

test-report: $(REPORT)/with-browser            ## test the report in a browser, its script's types, and the plots; installs what these tests need
	@build/axe/node_modules/.bin/tsc -p tests/reporting/browser/jsconfig.json
	@$(SEGMENTS) $(REPORT)/bin/python -m pytest $(PARALLEL) -q $(ARGS) \
	    tests/reporting/browser tests/reporting/test_report.py tests/plots tests/test_type_checkers.py

PLATFORMS = levels windows emulated pythons
test-platforms: $(addprefix platform-,$(or $(PARTS),$(PLATFORMS)))            ## test on other processors, systems and Pythons (PARTS="levels windows emulated pythons", FULL=1)

# Without FULL always with the same seed.
test-trust: $(VENV)/tested            ## test faults, hostile input, threads, memory: SECURITY.md lists the PARTS (FULL=1 takes hours)
	@$(if $(FULL),FASTBLEU_TEST_SEED="$${FASTBLEU_TEST_SEED:-$$(date +%s)}") \
	    $(BIN)/python -m pytest $(PARALLEL) --dist load --maxschedchunk 1 -q $(PYTEST_ARGS) \
	    $(or $(PARTS:%=tests/trust/test_%.py),tests/trust) $(if $(FULL),--long)

mutants: $(VENV)/with-compiler            ## plant faults in Python and compiled code, which the tests must find
	@INTEGRATIONS=$(INTEGRATIONS) $(BIN)/python tests/support/mutants.py

lint: $(VENV)/with-linters            ## run ruff, cython-lint, clang-format, mypy, stubtest, zizmor
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@PATH=$(abspath $(BIN)):$$PATH cython-lint src
	@$(BIN)/clang-format --dry-run --Werror $(HEADERS)
	@$(BIN)/mypy
	@$(BIN)/zizmor --offline --quiet --min-severity medium .github/workflows
	@$(BIN)/stubtest $(STUBBED) --ignore-disjoint-bases --allowlist tests/stubtest.allow

docs: $(DOCS)/with-sphinx            ## build the site in build/docs/html; warnings are errors (LINKS=1 checks links to other sites)
	@$(DOCS)/bin/sphinx-build -q -W --keep-going -d build/docs/doctrees -b html docs build/docs/html
	@$(if $(LINKS),$(DOCS)/bin/sphinx-build -q -d build/docs/doctrees -b linkcheck docs build/docs/links)
	@echo 'open build/docs/html/index.html'

# Kinds of benchmarks that need other libraries than the rest.
BENCH_hosts = $(INTEGRATIONS)/with-hosts
BENCH_captions = $(INTEGRATIONS)/with-hosts
BENCH_hosts-mbrs = .venv-mbrs/with-mbrs
BENCH_engines = $(TABLES)/with-tables
BENCH_engines-spark = .venv-engines/with-engines
BENCH_engines-ray = .venv-engines/with-engines
bench: $(or $(BENCH_$(ONLY)),$(VENV)/$(if $(AGAINST)$(HISTORY),tested,with-peers))            ## measure; writes bench/RESULTS.md and the table of README.md (ONLY=text, hosts, engines ...; AGAINST=HEAD~1 compares; HISTORY=1 counts instructions)
	@$(<D)/bin/python bench/run.py $(if $(ONLY),--only $(ONLY)) $(AGAINST:%=--against %) $(HISTORY:%=--history)
	@$(if $(ONLY)$(AGAINST)$(HISTORY),,$(BIN)/python bench/table.py)

release: .venv-release/tools            ## check what a release needs (PARTS="check packaging sdist wheels installs")
	@TORCH='$(TORCH)' PYTHONS="$(PYTHONS)" WORDS="$(WORDS)" bash tools/release.sh .venv-release/bin/python \
	    $(or $(PARTS),check packaging sdist wheels installs)

clean:            ## remove all build output and environments
	rm -rf $(ENVIRONMENTS) .venv-release .venv-3.* build dist src/*.egg-info $$(find src -name "*.so" -o -name "*.c")

# ---- Environments. A file in them says what is installed; pip 25.1 is the first that installs dependency groups.

%/created:
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python -m pip --disable-pip-version-check install --quiet 'pip>=25.1'
	@touch $@

$(ENVIRONMENTS:%=%/built): %/built: %/created $(SOURCES)
	@echo "building fastbleu into $*: about a minute ..."
	@$(PIP) --editable .
	@touch $@

$(ENVIRONMENTS:%=%/tested): %/tested: %/built
	@$(PIP) --group test
	@touch $@

# Without build isolation: the build tools and compiled files stay, so later builds are incremental.
$(VENV)/dev: $(VENV)/created pyproject.toml
	@$(PIP) 'setuptools>=77' 'Cython>=3.1,<4'
	@FASTBLEU_DEBUG=1 $(PIP) --no-build-isolation --editable . --group test
	@touch $@

$(VENV)/with-compiler: $(VENV)/tested
	@$(PIP) 'setuptools>=77' 'Cython>=3.1,<4'
	@touch $@

# The package is there: adds what the extras require.
$(VENV)/with-report: $(VENV)/built
	@$(PIP) 'pyfastbleu[report]'
	@touch $@

$(VENV)/with-libraries: $(VENV)/tested
	@$(PIP) 'pyfastbleu[ja,ko,spm,words]'
	@touch $@

$(VENV)/with-coverage: $(VENV)/tested
	@$(PIP) --group coverage
	@touch $@

$(VENV)/with-linters: $(VENV)/tested
	@$(PIP) --group lint
	@touch $@

$(VENV)/with-peers: $(VENV)/tested
	@$(PIP) '$(TORCH)'
	@$(PIP) --group bench
	@$(PIP) --no-deps 'rxlm==0.3.80'    # holds TensorBLEU, to compare with
	@touch $@

$(DOCS)/with-sphinx: $(DOCS)/built
	@$(PIP) --group docs
	@touch $@

# The frameworks take half a gigabyte.
$(INTEGRATIONS)/with-hosts: $(INTEGRATIONS)/tested
	@$(PIP) '$(TORCH)'
	@$(PIP) --group hosts
	@$(PIP) --no-deps 'opencompass==0.5.4'    # holds the hub's metric sacrebleu, for the tests
	@touch $@

$(TABLES)/with-tables: $(TABLES)/tested
	@$(PIP) --group table-libraries
	@touch $@

# Apart from the others, because mbrs needs older releases of them.
.venv-mbrs/with-mbrs: .venv-mbrs/tested
	@$(PIP) '$(TORCH)'
	@$(PIP) --group mbrs
	@touch $@

# Spark needs Java 17 or later.
.venv-engines/with-engines: .venv-engines/tested
	@$(PIP) --group engines
	@touch $@

# Needs npm, for axe-core and typescript, and apt-get if chromium is not installed.
$(REPORT)/with-browser: $(REPORT)/tested
	@$(PIP) --group browser
	@npm install --silent --no-save --no-audit --no-fund --prefix build/axe axe-core@4.14.1 typescript@7.0.2
	@command -v chromium >/dev/null || apt-get install -y -q chromium >/dev/null || \
	    { apt-get update -q && apt-get install -y -q chromium; } >/dev/null
	@touch $@

# Only tools; the package is not installed in this environment.
.venv-release/tools: .venv-release/created pyproject.toml
	@$(PIP) --group release
	@touch $@

.PHONY: $(HOSTS:%=hosts-%) $(PLATFORMS:%=platform-%)

# ---- Parts of test-hosts. Tests outside tests/integrations and tests/patching that need a framework are named after it.

hosts-integrations: $(INTEGRATIONS)/with-hosts
	@$(ON_HOSTS) $(INTEGRATIONS)/bin/python -m pytest $(PARALLEL) $(ARGS) tests/integrations tests/patching \
	    tests/originals/test_ptb.py tests/test_documentation.py tests/test_benchmarks.py tests/test_docstrings.py \
	    --deselect 'tests/test_docstrings.py::test_examples[fastbleu.integrations.mbrs]' \
	    tests/test_entry_points.py::test_each_entry_point \
	    --ignore tests/integrations/test_mbrs.py --ignore tests/integrations/test_engines.py \
	    --ignore tests/integrations/test_queries.py --ignore tests/patching/test_run.py
	@$(SEGMENTS) $(INTEGRATIONS)/bin/python -m pytest $(PARALLEL) -q $(ARGS) tests \
	    --ignore tests/integrations --ignore tests/patching --ignore tests/tables --ignore tests/reporting \
	    -k 'torch or tensorbleu'

hosts-tables: $(TABLES)/with-tables
	@$(ON_HOSTS) $(TABLES)/bin/python -m pytest $(PARALLEL) $(ARGS) tests/tables \
	    tests/integrations/test_queries.py tests/test_entry_points.py::test_each_entry_point \
	    'tests/test_docstrings.py::test_examples[fastbleu.tables.functions]' \
	    'tests/test_documentation.py::test_code_blocks[docs/guides/tables.md]' \
	    'tests/test_documentation.py::test_code_blocks[docs/guides/engines.md]' \
	    'tests/test_benchmarks.py::test_results_are_equal[engines]'

hosts-mbrs: .venv-mbrs/with-mbrs
	@$(ON_HOSTS) .venv-mbrs/bin/python -m pytest $(ARGS) tests/integrations/test_mbrs.py \
	    'tests/test_docstrings.py::test_examples[fastbleu.integrations.mbrs]'

# Each engine in a process of its own.
hosts-engines: .venv-engines/with-engines
	@for engine in 'not ray' ray; do $(ON_HOSTS) .venv-engines/bin/python -m pytest $(ARGS) -k "$$engine" \
	    tests/integrations/test_engines.py tests/test_entry_points.py::test_engines || exit 1; done

# The tokenizers of other libraries, which then stay in the environment of make test.
hosts-libraries: $(VENV)/with-libraries
	@$(SEGMENTS) FASTBLEU_REQUIRE_LIBRARIES=1 $(BIN)/python -m pytest $(PARALLEL) -q $(ARGS) \
	    tests/core/tokenizers/test_tokenizer_libraries.py tests/originals/test_words.py

# The patches for other projects in packaging/upstream.
hosts-upstream: $(INTEGRATIONS)/with-hosts .venv-mbrs/with-mbrs
	@$(INTEGRATIONS)/bin/python -m pytest -q -W default packaging/upstream/tests.py -k 'not mbrs'
	@.venv-mbrs/bin/python -m pytest -q -W default packaging/upstream/tests.py -k mbrs

# ---- Parts of test-platforms.

# Instruction sets, processors, C libraries and Windows by the kernel alone; emulated.
platform-levels:
	@bash tests/levels.sh

# The modules by mingw-w64, the kernel as MSVC reads it; compiled only.
platform-windows: $(VENV)/built
	@bash tests/windows.sh $(BIN)/python

# Python's tests on other processors: what the byte order, the size of a word and the instruction set may change,
# or TESTS="...", compiled without optimization; with FULL=1 ten folders.
ARCH ?= arm64 s390x
EMULATED = tests/core/counting/test_ids.py::test_random_batches tests/core/scoring/test_sacrebleu.py tests/core/inputs/test_arrow.py \
    tests/matrix/test_reference_index.py::test_every_kind_of_token[mixed] \
    tests/matrix/test_reference_index.py::test_random_texts tests/core/metric/test_state.py
platform-emulated: $(VENV)/with-compiler
	@$(if $(FULL),,UNOPTIMIZED=1 FASTBLEU_TEST_SEGMENTS="$${FASTBLEU_TEST_SEGMENTS:-100}") \
	    bash tests/emulated.sh $(BIN)/python $(ARCH) -- $(or $(TESTS),$(if $(FULL),,$(EMULATED)))

# All CPythons that are found, or PYTHONS="3.11 3.13".
platform-pythons:
	@PYTHONS="$(PYTHONS)" FULL="$(FULL)" bash tests/pythons.sh
