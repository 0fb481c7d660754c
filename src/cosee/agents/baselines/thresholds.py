"""Lengths of the baselines' replies, in tokens."""

READING_REPLY_TOKENS = 512
"""One reading: quotes, an explanation of one or two sentences, the answer."""
REASONING_REPLY_TOKENS = 1_024
"""The same with reasoning step by step before the answer, which must not be cut off before it."""
CHAT_REPLY_TOKENS = 400
"""One message of a conversation, with its quotes; every later message is sent all earlier ones."""
