"""One file a benchmark: how it scores an answer, as its own published scorer behaves when it is run."""
