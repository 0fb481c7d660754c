"""The decision agent: one model picks a tool, looks at what it found, and answers when that is enough."""
