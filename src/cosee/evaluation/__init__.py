"""Scores, intervals and summaries of predictions; knows no agent."""
