"""How artifacts look in a terminal, and pages of documents as pictures."""
