"""Question time: from a question to ranked nodes and pages, each with the reasons why."""
