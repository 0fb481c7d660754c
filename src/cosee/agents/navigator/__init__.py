"""The DocTree navigator: plan, observe, reason, and plan again."""
