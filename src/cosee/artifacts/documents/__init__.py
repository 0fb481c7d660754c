"""What is known of one document: layout, content lists, tree, index records."""
