"""Where Snakemake looks for a logger named ``cosee``; every start of Snakemake imports it, so it imports little."""

import sys

from cosee.pipeline.run_log import RunLog as LogHandler
from cosee.pipeline.start_check import check_start

check_start(sys.argv)

__all__ = ["LogHandler"]
