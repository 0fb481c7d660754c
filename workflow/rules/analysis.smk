rule analysis:
    """M4: figures and tables of one run by a notebook; its executed copy is the log. Needs the extra `notebook`."""
    input:
        notebook_tools,
        metrics=f"{RESULTS}/{{run}}/metrics.json",
        scores=f"{RESULTS}/{{run}}/metrics.parquet",
        costs=ancient(f"{RESULTS}/{{run}}/costs.json"),
    output:
        methods=report(
            f"{RESULTS}/{{run}}/analysis/methods.csv",
            caption="../report/methods.rst",
            category="{run}",
        ),
        sources=report(
            f"{RESULTS}/{{run}}/analysis/sources.csv",
            caption="../report/sources.rst",
            category="{run}",
        ),
        accuracy=report(
            f"{RESULTS}/{{run}}/analysis/accuracy.svg",
            caption="../report/accuracy.rst",
            category="{run}",
        ),
        causes=report(
            f"{RESULTS}/{{run}}/analysis/causes.svg",
            caption="../report/causes.rst",
            category="{run}",
        ),
        pages=report(
            f"{RESULTS}/{{run}}/analysis/pages.svg",
            caption="../report/pages.rst",
            category="{run}",
        ),
        costs=report(
            f"{RESULTS}/{{run}}/analysis/costs.svg",
            caption="../report/costs.rst",
            category="{run}",
        ),
    log:
        notebook="logs/{run}/analysis.ipynb",
    conda:
        "../envs/notebook.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="1h",
    notebook:
        "../notebooks/analysis.ipynb"


rule analyses:
    """The analysis of every run."""
    input:
        expand(f"{RESULTS}/{{run}}/analysis/methods.csv", run=list(project.config.runs)),
