"""Generation with a transformers model in this process: prefill that reuses known prefixes, then a batched loop."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from cosee.artifacts.results.prediction import Usage
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.models.decoding import Row
from cosee.models.local.growing_cache import cache_of
from cosee.models.local.prefix_cache import PrefixCache, Signature, common_prefix

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
        """One reply for each prompt. Prompts that share at least half of the shortest run as one batch.

        Raises:
            ModelError: the prompts do not fit the memory, even with nothing kept.
        """
        if len(prompts) > 1 and _shared(prompts) * 2 < min(map(len, prompts)):
            return [self.generate([prompt], [sampling])[0] for prompt, sampling in zip(prompts, samplings, strict=True)]
        *_, (rows, reused) = self.steps(prompts, samplings)
        return [self._generation(prompt, row, reused) for prompt, row in zip(prompts, rows, strict=True)]

    def steps(self, prompts: Sequence[Prompt], samplings: Sequence[Sampling]) -> Iterator[tuple[list[Row], int]]:
        """The rows after each drawn token, and how many positions of each prompt were known before."""
        import torch

        rows = [
            Row(prompt.ids, sampling, self._end_tokens, self._decode)
            for prompt, sampling in zip(prompts, samplings, strict=True)
        ]
        cache, mask, logits, reused = self._prefill_within_memory(prompts)
        axes = prompts[0].positions.shape[0]
        places = torch.tensor([prompt.next_position for prompt in prompts])[None, :, None].expand(axes, -1, -1)
        while True:
            tokens = [self._pad if row.finish_reason else row.take(logits[number]) for number, row in enumerate(rows)]
            yield rows, reused
            if all(row.finish_reason for row in rows):
                return
            if mask is not None:
                mask = torch.cat([mask, mask.new_ones(len(rows), 1)], dim=1)
            logits = self._forward(cache, torch.tensor(tokens)[:, None], places, mask)
            places = places + 1

    def _generation(self, prompt: Prompt, row: Row, reused: int) -> Generation:
        usage = Usage(
            tokens_in=len(prompt),
            tokens_out=len(row.tokens),
            tokens_cached=reused,
            images=len(prompt.pictures),
            calls=1,
        )
        return Generation(text=row.text, usage=usage, finish_reason=row.finish_reason or "length")

    def _prefill_within_memory(self, prompts: Sequence[Prompt]) -> tuple[Any, torch.Tensor | None, torch.Tensor, int]:
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

    def _prefill(self, prompts: Sequence[Prompt]) -> tuple[Any, torch.Tensor | None, torch.Tensor, int]:
        """Cache and mask of the whole prompts, logits of their last positions, and the positions known before.

        A prompt by itself has no mask: with one, attention would expand the keys and values at every token.
        """

        shared = len(prompts[0]) if len(prompts) == 1 else min(_shared(prompts), min(map(len, prompts)) - 1)
        first = prompts[0]
        known, layers = self.prefixes.find(first.signature[:shared]) if self.prefixes is not None else (0, [])
        self.counts.prompt_tokens += sum(map(len, prompts))
        cache = cache_of(layers)
        logits = None
        if known < shared:
            logits = self._compute(cache, first, known, shared)
            if self.prefixes is not None:
                self.prefixes.store(first.signature[:shared], _layers(cache))
        if len(prompts) == 1:
            assert logits is not None  # at least one position is always computed
            return cache, None, logits, known
        cache = cache_of(
            [
                (keys.repeat(len(prompts), 1, 1, 1), values.repeat(len(prompts), 1, 1, 1))
                for keys, values in _layers(cache)
            ]
        )
        return (cache, *self._compute_tails(cache, prompts, shared), known)

    def _compute(self, cache: Any, prompt: Prompt, start: int, end: int) -> torch.Tensor:
        """Logits of position ``end - 1`` of a prompt whose first ``start`` positions the cache holds."""
        self.counts.computed_tokens += end - start
        return self._forward(
            cache,
            prompt.ids[None, start:end],
            prompt.positions[:, None, start:end],
            None,
            [picture for picture in prompt.pictures if start <= picture.start < end],
        )

    def _compute_tails(self, cache: Any, prompts: Sequence[Prompt], shared: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Mask and last logits after what follows ``shared`` positions of each prompt, padded on the left."""
        import torch

        longest = max(map(len, prompts)) - shared
        ids = torch.full((len(prompts), longest), self._pad, dtype=torch.long)
        positions = torch.zeros(prompts[0].positions.shape[0], len(prompts), longest, dtype=torch.long)
        mask = torch.zeros(len(prompts), shared + longest, dtype=torch.long)
        mask[:, :shared] = 1
        for number, prompt in enumerate(prompts):
            count = len(prompt) - shared
            ids[number, longest - count :] = prompt.ids[shared:]
            positions[:, number, longest - count :] = prompt.positions[:, shared:]
            mask[number, shared + longest - count :] = 1
            self.counts.computed_tokens += count
        pictures = [picture for prompt in prompts for picture in prompt.pictures if picture.start >= shared]
        logits = self._forward(cache, ids, positions, mask, pictures)
        return mask.to(self.model.device), logits

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


def _shared(prompts: Sequence[Prompt]) -> int:
    return min(common_prefix(prompts[0].signature, prompt.signature) for prompt in prompts)


def _slides(model: Any) -> bool:
    """Whether a layer forgets early positions, so that its states cannot be cut back to a prefix."""
    config = model.config.get_text_config(decoder=True)
    kinds = getattr(config, "layer_types", None) or []
    return any(kind != "full_attention" for kind in kinds)


def _layers(cache: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    return [(layer.keys, layer.values) for layer in cache.layers]
