"""CoSee: role agents that collaborate over a shared board."""
