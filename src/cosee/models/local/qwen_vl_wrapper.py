"""``QwenVLClient``: Qwen3-VL from a local folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from cosee.models.blocks import Message
from cosee.models.calls import Sampling
from cosee.models.decoding import presence_processor, strip_thinking
from cosee.models.local import transformers_loading as loading
from cosee.models.local.local_client import LocalClient
from cosee.models.local.local_generation import LocalGenerator, Prompt
from cosee.models.local.qwen_vl_encoding import QwenVLEncoder, load_encoder
from cosee.models.local.thresholds import CONCURRENCY, PICTURE_PREFIX_GIB


class QwenVLClient(LocalClient):
    """Qwen3-VL through ``Qwen3VLForConditionalGeneration`` and ``AutoProcessor``.

    The folder is checked at once; weights are loaded with the first call that needs them, so that a run that is
    answered from its journal loads nothing. The states of a prompt are kept (``prefix_gib`` at most), and the next
    prompt computes only what follows the part that both share: pages first, then the question, then what differs
    between agents. ``min_pixels`` and ``max_pixels`` default to the processor's own configuration. Arguments of
    ``generate`` that are no Sampling fields are those of transformers' own ``generate``.

    Raises:
        ModelError: the folder is not a model's, bitsandbytes is missing, or both quantisations were asked for.
    """

    sees_images = True
    box_grid = 1000.0

    def __init__(
        self,
        model_path: str,
        device: str = "cpu",
        dtype: str = "auto",
        load_in_8bit: bool = False,
        load_in_4bit: bool = False,
        *,
        attention: str | None = None,
        min_pixels: int | None = None,
        max_pixels: int | None = None,
        max_context: int | None = None,
        prefix_gib: float = PICTURE_PREFIX_GIB,
        concurrency: int = CONCURRENCY,
    ) -> None:
        options = dict(dtype=dtype, load_in_8bit=load_in_8bit, load_in_4bit=load_in_4bit, attention=attention)
        folder = loading.model_folder(model_path)
        super().__init__(folder, device, options, [min_pixels, max_pixels], max_context, prefix_gib, concurrency)
        self._pixels = (min_pixels, max_pixels)

    @cached_property
    def encoder(self) -> QwenVLEncoder:
        """The folder's processor, with the given bounds on pixels."""
        return load_encoder(self.folder, *self._pixels)

    @cached_property
    def generator(self) -> LocalGenerator:
        """The loaded model and its prefixes."""
        loading.stay_offline()
        from transformers import Qwen3VLForConditionalGeneration

        return self._generator_of(Qwen3VLForConditionalGeneration, self.encoder.processor.tokenizer)

    def _encode(self, messages: Sequence[Message]) -> Prompt:
        return self.encoder.encode(messages, self.generator.model.model)

    def tokenize_prompt_length(self, messages: Sequence[Message] | Sequence[Mapping[str, Any]]) -> int:
        """Tokens of a prompt, pictures included, as the processor counts them; loads no weights.

        Takes messages, or the structure that ``build_messages`` gives.
        """
        return self.encoder.length(messages)

    def _prompt_text(self, message: Message) -> str:
        with self._lock:
            ids = self._encode([message]).ids
        shown = ids[self.encoder.kinds(ids) == 0]
        return str(self.encoder.processor.tokenizer.decode(shown, skip_special_tokens=True))

    def _reply_with(self, messages: Sequence[Message], sampling: Sampling, arguments: Mapping[str, Any]) -> str:
        """One reply through ``model.generate``, for arguments that only it knows; reuses no prefix."""
        import torch
        from transformers import LogitsProcessorList

        with self._lock, torch.inference_mode(), torch.random.fork_rng():
            prompt = self._encode(messages)
            sampling = self.within_context(len(prompt), sampling)
            model = self.generator.model
            device = model.device
            torch.manual_seed(sampling.seed)
            pictures: dict[str, Any] = {}
            if prompt.pictures:
                pictures["pixel_values"] = torch.cat([picture.pixels for picture in prompt.pictures]).to(device)
                pictures["image_grid_thw"] = torch.cat([picture.grid for picture in prompt.pictures]).to(device)
            drawn: dict[str, Any] = {"do_sample": False}
            if sampling.temperature > 0:
                drawn = {"do_sample": True, "temperature": sampling.temperature, "top_p": sampling.top_p}
                drawn["top_k"] = sampling.top_k
            output = model.generate(
                input_ids=prompt.ids[None].to(device),
                attention_mask=torch.ones(1, len(prompt), dtype=torch.long, device=device),
                mm_token_type_ids=self.encoder.kinds(prompt.ids)[None].to(device),
                max_new_tokens=sampling.max_new_tokens,
                repetition_penalty=sampling.repetition_penalty,
                logits_processor=LogitsProcessorList([presence_processor(len(prompt), sampling.presence_penalty)]),
                **pictures,
                **{**drawn, **arguments},
            )
        reply = self.encoder.processor.tokenizer.decode(output[0, len(prompt) :], skip_special_tokens=True)
        return strip_thinking(str(reply))
