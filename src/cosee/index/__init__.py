"""M2: from a document's tree to its summaries, dense and sparse views, edges and id maps."""
