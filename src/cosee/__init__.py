"""CoSee."""
