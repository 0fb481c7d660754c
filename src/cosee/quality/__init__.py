"""Questions about the quality of an image: a planner, an executor of measured statistics, a summarizer, their graph."""
