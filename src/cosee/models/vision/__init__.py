"""What looks at pictures of pages without a language model: OCR engines and the detector of figures."""
