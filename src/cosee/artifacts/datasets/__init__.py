"""What a dataset is made of: the sheet of documents, questions, passwords, the report of an import."""
