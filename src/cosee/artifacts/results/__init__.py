"""What a run leaves: predictions, traces, samples, metrics, comparisons, judgements."""
