# Two commands for a newcomer: `make demo` and `make test`. Each does all the set-up it needs.
# PYTHON chooses the interpreter, VENV the environment, EXTRAS what of pyproject.toml is installed into it.

PYTHON ?= $(shell for p in python3.11 python3.12 python3.13 python3; do \
    "$$p" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null && { echo "$$p"; break; }; done)
VENV ?= .venv
EXTRAS ?= dev
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PYTEST_ARGS ?=

# Keep compiled modules, whatever the shell says: a fifth of the system tests' time would go into compiling them anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test soak lint format schema docs site bench reproduce matrix clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "sdcdb needs Python 3.11, 3.12 or 3.13 on the PATH (or: make PYTHON=/path/to/python)"; exit 1; }
	@"$(PYTHON)" -m venv "$(VENV)" || { echo "cannot create $(VENV); on Debian: apt-get install python3-venv"; exit 1; }
	@echo "installing sdcdb and its tools into $(VENV) (a minute or two, once)"
	@"$(BIN)/python" -m pip install --quiet --disable-pip-version-check -e '.[$(EXTRAS)]'
	@touch $@

demo: $(READY) ## set up, then show the product working
	@$(BIN)/sdcdb demo

test: $(READY) ## set up, then run the tests
	@$(BIN)/python -m pytest -n 2 --dist worksteal $(PYTEST_ARGS)

soak: $(READY) ## attacks, kills and load at length: over an hour (SDCDB_SOAK_SECONDS shortens the load)
	@$(BIN)/python -m pytest -n 2 -m soak $(PYTEST_ARGS)

lint: $(READY) ## ruff, format check, the layers and mypy strict
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/mypy

format: $(READY) ## let ruff rewrite
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

schema: $(READY) ## write schemas/policy.schema.json anew from the policy models
	@$(BIN)/python -m sdcdb.schemas

docs: schema ## write the generated pages and the picture of docs/ anew from the code
	@$(BIN)/python -m sdcdb.manual

site: $(READY) ## build the documentation as a website in build/site, with strict links
	@$(BIN)/python -c 'import material' 2>/dev/null || $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[docs]'
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "built build/site/index.html"

bench: $(READY) ## run the benchmarks; results go to benchmarks/results and docs/results
	@for b in benchmarks/[a-z]*.py; do $(BIN)/python $$b || exit 1; done

reproduce: $(READY) ## compare with the papers' results; data is in SDCDB_DATA; results go to docs/results
	@for r in reproduce/[a-z]*.py; do $(BIN)/python $$r || exit 1; done

matrix: ## what depends on them, with DuckDB 1.5 and on every other Python found here
	@.ci/matrix

clean: ## remove environments and caches
	rm -rf .venv .venv-* build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
