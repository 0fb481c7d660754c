"""Where Snakemake looks for a logger named ``cosee``; every start of Snakemake imports it, so it imports little."""

from cosee.pipeline.run_log import RunLog as LogHandler

__all__ = ["LogHandler"]
