# Needs make and Python 3.11 or newer; everything else goes into .venv by itself.
PYTHON ?= python3
TOO_OLD := "Python 3.11 or newer is needed: name one, as in make PYTHON=python3.12 demo"
VENV := .venv
BIN := $(VENV)/bin
BENCHMARKS := $(basename $(notdir $(wildcard benchmarks/bench_*.py)))

.NOTPARALLEL:
.SECONDARY:
.PHONY: demo test check docs bench clean

demo: $(VENV)/.installed-all
	$(BIN)/agentmaker demo

test: $(VENV)/.installed-dev
	$(BIN)/pytest

check: $(VENV)/.installed-dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --strict agentmaker tests/typing_wrap.py
	$(BIN)/lint-imports
	$(BIN)/pytest tests/test_docs.py tests/test_exported_members.py

docs: $(VENV)/.installed-dev
	$(BIN)/pytest tests/test_docs.py

bench: $(VENV)/.installed-dev
	@missed=0; for name in $(BENCHMARKS); do echo "== $$name"; \
		$(BIN)/python -m benchmarks.$$name || missed=1; done; exit $$missed

clean:
	rm -rf $(VENV) dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache

# One stamp for each extra, so that the demo need not wait for the developers' tools.
$(VENV)/.installed-%: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and $(TOO_OLD))'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$*]'
	touch $@
