"""One thin module a rule; the only place that knows both the pipeline and the libraries."""
