"""What answers without a model. Only ``runs`` imports it, and only where the model is ``embedded``."""
