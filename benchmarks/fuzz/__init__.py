"""The fuzzer's inputs: sound ones, ways to break them, and the readers that get them."""
