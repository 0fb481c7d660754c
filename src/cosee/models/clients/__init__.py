"""The kinds of models that ``config/models.yaml`` may name, a file each: the entry, and how its client is opened."""
