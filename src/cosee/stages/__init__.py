"""One thin module a stage: the only place that knows both the pipeline and the libraries."""
