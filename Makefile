# `make demo` and `make test` set up all they need in .venv; nothing else on the machine is touched, but for a browser and npm.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
JOBS   ?= auto

.PHONY: demo test check proof fuzz bench clean

demo: $(VENV)/.run
	$(BIN)/inkeek demo

test: $(VENV)/.test
	-@sh .ci/browser
	-@sh .ci/micropython
	$(BIN)/python -m pytest -n $(JOBS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

proof: $(VENV)/.test
	$(BIN)/python -m tests.records.prove
	$(BIN)/python -m tests.records.prove --twins --turns 1000000
	$(BIN)/python -m tests.records.perft_tables

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.records.fuzz --inputs 10000000
	$(BIN)/python -m tests.drivers.protocol.fuzz_frames --chunks 10000000

bench: $(VENV)/.run
	$(BIN)/inkeek bench sow

# What stands for an environment with the project and, for tests and development, one of its extras in it.
$(VENV)/.run $(VENV)/.test $(VENV)/.dev: pyproject.toml setup.py constraints.txt records/kernel/sowing.py records/kernel/sowing.pxd
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--editable '.$(if $(filter .run,$(@F)),,[$(patsubst .%,%,$(@F))])'
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info records/kernel/*.so records/kernel/*.c
