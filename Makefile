# `make run` and `make test` do all set-up themselves; a second call sets up nothing again.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: run studio play docs test test-slow bench format clean

run: $(READY)
	$(BIN)/feint train nfsp leduc --seconds 90
	@echo "make studio opens a page on which you see what it does with every hand, and play against it."

studio: $(READY)
	@$(BIN)/feint studio

# Against limit hold'em's agent; `make play OPPONENT=runs/leduc-nfsp` against what `make run` has learned.
OPPONENT ?= feint:holdem
play: $(READY)
	@$(BIN)/feint play $(OPPONENT)

docs: $(READY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html; for the search too: $(BIN)/python -m http.server -d site --bind 127.0.0.1 8800"

# Mostly it compiles, and these flags make that three to five times faster and the code a few times slower; test-slow
# compiles as users do. Tests of one file mostly need the same code and fixtures, so that each process goes through files
# of its own (worksteal).
COMPILE_FAST := --xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1
test: $(READY)
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/lint-imports
	XLA_FLAGS="$(COMPILE_FAST)" $(BIN)/pytest -n 2 --dist worksteal

test-slow: $(READY)
	$(BIN)/pytest -n 2 -m slow

# About fifteen minutes, and two more the first time, when LiteEFG is built from source. Wants a quiet machine.
bench: $(READY) .peers/.ready
	$(BIN)/python benchmarks/solvers.py
	$(BIN)/python benchmarks/learners.py
	$(BIN)/python benchmarks/hands.py
	$(BIN)/python benchmarks/environments.py

format: $(READY)
	$(BIN)/ruff check --fix src tests benchmarks examples
	$(BIN)/ruff format src tests benchmarks examples

clean:
	rm -rf .venv .peers

$(READY): requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# Peers pin versions of their own, so they live in an environment of their own.
.peers/.ready: benchmarks/peers.lock
	test -x .peers/bin/python || $(PYTHON) -m venv .peers
	.peers/bin/python -m pip install --quiet --disable-pip-version-check -r benchmarks/peers.lock
	touch $@
