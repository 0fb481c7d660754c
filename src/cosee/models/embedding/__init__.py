"""Vectors of texts and pages, and rerankers."""
