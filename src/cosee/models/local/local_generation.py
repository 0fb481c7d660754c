"""Generation with a transformers model in this process: each prompt is computed from its known prefix, then tokens are
drawn for all of them together."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cosee.artifacts.results.prediction import Usage
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.models.decoding import Row
from cosee.models.local.prefix_cache import PrefixCache, Signature

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Picture:
    """A picture's place in a prompt: positions ``start`` to ``end``, its patches and its grid (1, 3)."""

    start: int
    end: int
    pixels: torch.Tensor
    grid: torch.Tensor


@dataclass(frozen=True)
class Prompt:
    """An encoded prompt: token ``ids`` (n), rotary ``positions`` (axes, n), a ``signature`` (n)."""

    ids: torch.Tensor
    positions: torch.Tensor
    signature: Signature
    pictures: tuple[Picture, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def next_position(self) -> int:
        """The rotary position of the first token of the reply, on every axis."""
        return int(self.positions.max()) + 1


@dataclass
class Counts:
    """Prompt tokens as sent, and as computed: the difference is what prefix reuse saved."""

    prompt_tokens: int = 0
    computed_tokens: int = 0


class LocalGenerator:
    """Runs prompts on one model. ``prefix_bytes`` bounds the kept states; 0 turns reuse off.

    A row of a batch gives the tokens that it gives alone, up to the rounding of the model's dtype: padding is masked,
    and each row has a random generator of its own. One thread at a time.
    """

    def __init__(
        self,
        model: Any,
        decode: Callable[[Sequence[int]], str],
        end_tokens: frozenset[int],
        *,
        pad_token: int = 0,
        prefix_bytes: int = 0,
    ) -> None:
        self.model = model
        self.counts = Counts()
        self.prefixes = PrefixCache(prefix_bytes) if prefix_bytes > 0 and not _slides(model) else None
        self._decode, self._end_tokens, self._pad = decode, end_tokens, pad_token
        parameters = inspect.signature(model.forward).parameters
        self._cache_name = "cache" if "cache" in parameters else "past_key_values"

    def generate(self, prompts: Sequence[Prompt], samplings: Sequence[Sampling]) -> list[Generation]:
        """One reply for each prompt, drawn as one batch.

        Raises:
            ModelError: the prompts do not fit the memory, even with nothing kept.
        """
        *_, (rows, known) = self.steps(prompts, samplings)
        return [self.reply(*each) for each in zip(prompts, rows, known, strict=True)]

    def steps(self, prompts: Sequence[Prompt], samplings: Sequence[Sampling]) -> Iterator[tuple[list[Row], list[int]]]:
        """The rows after each drawn token, and how many positions of each prompt were known before."""
        import torch

        rows = [
            Row(prompt.ids, sampling, self._end_tokens, self._decode)
            for prompt, sampling in zip(prompts, samplings, strict=True)
        ]
        cache, mask, logits, known = self._prefill_within_memory(prompts)
        axes = prompts[0].positions.shape[0]
        places = torch.tensor([prompt.next_position for prompt in prompts])[None, :, None].expand(axes, -1, -1)
        while True:
            tokens = [self._pad if row.finish_reason else row.take(logits[number]) for number, row in enumerate(rows)]
            yield rows, known
            if all(row.finish_reason for row in rows):
                return
            if mask is not None:
                mask = torch.cat([mask, mask.new_ones(len(rows), 1)], dim=1)
            logits = self._forward(cache, torch.tensor(tokens)[:, None], places, mask)
            places = places + 1

    def reply(self, prompt: Prompt, row: Row, known: int) -> Generation:
        """The reply of a row that is complete."""
        usage = Usage(
            tokens_in=len(prompt),
            tokens_out=len(row.tokens),
            tokens_cached=known,
            images=len(prompt.pictures),
            calls=1,
        )
        return Generation(text=row.text, usage=usage, finish_reason=row.finish_reason or "length")

    def _prefill_within_memory(
        self, prompts: Sequence[Prompt]
    ) -> tuple[Any, torch.Tensor | None, torch.Tensor, list[int]]:
        import torch

        try:
            return self._prefill(prompts)
        except torch.OutOfMemoryError:
            if self.prefixes is not None:
                self.prefixes.clear()
            torch.cuda.empty_cache()
        try:
            return self._prefill(prompts)
        except torch.OutOfMemoryError as error:
            lengths = ", ".join(str(len(prompt)) for prompt in prompts)
            raise ModelError(
                f"prompts of {lengths} tokens do not fit the memory of {self.model.device}; give fewer pages, a lower "
                "max_pixels, or load in 8 or 4 bits"
            ) from error

    def _prefill(self, prompts: Sequence[Prompt]) -> tuple[Any, torch.Tensor | None, torch.Tensor, list[int]]:
        """Cache and mask of the whole prompts, logits of their last positions, and the positions known before.

        Prompts are padded on the left. A prompt by itself has no mask: with one, attention would expand the keys and
        values at every token.
        """
        import torch

        computed = [self._compute(prompt) for prompt in prompts]
        known = [each[2] for each in computed]
        if len(prompts) == 1:
            return computed[0][0], None, computed[0][1], known
        longest = max(map(len, prompts))
        missing = torch.tensor([longest - len(prompt) for prompt in prompts])
        mask = (torch.arange(longest)[None] >= missing[:, None]).long().to(self.model.device)
        layers = zip(*(_layers(cache) for cache, _, _ in computed), strict=True)
        joined = [tuple(_stacked(states, longest) for states in zip(*rows, strict=True)) for rows in layers]
        return _cache_of(joined), mask, torch.cat([logits for _, logits, _ in computed]), known

    def _compute(self, prompt: Prompt) -> tuple[Any, torch.Tensor, int]:
        """Cache of a prompt, logits of its last position, and how many positions were known before."""
        known, layers = self.prefixes.find(prompt.signature) if self.prefixes is not None else (0, [])
        self.counts.prompt_tokens += len(prompt)
        self.counts.computed_tokens += len(prompt) - known
        cache = _cache_of(layers)
        logits = self._forward(
            cache,
            prompt.ids[None, known:],
            prompt.positions[:, None, known:],
            None,
            [picture for picture in prompt.pictures if picture.start >= known],
        )
        if self.prefixes is not None:
            self.prefixes.store(prompt.signature, _layers(cache))
        return cache, logits, known

    def _forward(
        self,
        cache: Any,
        ids: torch.Tensor,
        positions: torch.Tensor,
        mask: torch.Tensor | None,
        pictures: Sequence[Picture] = (),
    ) -> torch.Tensor:
        """Logits of the last position, (rows, vocabulary), float32 on the CPU; the cache grows by ``ids``."""
        import torch
        from torch.nn.attention import SDPBackend, sdpa_kernel

        device = self.model.device
        inputs: dict[str, Any] = {}
        if pictures:
            inputs["pixel_values"] = torch.cat([picture.pixels for picture in pictures]).to(device)
            inputs["image_grid_thw"] = torch.cat([picture.grid for picture in pictures]).to(device)
        # cuDNN's attention plans anew for every length, 0.1 s a drawn token at first sight of it.
        kernels = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]
        with torch.inference_mode(), sdpa_kernel(kernels):
            output = self.model(
                input_ids=ids.to(device),
                position_ids=(positions[0] if positions.shape[0] == 1 else positions).to(device),
                attention_mask=None if mask is None else mask.to(device),
                use_cache=True,
                logits_to_keep=1,
                **{self._cache_name: cache},
                **inputs,
            )
        logits: torch.Tensor = output.logits[:, -1].float().cpu()
        return logits


def _slides(model: Any) -> bool:
    """Whether a layer forgets early positions, so that its states cannot be cut back to a prefix."""
    config = model.config.get_text_config(decoder=True)
    kinds = getattr(config, "layer_types", None) or []
    return any(kind != "full_attention" for kind in kinds)


def _layers(cache: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(layer.keys, layer.values) for layer in cache.layers]


def _cache_of(layers: Sequence[tuple[torch.Tensor, ...]]) -> Any:
    """A transformers ``Cache`` that begins with the given states, keys and values of each layer."""
    from transformers.cache_utils import Cache, DynamicLayer

    cache = Cache(layer_class_to_replicate=DynamicLayer)
    for number, (keys, values) in enumerate(layers):
        cache.update(keys, values, number)
    return cache


def _stacked(states: Sequence[torch.Tensor], longest: int) -> torch.Tensor:
    """States of several prompts as rows of one batch, padded on the left."""
    import torch

    padded = [torch.nn.functional.pad(each, (0, 0, longest - each.shape[-2], 0)) for each in states]
    return torch.cat(padded)
