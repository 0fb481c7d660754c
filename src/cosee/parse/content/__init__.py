"""From the layout to the adapted content list: paragraphs, code, contents lines, parts that go on over pages."""
