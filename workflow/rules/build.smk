rule enhance:
    """M1: content_list.adapted.json -> content_list.enhanced.json: furniture, headings, captions."""
    input:
        upstream=upstream("enhance"),
        state=state("enhance"),
        code=project.code("enhance"),
    output:
        f"{DATA}/{{dataset}}/.ledger/enhance.{{shard}}.jsonl",
    log:
        "logs/{dataset}/enhance.{shard}.log",
    benchmark:
        "measured/{dataset}/enhance.{shard}.jsonl"
    conda:
        environment(project.resources.gpus(project.config.enhance.figure_model))
    threads: THREADS
    resources:
        mem_mb=lambda wildcards, attempt, threads: project.resources.memory_mb(
            threads, attempt
        ),
        runtime="4h",
        gpu=project.resources.gpus(project.config.enhance.figure_model),
        redo=redo("enhance"),
    params:
        models=project.models_of(project.config.enhance.figure_model),
        settings=project.settings("enhance"),
        limits=LIMITS,
    shell:
        shard_command("enhance", "--upstream {input.upstream:q}")


rule build:
    """M1: content_list.enhanced.json -> doctree.mm.json, with its quality report."""
    input:
        upstream=upstream("build"),
        state=state("build"),
        code=project.code("build"),
    output:
        f"{DATA}/{{dataset}}/.ledger/build.{{shard}}.jsonl",
    log:
        "logs/{dataset}/build.{shard}.log",
    benchmark:
        "measured/{dataset}/build.{shard}.jsonl"
    conda:
        "../envs/cpu.yaml"
    threads: THREADS
    resources:
        mem_mb=lambda wildcards, attempt, threads: project.resources.memory_mb(
            threads, attempt
        ),
        runtime="4h",
        redo=redo("build"),
    params:
        settings=project.settings("build"),
        limits=LIMITS,
    shell:
        shard_command("build", "--upstream {input.upstream:q}")
