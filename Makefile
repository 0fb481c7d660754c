# CoSee's front door. `make help` lists the targets.
PYTHON ?= python3
VENV ?= .venv
CORES ?= all
BIN := $(VENV)/bin
SNAKEMAKE := PATH="$(abspath $(BIN)):$$PATH" $(BIN)/snakemake
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
export OMP_NUM_THREADS ?= 1
export TOKENIZERS_PARALLELISM ?= false
export HF_HUB_OFFLINE ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup setup-dev weights areas run real paper analysis test lint types format golden schemas audit docs dist demo bench bench-doctree slurm-test clean

help:  ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

setup: $(VENV)/.setup weights  ## Make .venv with the core and fetch the embedder's weights

$(VENV)/.setup: pyproject.toml constraints.txt
	@echo "setting up $(VENV) (2 to 3 minutes, once)"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) -e .
	touch $@

setup-dev: $(VENV)/.setup-dev weights areas  ## The same with everything that the tests need

$(VENV)/.setup-dev: $(VENV)/.setup
	$(PIP) -e '.[dev,serve,ocr,quality,notebook,docs]'
	touch $@

weights areas: export COSEE_CACHE ?= .cache

weights: $(VENV)/.setup  ## Fetch all-MiniLM-L6-v2 (90 MB) once; without it the pipeline goes on sparse-only and says so
	@$(BIN)/python -m cosee.models.weights --fetch minilm || echo "weights: not fetched; the index will be sparse-only"

areas: $(VENV)/.setup  ## Fetch the detector of figures on scanned pages (7 MB); without it their ink tells
	@$(BIN)/python -m cosee.models.weights --fetch layout-cdla || echo "areas: not fetched; figures of scans are found by their ink"

run: setup  ## Answer the demo's questions: results/metrics_summary.json and results/report/index.html
	$(SNAKEMAKE) --cores $(CORES)

real: setup  ## The same over a folder in the format of docs.jsonl, questions.jsonl, docs/: make real QA=FOLDER
	@test -n "$(QA)" || { echo "usage: make real QA=FOLDER"; exit 2; }
	$(BIN)/cosee init real --qa "$(QA)"
	$(SNAKEMAKE) --cores $(CORES) --configfile config/real.yaml

paper: setup  ## A paper's tables on one machine with GPUs: make paper BENCHMARK=mmlongbench DATA=FOLDER (docs/reproduce.md)
	@test -n "$(DATA)" && test -f "config/paper_$(BENCHMARK).yaml" || { echo "usage: make paper BENCHMARK=mmlongbench|longdocurl DATA=FOLDER"; exit 2; }
	test -d "data/paper_$(BENCHMARK)" || $(BIN)/cosee init "paper_$(BENCHMARK)" --from "$(subst mmlongbench,mmlongbench-doc,$(BENCHMARK))" --path "$(DATA)"
	$(SNAKEMAKE) --workflow-profile profiles/gpu --cores $(CORES) "results_paper_$(BENCHMARK)/metrics_summary.json" --configfile "config/paper_$(BENCHMARK).yaml"
	$(BIN)/python -m benchmarks.paper_table "$(BENCHMARK)"

analysis: setup  ## Figures and tables of the demo's run by workflow/notebooks/analysis.ipynb, and results/report.html with captions
	$(PIP) -e '.[notebook]'
	$(SNAKEMAKE) --cores $(CORES) -- results/metrics_summary.json analyses
	$(SNAKEMAKE) --cores 1 --report results/report.html -- results/metrics_summary.json analyses

test: setup-dev  ## Lint, types, schemas, unit, stage, workflow and demo tests, these without a network
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(SNAKEMAKE) --lint
	$(BIN)/mypy
	$(BIN)/python tests/offline.py $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

lint: setup-dev  ## Ruff, snakefmt and snakemake --lint
	$(BIN)/ruff check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(SNAKEMAKE) --lint

types: setup-dev  ## mypy --strict
	$(BIN)/mypy

format: setup-dev  ## Format Python and Snakemake files
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt Snakefile workflow

golden: setup-dev  ## Write the golden artifacts of the tests again; look at the difference before you commit it
	$(BIN)/python -m pytest tests/stages -q --regenerate-golden

schemas: setup  ## Write docs/schemas and workflow/schemas again
	$(BIN)/python -m tools.schemas

audit: setup-dev  ## The tables of dependencies in docs/security.md, and known vulnerabilities of the pinned versions (network)
	$(BIN)/python -m tools.dependencies
	$(PIP) pip-audit
	$(BIN)/pip-audit --disable-pip --no-deps --requirement constraints.txt

docs: setup-dev  ## Build the site of the documentation in site/, without a network
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open site/index.html; to search in it: python3 -m http.server --bind 127.0.0.1 --directory site"

dist: setup  ## Build the wheel and the sdist in dist/
	$(PIP) hatchling
	$(BIN)/python -m hatchling build -d dist

demo: setup  ## Make the demo corpus again (the same bytes)
	$(BIN)/python data/demo/make_demo.py --check

bench: setup-dev  ## Quality figures on a folder of real documents: make bench QA=FOLDER
	$(BIN)/python -m benchmarks.retrieval --qa "$(QA)" --json results/bench-retrieval.json
	$(BIN)/python -m benchmarks.answers --qa "$(QA)" --json results/bench-answers.json

bench-doctree: setup-dev  ## Figures of the DocTree beside peers: make bench-doctree PARSE=FOLDER QA=FOLDER
	$(PIP) -e '.[dev,bench]'
	$(BIN)/python -m benchmarks.doctree --cases tests/cases --parse "$(PARSE)" --qa "$(QA)" --json results/bench-doctree.json

slurm-test: setup-dev  ## Run the workflow on a SLURM of this machine alone, started for the test (root on Debian)
	tests/slurm/slurm_local.sh install
	$(PIP) -e '.[dev,slurm]'
	tests/slurm/slurm_local.sh start
	$(BIN)/python -m pytest tests/slurm; status=$$?; tests/slurm/slurm_local.sh stop; exit $$status

clean:  ## Remove everything that the pipeline made; the environment and the weights stay
	rm -rf results indexes logs measured data/.code .snakemake .cosee.lock
	find data -mindepth 2 \( -name .ledger -o -name .shards -o -name documents.tsv \) -prune -exec rm -rf {} +
	find data -mindepth 3 -maxdepth 3 ! -path '*/qa/*' ! -name full.pdf ! -name 'original.*' -path 'data/*/*/*' -prune -exec rm -rf {} +
