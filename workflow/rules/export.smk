rule export:
    """After M3: a run's documents as marked PDFs (kind pdf), tables, markdown or html. Its row says what became of each."""
    input:
        predictions=export_answers,
        ledgers=lambda wildcards: project.document_ledgers(wildcards.run),
        questions=lambda wildcards: project.question_files(wildcards.run),
        code=project.code("export"),
    output:
        f"{RESULTS}/{{run}}/exports/{{kind}}.jsonl",
    log:
        "logs/{run}/export.{kind}.log",
    benchmark:
        "measured/{run}/export.{kind}.jsonl"
    wildcard_constraints:
        kind="pdf|tables|markdown|html",
    conda:
        "../envs/cpu.yaml"
    threads: 2
    resources:
        mem_mb=lambda wildcards, attempt, threads: project.resources.memory_mb(
            threads, attempt
        ),
        runtime="4h",
    params:
        limits=LIMITS,
        methods=lambda wildcards: project.methods(wildcards.run),
        datasets=lambda wildcards: project.config.runs[wildcards.run].datasets,
    shell:
        stage_command(
            "export",
            "--run {wildcards.run:q} --kind {wildcards.kind:q} --datasets {params.datasets:q}",
            "--methods {params.methods:q} --limits {params.limits:q} --workers {threads}",
        )


rule exports:
    """Every form of every run."""
    input:
        expand(
            f"{RESULTS}/{{run}}/exports/{{kind}}.jsonl",
            run=list(project.config.runs),
            kind=["pdf", "tables", "markdown", "html"],
        ),
