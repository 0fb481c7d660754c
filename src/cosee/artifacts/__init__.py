"""What is on disk: one pydantic model for every file of the pipeline, each family in a module of its own."""
