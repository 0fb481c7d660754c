"""A document and its evidence in the forms that people work in: marked PDFs, tables, Markdown and HTML."""
