"""What the entries of ``config/models.yaml`` have in common; each kind's own stands in ``models/clients``."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.price import Price
from cosee.models.picture_size import MERGE, PATCH, QWEN3_VL


class Entry(Record):
    """A named model; ``kind`` is the name of its client."""

    OPERATION: ClassVar[frozenset[str]] = frozenset()
    """Fields that say where and how a model is run, and decide no reply."""

    kind: str
    price: Price | None = None
    """What it costs, for ``cosee estimate`` and a run's budget in money; decides no reply."""

    def deciding(self) -> dict[str, Any]:
        """What of it decides replies: an edit of anything else redoes no answer."""
        return self.model_dump(mode="json", exclude={"price", *self.OPERATION})


class LocalEntry(Entry):
    """A model in a folder of this machine, run in the answering job."""

    OPERATION = frozenset({"concurrency", "prefix_gib"})

    model_path: str = Field(min_length=1)
    device: str = "auto"
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    max_context: int | None = Field(None, ge=64)
    thinking_tokens: int = Field(0, ge=0)
    """Tokens for what the model thinks before a reply, beside the reply's own; none for a model that does not, 4096
    for one that does."""
    concurrency: int = Field(4, ge=1, le=1024)
    """Calls under way at a time; they are drawn as one batch."""

    @property
    def gpus(self) -> int:
        """GPUs that a job with this model asks for."""
        return int(self.device != "cpu")


class TransformersEntry(LocalEntry):
    """A model that runs through transformers."""

    load_in_8bit: bool = False
    load_in_4bit: bool = False
    attention: Literal["sdpa", "eager", "flash_attention_2"] | None = None
    prefix_gib: float = Field(4.0, ge=0)
    """Memory for kept prompt states; 0 computes every prompt anew."""


class ServedEntry(Entry):
    """A model behind a server; ``model`` is its id there."""

    OPERATION = frozenset(
        {"base_url", "api_key_env", "timeout", "retries", "patience", "models_endpoint", "concurrency"}
    )

    model: str = Field(min_length=1)
    base_url: str | None = Field(None, pattern=r"^(https?://[^\s@?#]|\$\{\w+(:-https?://[^\s@?#}]+)?\})[^\s@?#]*$")
    """The server's address, without user, password or query, or ``${NAME}``; absent means the provider's own service.
    """
    api_key_env: str | None = Field(None, pattern=r"^[A-Z_][A-Z0-9_]*$")
    """Name of the environment variable that holds the key, in capitals; the key itself is nowhere in a file."""
    timeout: float = Field(120.0, gt=0)
    retries: int = Field(4, ge=0, le=10)
    patience: float = Field(600.0, ge=0)
    """Seconds that a server which went away, or asks to be called later, is waited for; then the job ends."""
    models_endpoint: bool = True
    """Whether the server has a list of its models, in which ``model`` must stand."""
    parameters: dict[str, str | None] = Field(default_factory=dict)
    """Parameter of a request -> its name on this server; null for one that it does not take."""
    extra_body: dict[str, Any] = Field(default_factory=dict)
    """Put into every request as it stands."""
    extra_headers: dict[str, Annotated[str, Field(pattern=r"^[ -~]*$")]] = Field(default_factory=dict)
    """Sent with every request; ``${NAME}`` takes a value from the environment."""
    concurrency: int = Field(4, ge=1, le=64)
    max_context: int = Field(32_768, ge=64)
    thinking_tokens: int = Field(0, ge=0)
    """Tokens for what the model thinks before a reply, beside the reply's own; none for a model that does not, 4096
    for one that does."""
    sees_images: bool = True
    box_grid: Annotated[float, Field(gt=0)] | Literal["pixels"] = 1000.0
    """How far the boxes of the model's replies count across a page, told in the prompt: 1000 as Qwen3-VL does, 1, or
    ``pixels`` of the picture as it was sent, as Qwen2.5-VL does."""
    picture_unit: int = Field(PATCH * MERGE, ge=1)
    """Side in pixels of what becomes one token of a picture: 32 for Qwen3-VL, 28 for Qwen2.5-VL."""
    min_pixels: int = Field(QWEN3_VL.min_pixels, ge=1)
    max_pixels: int = Field(QWEN3_VL.max_pixels, ge=1)
    """A picture with more pixels is made smaller before it is sent; one with less than ``min_pixels`` is enlarged by
    the server's processor, and its tokens are counted so."""
    revision: str = ""
    """Part of journal keys: change it when the server's weights change under the same name."""
