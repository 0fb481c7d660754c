"""Prices of a model, in its entry of config/models.yaml and in estimates."""

from __future__ import annotations

from pydantic import Field

from cosee.artifacts.base import Record


class Price(Record):
    """What a model's replies cost: for a million tokens, and for a call."""

    tokens_in: float = Field(0.0, ge=0)
    """A million tokens read, kept ones (``tokens_cached``) among them."""
    tokens_out: float = Field(0.0, ge=0)
    call: float = Field(0.0, ge=0)
    currency: str = Field("USD", pattern=r"^[A-Z]{3}$")

    def of(self, calls: float, tokens_in: float, tokens_out: float) -> float:
        """The price of so much."""
        return calls * self.call + (tokens_in * self.tokens_in + tokens_out * self.tokens_out) / 1_000_000
