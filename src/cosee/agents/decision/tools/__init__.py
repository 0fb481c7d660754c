"""The tools of the decision agent."""
