rule adapt:
    """M0: full.pdf -> layout.json, content_list.json, content_list.adapted.json and images/ of each document."""
    input:
        state=state("adapt"),
        rows=f"{DATA}/{{dataset}}/.shards/{{shard}}.rows.json",
        code=project.code("adapt"),
    output:
        f"{DATA}/{{dataset}}/.ledger/adapt.{{shard}}.jsonl",
    log:
        "logs/{dataset}/adapt.{shard}.log",
    benchmark:
        "measured/{dataset}/adapt.{shard}.jsonl"
    conda:
        "../envs/cpu.yaml"
    threads: THREADS
    resources:
        mem_mb=lambda wildcards, attempt, threads: project.resources.memory_mb(
            threads, attempt
        ),
        runtime="4h",
        redo=redo("adapt"),
    params:
        settings=project.settings("adapt"),
        limits=LIMITS,
    shell:
        shard_command("adapt")
