# `make audit` and `make test` are all the set-up there is: both create .venv and install what they need.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
SOURCES := $(shell find privcheck -name '*.py' -o -name '*.pyi' -o -name '*.toml' -o -name '*.css' -o -name '*.js' -o -name py.typed 2>/dev/null) pyproject.toml README.md

.PHONY: audit test evidence benchmark lint docs notebook clean

audit: $(VENV)/.package  ## audit the three targets of the main job; the page goes to out/
	$(BIN)/python audits --html out/audit.html

test: $(VENV)/.package $(VENV)/.testing  ## run the whole test suite against the built wheel
	PRIVCHECK_WHEEL=1 $(BIN)/python -P -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder --durations=20

evidence: $(VENV)/.package $(VENV)/.testing  ## run the slow statistical evidence and the slow cases in full
	$(BIN)/python -P -m pytest -q -n 2 --dist worksteal -m "evidence or nightly" --evidence full --timeout 7200

benchmark: $(VENV)/.package  ## print the tables of benchmarks/
	$(BIN)/python -P benchmarks/simulate.py
	$(BIN)/python -P benchmarks/audit.py
	$(BIN)/python -P benchmarks/theory.py

lint: $(VENV)/.package $(VENV)/.testing  ## ruff and mypy strict
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy
	$(BIN)/python -m mypy audits --explicit-package-bases

docs: $(VENV)/.documenting  ## build the documentation into out/site; a warning is an error
	rm -rf out/site && $(BIN)/python -P -m sphinx -q -W --keep-going -b html -d out/doctrees -E docs out/site

notebook: $(VENV)/.package  ## execute the notebooks in place
	$(PIP) install '.[notebooks]'
	$(BIN)/python -m jupyter execute --inplace notebooks/*.ipynb

$(VENV)/.package: $(SOURCES) | $(VENV)/.created
	rm -rf dist && $(BIN)/python -m build --outdir dist . > $(VENV)/build.log 2>&1 || (cat $(VENV)/build.log; exit 1)
	wheel=$$(ls dist/*.whl) && $(PIP) install "$$wheel[plots,claims]"
	$(PIP) install --force-reinstall --no-deps dist/*.whl
	touch $@

$(VENV)/.testing: pyproject.toml $(VENV)/.package
	wheel=$$(ls dist/*.whl) && $(PIP) install "$$wheel[dev,oracles,adapters]"
	touch $@

$(VENV)/.documenting: pyproject.toml $(VENV)/.package
	wheel=$$(ls dist/*.whl) && $(PIP) install "$$wheel[docs]"
	touch $@

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install 'build>=1.2'
	touch $@

clean:
	rm -rf $(VENV) dist out
