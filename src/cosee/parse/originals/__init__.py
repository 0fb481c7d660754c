"""Files of other kinds than PDF: what they are, how they become one, and what they say of their structure."""
