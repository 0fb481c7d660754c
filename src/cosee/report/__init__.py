"""The static site: metrics, questions with their evidence, documents."""
