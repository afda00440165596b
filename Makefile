# Everything runs in .venv, which the first target that needs it makes (tools/setup.py).
PYTHON ?= python3
DEMO ?= envisat_capture
MODE ?= realtime
ARGS ?=
# tests run in this many processes, file by file
JOBS ?= 2

BIN := .venv/bin
JUNK := .venv build install log runs docs/_build *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache

.DEFAULT_GOAL := help
.PHONY: help setup demo test lint bench docs pictures clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' Makefile

setup: ## make .venv ready; PYTHON=python3.12 chooses the Python
	@command -v "$(PYTHON)" > /dev/null || { \
	    echo "set-up: there is no '$(PYTHON)' here: install Python 3.10 to 3.14, or name one with PYTHON=." >&2; \
	    exit 1; }
	@"$(PYTHON)" tools/setup.py

demo: setup ## rehearse the capture of Envisat as ROS 2 nodes in real time; DEMO=name and MODE=offline choose
	@$(BIN)/hil run $(DEMO) --mode $(MODE) $(ARGS)

test: setup ## run the tests; ARGS="-k name" chooses among them
	@$(BIN)/python -m pytest --numprocesses $(JOBS) --dist loadfile $(ARGS)

lint: setup ## check style and types
	@$(BIN)/ruff check .
	@$(BIN)/mypy

bench: setup ## measure the speed of the loop and its parts
	@$(BIN)/hil bench $(ARGS)

docs: setup ## build the documentation into docs/_build/html; a warning is an error
	@$(BIN)/python -c "import furo, myst_parser, sphinx" 2> /dev/null || "$(PYTHON)" tools/setup.py docs
	@$(BIN)/python -m sphinx -W --keep-going -q -d docs/_build/doctrees docs docs/_build/html
	@echo "documentation: docs/_build/html/index.html"

pictures: setup ## make every picture of the documentation from real runs; ARGS="name" chooses among them
	@$(BIN)/python tools/pictures.py $(ARGS)

clean: ## remove .venv, builds, caches and runs
	@rm -rf $(JUNK)
	@find . -name __pycache__ -prune -exec rm -rf {} +
	@find hil_relative_dynamics -name '*.so' -delete
