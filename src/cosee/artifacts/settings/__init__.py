"""Settings of each stage, a module a stage, so that editing one section's fields makes only its stages stale."""
