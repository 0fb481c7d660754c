"""Models behind a server: the protocols of OpenAI, Anthropic and Google."""
