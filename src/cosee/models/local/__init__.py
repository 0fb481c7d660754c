"""Models from a folder, through transformers."""
