"""Sizes of what embedders and rerankers read, and of the batches in which they compute."""

TEXT_TOKENS = 256
"""Of a text that reach its vector, as many as the default model is made for; the rest is not read."""
PASSAGE_TOKENS = 512
"""Of a question and a passage together that a cross-encoder reads; the passage is cut."""
READ_TOKENS, QUESTION_TOKENS = 330, 128
"""Of a passage and of a question that a language model reads as a reranker; the rest is cut."""

BLOCK_ROWS = 8
BLOCK_LENGTHS = (12, 24, 36, 48, 60)
"""Shapes in which short texts are encoded on a CPU: rows, and lengths in tokens. Longer texts go one by one.

OpenBLAS multiplies twelve rows at a time where a CPU has AVX2 and no AVX512: with lengths of multiples of twelve the
last bits of a row do not depend on its place in the block.
"""
GPU_ROWS = 128
GPU_LENGTHS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 192, TEXT_TOKENS)
"""The same on a GPU, for every text."""
ROWS_IN_CACHE = 32
"""Of an activation that are computed at a time, so that what is worked on stays in the processor's cache."""

PASSAGES_AT_ONCE = 16
"""That a cross-encoder reads as one batch; its memory grows with them."""
TEXTS_OF_A_REQUEST = 32
"""Sent to a server of vectors at a time; text-embeddings-inference takes no more unless it is told to."""
TEXTS_OF_A_STEP = 512
"""After which vectors go into the cache, so that a kill loses few of them."""
MOST_HEADER_BYTES = 10_000_000
"""Of a safetensors file: one that says more is damaged, and reading it would fill the memory."""
