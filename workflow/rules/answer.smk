rule answer:
    """M3: one method of one run over one shard: answers and traces, one file a document and a question."""
    input:
        upstream=answer_upstream,
        state=state("answer"),
        questions=f"{DATA}/{{dataset}}/.shards/{{shard}}.questions.json",
        collection=lambda wildcards: project.collection(
            wildcards.run, wildcards.dataset, wildcards.shard
        ),
        code=lambda wildcards: project.answer_code(wildcards.run, wildcards.method),
    output:
        f"{RESULTS}/{{run}}/ledger/answer.{{method}}.{{dataset}}.{{shard}}.jsonl",
    log:
        "logs/{run}/answer.{method}.{dataset}.{shard}.log",
    benchmark:
        "measured/{run}/answer.{method}.{dataset}.{shard}.jsonl"
    conda:
        lambda wildcards: environment(project.resources.run_gpus(wildcards.run))
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt, threads: 3000 * threads * attempt,
        runtime="4h",
        gpu=lambda wildcards: project.resources.run_gpus(wildcards.run),
        redo=redo("answer"),
    params:
        models=lambda wildcards: project.run_models(wildcards.run),
        settings=lambda wildcards: project.answer_settings(
            wildcards.run, wildcards.method
        ),
        limits=LIMITS,
        allowance=lambda wildcards: project.allowance(
            wildcards.run, wildcards.method, wildcards.dataset, wildcards.shard
        ),
        plugins=lambda wildcards: project.answer_plugins(
            wildcards.run, wildcards.method
        ),
    shell:
        shard_command(
            "answer",
            "--plugins {params.plugins:q}",
            "--upstream {input.upstream:q}",
            "--run {wildcards.run:q} --method {wildcards.method:q}",
            "--allowance {params.allowance:q}",
            "--collection {input.collection:q}",
        )


rule collect:
    """M3: one row per question of a method, sorted, whatever failed."""
    input:
        ledgers=lambda wildcards: project.answer_ledgers(
            wildcards.run, wildcards.method
        ),
        questions=lambda wildcards: project.question_files(wildcards.run),
        code=project.code("collect"),
    output:
        f"{RESULTS}/{{run}}/predictions/{{method}}.jsonl",
    log:
        "logs/{run}/collect.{method}.log",
    benchmark:
        "measured/{run}/collect.{method}.jsonl"
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime="1h",
    params:
        datasets=lambda wildcards: project.config.runs[wildcards.run].datasets,
    shell:
        stage_command(
            "collect",
            "--run {wildcards.run:q} --method {wildcards.method:q} --datasets {params.datasets:q}",
        )
