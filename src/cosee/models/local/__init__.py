"""Models from a folder, in vLLM's engine or through transformers."""
