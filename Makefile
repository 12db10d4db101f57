# Every target sets up what it needs in .venv. `make test-all` also installs Chromium, npm, generators of clients and proxies where it may.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= auto
STYLES := $(wildcard service/*/static) service/http/web/static
TEMPLATES := $(wildcard service/*/templates) service/http/web/templates
PACKAGES := records drivers service firmware_sim
# Also where the environment says otherwise, modules are compiled once: tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: install run demo test test-all check docs format translations proof fuzz one-fact bench clean

# What `make` does: it installs, and serves nothing.
install: $(VENV)/.run
	@echo "$(BIN)/inkeek is installed. 'make run' starts the service on this machine, 'make demo' shows it."

run: $(VENV)/.run
	$(BIN)/inkeek

demo: $(VENV)/.run
	$(BIN)/inkeek demo

# Two tiers, sorted by tests/tiers.py: the quick one, and everything. TESTS='-m slow' leaves out the quick one.
test: $(VENV)/.test
	$(BIN)/python -m pytest -n $(JOBS) -m "not slow"

test-all: $(VENV)/.dev
	-@sh .ci/browser
	-@sh .ci/micropython
	-@PYTHON=$(BIN)/python sh .ci/generators
	-@sh .ci/proxies
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder $(TESTS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/oxfmt --check $(STYLES)
	$(BIN)/djangofmt --check $(TEMPLATES)
	mkdir -p build/types/inkeek
	ln -sfn $(PACKAGES:%=../../../%) ../../../inkeek/__init__.py build/types/inkeek
	$(BIN)/mypy

# Writes the generated parts of the pages in docs/ again, and builds the site in build/site, every page anew: parts of some follow from the code.
docs: $(VENV)/.docs
	$(BIN)/python -m docs.generate
	$(BIN)/python -m sphinx --fresh-env --quiet --fail-on-warning docs build/site

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/oxfmt $(STYLES)
	$(BIN)/djangofmt $(TEMPLATES)

# Collects the words of the pages into the catalogues and compiles these: docs/translations.md.
translations: $(VENV)/.run
	$(BIN)/python -m inkeek.service.translations

proof: $(VENV)/.test
	$(BIN)/python -m tests.records.prove
	$(BIN)/python -m tests.records.prove --twins --turns 1000000
	$(BIN)/python -m tests.records.prove_tables
	$(BIN)/python -m tests.records.perft_tables

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.explore --minutes 10
	$(BIN)/python -m tests.records.fuzz --inputs 10000000
	$(BIN)/python -m tests.records.prove_tables --random 10000

# Random steps over the whole API, all answers compared with the events: an hour.
one-fact: $(VENV)/.test
	$(BIN)/python -m tests.mirror.one_fact --seconds 3600

bench: $(VENV)/.run
	$(BIN)/inkeek bench sow

# Stamps of an environment with the project and the extra of that name. `dev` includes `test`, which includes `run`.
$(VENV)/.run $(VENV)/.test $(VENV)/.dev $(VENV)/.docs: pyproject.toml setup.py constraints.txt records/kernel/*.py records/kernel/*.pxd \
		records/messages/*.po service/translations/*/*/*.po
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable '.[$(patsubst .%,%,$(@F:run=service))]'
	@touch $@ $(VENV)/.run $(if $(filter .dev,$(@F)),$(VENV)/.test)

clean:
	rm -rf $(VENV) build *.egg-info records/kernel/*.so
