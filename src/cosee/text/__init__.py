"""Characters, words, numbers and languages of a text: pure functions that every floor above shares."""
