"""What each agent's model would have replied: one module an agent, a handler for each of its schemas."""
