"""What answers without a model. Only stages and commands import it, and only for the model ``embedded``."""
