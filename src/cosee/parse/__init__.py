"""M0: a PDF becomes ``layout.json`` and an adapted content list."""
