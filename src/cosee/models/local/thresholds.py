"""Sizes of what the clients of models in this process keep and take."""

PICTURE_PREFIX_GIB = 4.0
"""Memory for kept prompt states of a model that sees, where its entry does not say."""
TEXT_PREFIX_GIB = 2.0
"""The same of a model that reads text alone, and has no pictures in its prompts."""
CONCURRENCY = 4
"""Prompts of a batch, where the entry does not say."""
MOST_SHARED_PREFIX = 0.9
"""Share of a kept prompt that a newer one begins with: from here on the newer one serves in its place."""
KEPT_PICTURES = 64
"""Pictures whose patches are kept, so that the pages of a question are cut up once."""
LONGEST_TO_SHORTEST = 190
"""Pictures are padded to at most this ratio of sides; Qwen's processor refuses more than 200."""
WEIGHT_SAMPLE_BYTES = 1 << 20
"""At the beginning and the end of a weight file that tell it from another, in milliseconds."""
