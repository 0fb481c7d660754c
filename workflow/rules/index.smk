rule index:
    """M2: doctree.mm.json -> summaries, dense and sparse views, edges, id maps and page vectors of each document."""
    input:
        upstream=upstream("index"),
        state=state("index"),
        code=project.code("index"),
    output:
        f"{INDEXES}/{{dataset}}/.ledger/index.{{shard}}.jsonl",
    log:
        "logs/{dataset}/index.{shard}.log",
    benchmark:
        "measured/{dataset}/index.{shard}.jsonl"
    conda:
        environment(project.resources.index_gpus())
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt, threads: 4000 * threads * attempt,
        runtime="4h",
        gpu=project.resources.index_gpus(),
        redo=redo("index"),
    params:
        models=project.models_of(
            project.config.index.summary_model, project.config.index.embedding_model
        ),
        settings=project.settings("index"),
        limits=LIMITS,
    shell:
        shard_command("index", "--upstream {input.upstream:q}")


rule collection:
    """M2: the indexes of one shard's documents -> their part of the index that questions over several are searched in."""
    input:
        ledger=f"{INDEXES}/{{dataset}}/.ledger/index.{{shard}}.jsonl",
        code=project.code("collection"),
    output:
        multiext(f"{INDEXES}/{{dataset}}/.collection/{{shard}}", ".json", ".bin"),
    log:
        "logs/{dataset}/collection.{shard}.log",
    benchmark:
        "measured/{dataset}/collection.{shard}.jsonl"
    wildcard_constraints:
        shard=r"\d+",
    conda:
        "../envs/cpu.yaml"
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt: 4000 * attempt,
        runtime="1h",
    shell:
        stage_command(
            "collection",
            "--dataset {wildcards.dataset:q} --shard {wildcards.shard:q} --ledger {input.ledger:q}",
        )


rule questions:
    """M2: vectors of the questions, so that answering without a model loads no embedder."""
    input:
        upstream=upstream("questions"),
        state=state("questions"),
        questions=f"{DATA}/{{dataset}}/.shards/{{shard}}.questions.json",
        code=project.code("questions"),
    output:
        f"{INDEXES}/{{dataset}}/.ledger/questions.{{shard}}.jsonl",
    log:
        "logs/{dataset}/questions.{shard}.log",
    benchmark:
        "measured/{dataset}/questions.{shard}.jsonl"
    conda:
        environment(project.resources.question_gpus())
    threads: 1
    resources:
        mem_mb=lambda wildcards, attempt, threads: 4000 * threads * attempt,
        runtime="4h",
        gpu=project.resources.question_gpus(),
        redo=redo("questions"),
    params:
        models=project.models_of(project.config.index.embedding_model),
        settings=project.settings("questions"),
        limits=LIMITS,
    shell:
        shard_command("questions", "--upstream {input.upstream:q}")
