"""Importers: other shapes of documents and questions to ``data/<dataset>``."""
