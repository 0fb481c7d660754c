"""What a question asks for, read from its wording alone: the one place, for retrieval, agents and reader alike."""
