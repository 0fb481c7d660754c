"""Every model call: clients, message blocks, typed requests, journal, embedders. Heavy imports stay in functions."""
