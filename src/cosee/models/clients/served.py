"""openai, anthropic, google: models behind a server that speaks one of these protocols."""

from __future__ import annotations

from cosee.models.base import VLMClient
from cosee.models.client import Opening, client
from cosee.models.entries import ServedEntry


@client("openai", entry=ServedEntry, description="a server of the OpenAI protocol, which many servers speak")
def openai(entry: ServedEntry, opening: Opening) -> VLMClient:
    """vLLM, SGLang, Ollama, the provider's own and others."""
    from cosee.models.served.openai_client import OpenAIClient

    return OpenAIClient(entry, environment=opening.environment)


@client("openai_embeddings", entry=ServedEntry, description="vectors, not replies, by the OpenAI protocol")
def openai_embeddings(entry: ServedEntry, opening: Opening) -> VLMClient:
    """For ``index.embedding_model``: vLLM, Ollama, text-embeddings-inference, the provider's own and others."""
    from cosee.models.served.embedding_client import EmbeddingClient

    return EmbeddingClient(entry, environment=opening.environment)


@client("anthropic", entry=ServedEntry, description="a server of the Anthropic protocol")
def anthropic(entry: ServedEntry, opening: Opening) -> VLMClient:
    """The provider's own, or a gateway."""
    from cosee.models.served.anthropic_client import AnthropicClient

    return AnthropicClient(entry, environment=opening.environment)


@client("google", entry=ServedEntry, description="a server of the Google protocol")
def google(entry: ServedEntry, opening: Opening) -> VLMClient:
    """The provider's own, or a gateway."""
    from cosee.models.served.google_client import GoogleClient

    return GoogleClient(entry, environment=opening.environment)
