"""What a PDF file says of a page: its glyphs, words, marks, annotations and drawings, mended and turned upright."""
