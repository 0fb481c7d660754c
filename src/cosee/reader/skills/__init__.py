"""What the reader without a model can do with text and tables: pure functions, each with one job."""
