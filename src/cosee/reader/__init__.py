"""What answers without a model. Only stages and commands import it, and only where no model is named."""
