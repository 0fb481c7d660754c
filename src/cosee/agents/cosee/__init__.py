"""CoSee: role agents that collaborate over a shared board (seeds 000 and 001)."""
