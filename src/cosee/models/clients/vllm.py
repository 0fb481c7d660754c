"""vllm: a model from a folder, in vLLM's engine."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.models.base import VLMClient
from cosee.models.client import Opening, client
from cosee.models.entries import LocalEntry


class VllmEntry(LocalEntry):
    """A model in vLLM's engine, in the answering job; pixel bounds default to the processor's own.

    ``device`` is that of vLLM's build; ``cpu`` says that the job asks for no GPU.
    """

    OPERATION = frozenset({"concurrency", "tensor_parallel_size", "gpu_memory_utilization", "enforce_eager"})

    kind: Literal["vllm"]
    device: Literal["auto", "cpu"] = "auto"
    concurrency: int = Field(64, ge=1, le=1024)
    min_pixels: int | None = Field(None, ge=1)
    max_pixels: int | None = Field(None, ge=1)
    pictures: int = Field(32, ge=1)
    """Page pictures that a prompt may hold."""
    tensor_parallel_size: int = Field(1, ge=1, le=64)
    """GPUs that the model is spread over."""
    gpu_memory_utilization: float = Field(0.9, gt=0, le=1)
    """Share of a GPU's memory for weights and states."""
    quantization: str | None = Field(None, pattern=r"^[a-z0-9_]+$")
    """A way of vLLM's to quantise the weights while they load, such as ``fp8``; the folder's own needs no word."""
    enforce_eager: bool = False
    """Without CUDA graphs: a start of seconds instead of a minute, and fewer tokens a second."""

    @property
    def gpus(self) -> int:
        """GPUs that a job with this model asks for."""
        return self.tensor_parallel_size if self.device != "cpu" else 0


ENGINE = ("tensor_parallel_size", "gpu_memory_utilization", "quantization", "enforce_eager")
"""Fields that vLLM's engine takes under their own names."""


@client("vllm", entry=VllmEntry, description="a model from a folder, in vLLM's engine, for GPUs")
def vllm(entry: VllmEntry, opening: Opening) -> VLMClient:
    """The model in this job."""
    from cosee.models.local.vllm_client import VllmClient

    return VllmClient(
        **entry.model_dump(exclude={"kind", "price", "thinking_tokens", *ENGINE}),
        options=entry.model_dump(include=set(ENGINE)),
    )
