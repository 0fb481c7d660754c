"""Pages without a usable text layer: which need OCR, and what was recognised on them."""
