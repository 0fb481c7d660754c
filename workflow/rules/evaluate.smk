rule judge:
    """M4, where evaluate.judge names a model: what it says of one method's answers."""
    input:
        predictions=f"{RESULTS}/{{run}}/predictions/{{method}}.jsonl",
        questions=lambda wildcards: project.question_files(wildcards.run),
        code=project.code("judge"),
    output:
        f"{RESULTS}/{{run}}/judgements/{{method}}.jsonl",
    log:
        "logs/{run}/judge.{method}.log",
    benchmark:
        "measured/{run}/judge.{method}.jsonl"
    conda:
        environment(project.resources.gpus(project.config.evaluate.judge))
    threads: 1
    resources:
        mem_mb=4000,
        runtime="4h",
        gpu=project.resources.gpus(project.config.evaluate.judge),
    params:
        models=project.models_of(project.config.evaluate.judge),
        datasets=lambda wildcards: project.config.runs[wildcards.run].datasets,
        model=project.config.evaluate.judge,
    shell:
        stage_command(
            "judge",
            "--run {wildcards.run:q} --method {wildcards.method:q}",
            "--datasets {params.datasets:q} --model {params.model:q}",
        )


rule evidence:
    """M4, where evaluate.evidence names a model: whether what one method cites carries its answers."""
    input:
        predictions=f"{RESULTS}/{{run}}/predictions/{{method}}.jsonl",
        ledgers=lambda wildcards: project.document_ledgers(wildcards.run),
        questions=lambda wildcards: project.question_files(wildcards.run),
        code=project.code("evidence"),
    output:
        f"{RESULTS}/{{run}}/evidence/{{method}}.jsonl",
    log:
        "logs/{run}/evidence.{method}.log",
    benchmark:
        "measured/{run}/evidence.{method}.jsonl"
    conda:
        environment(project.resources.gpus(project.config.evaluate.evidence))
    threads: 1
    resources:
        mem_mb=4000,
        runtime="4h",
        gpu=project.resources.gpus(project.config.evaluate.evidence),
    params:
        models=project.models_of(project.config.evaluate.evidence),
        datasets=lambda wildcards: project.config.runs[wildcards.run].datasets,
        model=project.config.evaluate.evidence,
    shell:
        stage_command(
            "evidence",
            "--run {wildcards.run:q} --method {wildcards.method:q}",
            "--datasets {params.datasets:q} --model {params.model:q}",
        )


rule evaluate:
    """M4: scores, retrieval and evidence measures, intervals and costs of one run."""
    input:
        predictions=lambda wildcards: expand(
            f"{RESULTS}/{{run}}/predictions/{{method}}.jsonl",
            run=wildcards.run,
            method=project.methods(wildcards.run),
        ),
        judgements=lambda wildcards: project.judgements(wildcards.run),
        evidence=lambda wildcards: project.evidence_checks(wildcards.run),
        ledgers=lambda wildcards: project.document_ledgers(wildcards.run),
        questions=lambda wildcards: project.question_files(wildcards.run),
        code=project.code("evaluate"),
    output:
        multiext(
            f"{RESULTS}/{{run}}/",
            "metrics.json",
            "metrics.parquet",
            "ablations.parquet",
            "costs.json",
            *(["samples.jsonl"] if project.config.evaluate.samples else []),
        ),
    log:
        "logs/{run}/evaluate.log",
    benchmark:
        "measured/{run}/evaluate.jsonl"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=4000,
        runtime="1h",
    params:
        settings=project.settings("evaluate"),
        plugins=project.plugins(),
        methods=lambda wildcards: project.methods(wildcards.run),
        datasets=lambda wildcards: project.config.runs[wildcards.run].datasets,
    shell:
        stage_command(
            "evaluate",
            "--run {wildcards.run:q} --methods {params.methods:q} --datasets {params.datasets:q}",
            "--settings {params.settings:q}",
            "--plugins {params.plugins:q}",
        )


rule tabulate:
    """M4: every answer of one run as a table for a spreadsheet."""
    input:
        predictions=lambda wildcards: expand(
            f"{RESULTS}/{{run}}/predictions/{{method}}.jsonl",
            run=wildcards.run,
            method=project.methods(wildcards.run),
        ),
        judgements=lambda wildcards: project.judgements(wildcards.run),
        questions=lambda wildcards: project.question_files(wildcards.run),
        code=project.code("tabulate"),
    output:
        csv=f"{RESULTS}/{{run}}/answers.csv",
        xlsx=f"{RESULTS}/{{run}}/answers.xlsx",
    log:
        "logs/{run}/tabulate.log",
    benchmark:
        "measured/{run}/tabulate.jsonl"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="1h",
    params:
        plugins=project.plugins(),
        methods=lambda wildcards: project.methods(wildcards.run),
        datasets=lambda wildcards: project.config.runs[wildcards.run].datasets,
        judged=int(project.config.evaluate.judge is not None),
    shell:
        stage_command(
            "tabulate",
            "--run {wildcards.run:q} --methods {params.methods:q} --datasets {params.datasets:q}",
            "--plugins {params.plugins:q} --judged {params.judged}",
        )


rule summarize:
    """M4: metrics_summary.json of every run that the configuration lists, and the static report."""
    input:
        metrics=expand(f"{RESULTS}/{{run}}/metrics.json", run=list(project.config.runs)),
        code=project.code("summarize"),
    output:
        summary=report(
            f"{RESULTS}/metrics_summary.json",
            caption="../report/summary.rst",
            category="Summary",
        ),
        report=f"{RESULTS}/report/index.html",
    log:
        "logs/summarize.log",
    benchmark:
        "measured/summarize.jsonl"
    conda:
        "../envs/cpu.yaml"
    threads: 2
    resources:
        mem_mb=4000,
        runtime="1h",
        redo=redo("summarize"),
    params:
        runs=list(project.config.runs),
        budget=project.config.failure_budget,
        plugins=project.plugins(),
    shell:
        stage_command(
            "summarize",
            "--runs {params.runs:q} --budget-of-failures {params.budget}",
            "--plugins {params.plugins:q}",
            "--workers {threads} --redo {resources.redo}",
        )
