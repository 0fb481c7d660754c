"""``VllmClient``: a model from a folder through vLLM's engine, which batches whatever calls are under way."""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import threading
import uuid
from collections.abc import Sequence
from functools import cached_property
from importlib.metadata import distributions, version
from typing import Any

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.results.prediction import Usage
from cosee.models.blocks import Message, PageImage, pictures_of
from cosee.models.boxes import Grid
from cosee.models.calls import Generation, ModelError, Sampling, ServerFailure
from cosee.models.decoding import strip_thinking
from cosee.models.local import transformers_loading as loading
from cosee.models.local import vllm_worker
from cosee.models.local.hf_text import rendered
from cosee.models.local.qwen_vl_encoding import QwenVLEncoder, load_encoder, padded
from cosee.models.reply_schema import asked_schema
from cosee.models.served.faults import ServerFault
from cosee.models.served.smaller import Limits
from cosee.models.side_by_side import SideBySide

log = logging.getLogger(__name__)
BOX_GRIDS: dict[str, Grid] = {"qwen3_vl": 1000.0, "qwen3_vl_moe": 1000.0, "qwen2_5_vl": "pixels"}
"""General knowledge: what the boxes that these families answer in count, by ``model_type``."""

SCHEMA_DECODING = {"backend": "guidance", "disable_any_whitespace": True, "disable_additional_properties": True}
"""How typed replies are held to their schema: no room is filled with blanks between fields, or with fields of its own.
"""


def is_installed() -> bool:
    """Whether vLLM is there; imports nothing."""
    return any(distributions(name="vllm"))


class VllmClient(SideBySide):
    """A Qwen vision-language model or a text model of a folder, in vLLM's engine.

    The engine is started with the first call, in a process of its own that ends with this one. Threads share the
    client: calls under way are batched as they come, prompts that begin alike share their states, typed calls are held
    to their schema while tokens are drawn. ``options`` are further arguments of vLLM's ``AsyncEngineArgs``.

    Raises:
        ModelError: the folder is not a model's, or vLLM is not installed.
    """

    def __init__(
        self,
        model_path: str,
        device: str = "auto",
        dtype: str = "auto",
        *,
        min_pixels: int | None = None,
        max_pixels: int | None = None,
        max_context: int | None = None,
        concurrency: int = 64,
        pictures: int = 32,
        options: dict[str, Any] | None = None,
    ) -> None:
        if not is_installed():
            raise ModelError("kind 'vllm' needs vLLM on a machine with a GPU: pip install 'cosee[vllm]'")
        self.folder = loading.model_folder(model_path)
        self._pixels = (min_pixels, max_pixels)
        self.name = self.folder.name
        self.revision = loading.revision(self.folder, "vllm", dtype, *self._pixels, (options or {}).get("quantization"))
        self.max_context = max_context or loading.configured_context(self.folder)
        self.concurrency = concurrency
        config = files.read_json(self.folder / "config.json")
        self.sees_images = "vision_config" in config
        self.box_grid = BOX_GRIDS.get(config.get("model_type"), 1.0)
        # vLLM's sampler for CPUs takes no seed.
        self._seeds = device != "cpu"
        self._arguments: dict[str, Any] = {
            "model": str(self.folder),
            "dtype": dtype,
            "max_model_len": self.max_context,
            "max_num_seqs": concurrency,
            "enable_prefix_caching": True,
            "disable_log_stats": True,
            "trust_remote_code": False,
            "structured_outputs_config": SCHEMA_DECODING,
            "worker_extension_cls": f"{vllm_worker.__name__}.{vllm_worker.EndsWithJob.__name__}",
            **(options or {}),
        }
        if self.sees_images:
            self._arguments["limit_mm_per_prompt"] = {"image": pictures, "video": 0}
        self._lock = threading.Lock()
        self._limits = Limits()

    @cached_property
    def encoder(self) -> QwenVLEncoder:
        """The folder's processor, with the given bounds on pixels; of models that see."""
        return load_encoder(self.folder, *self._pixels)

    @cached_property
    def tokenizer(self) -> Any:
        """The folder's tokenizer; of models that read text only."""
        loading.stay_offline()
        from transformers import AutoTokenizer

        return loading.load_part("tokenizer", AutoTokenizer, self.folder)

    @cached_property
    def _engine(self) -> _Engine:
        arguments = dict(self._arguments)
        if self.sees_images:
            size = self.encoder.processor.image_processor.size
            bounds = {edge: size[edge] for edge in ("shortest_edge", "longest_edge")}
            arguments["mm_processor_kwargs"] = {"size": bounds}
        return _Engine(arguments)

    def sent_size(self, image: PageImage) -> tuple[int, int]:
        """What the processor makes of a picture, where boxes count its pixels."""
        return self.encoder.picture_size.fitted(*image.size) if self.box_grid == "pixels" else image.size

    def check(self) -> str:
        """The engine's version; starts nothing."""
        return f"vLLM {version('vllm')} in the job"

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """One reply, without what the model thought before it.

        Raises:
            ModelError: vLLM refuses the prompt, whatever is left out of it.
            ServerFailure: the engine does not start, or ended.
        """
        reply = self._reply(messages, sampling, None)
        return reply.model_copy(update={"text": strip_thinking(reply.text)})

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """One reply, held to ``schema`` while it is drawn; raises as ``chat``."""
        return self._reply(messages, sampling, schema)

    def tokenize_prompt_length(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt, pictures included; loads no weights."""
        with self._lock:
            if self.sees_images:
                return self.encoder.length(messages)
            return len(self.tokenizer(rendered(self.tokenizer, messages), add_special_tokens=False)["input_ids"])

    def _reply(
        self, messages: Sequence[Message], sampling: Sampling | None, schema: type[BaseModel] | None
    ) -> Generation:
        """A reply to the prompt, made smaller where the engine takes less."""
        with self._lock:
            engine = self._engine
        drawn = self._drawn(sampling or Sampling())
        held = None if schema is None else asked_schema(schema, self.asked_grid)

        def send(prompt: Sequence[Message]) -> Generation:
            return engine.reply(self._prompt(prompt), drawn, held)

        try:
            reply, left_out = self._limits.fitted(messages, send, lambda fault: log.warning("%s", fault.message))
        except ServerFault as fault:
            raise ModelError(f"{self.name}: {fault.message}") from None
        return reply.model_copy(update={"left_out": left_out})

    def _prompt(self, messages: Sequence[Message]) -> dict[str, Any]:
        """A conversation as the engine takes it: its text, and its pictures."""
        if not self.sees_images:
            return {"prompt": rendered(self.tokenizer, messages)}
        with self._lock:
            prompt: dict[str, Any] = {"prompt": self.encoder.text(messages)}
        if pictures := [padded(image.load()) for image in pictures_of(messages)]:
            prompt["multi_modal_data"] = {"image": pictures}
        return prompt

    def _drawn(self, sampling: Sampling) -> dict[str, Any]:
        return {
            "max_tokens": sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "top_k": sampling.top_k,
            "repetition_penalty": sampling.repetition_penalty,
            "presence_penalty": sampling.presence_penalty,
            "stop": list(sampling.stop) or None,
            "seed": sampling.served_seed if self._seeds else None,
        }


class _Engine:
    """vLLM's asynchronous engine on an event loop of its own, in a thread of its own."""

    def __init__(self, arguments: dict[str, Any]) -> None:
        loading.stay_offline()
        # Left alone, vLLM reports its use over the network.
        os.environ.update({"VLLM_NO_USAGE_STATS": "1", "VLLM_DO_NOT_TRACK": "1", vllm_worker.JOB: str(os.getpid())})
        from vllm import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM

        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, name="vllm", daemon=True).start()

        async def start() -> Any:
            return AsyncLLM.from_engine_args(AsyncEngineArgs(**arguments))

        try:
            self._engine: Any = asyncio.run_coroutine_threadsafe(start(), self._loop).result()
        except Exception as error:  # whatever vLLM found wrong: its words say more than ours
            raise ServerFailure(f"vLLM does not start with {arguments['model']!r}: {error}") from error
        atexit.register(self._end)

    def _end(self) -> None:
        async def end() -> None:
            engine, self._engine = self._engine, None
            if engine.output_handler is not None:
                engine.output_handler.cancel()
            engine.shutdown()

        asyncio.run_coroutine_threadsafe(end(), self._loop).result()

    def reply(self, prompt: dict[str, Any], drawn: dict[str, Any], schema: dict[str, Any] | None) -> Generation:
        """The reply to one request; other threads' are under way beside it.

        Raises:
            ServerFault: vLLM refuses it.
            ServerFailure: the engine has ended.
        """
        from vllm import SamplingParams
        from vllm.exceptions import VLLMClientError
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams
        from vllm.v1.engine.exceptions import EngineDeadError

        held = None if schema is None else StructuredOutputsParams(json=schema)
        sampling = SamplingParams(**drawn, structured_outputs=held, output_kind=RequestOutputKind.FINAL_ONLY)

        async def run() -> Any:
            async for output in self._engine.generate(prompt, sampling, uuid.uuid4().hex):
                if output.finished:
                    return output
            raise ServerFault(500, "vLLM ended a request without a reply")

        try:
            output = asyncio.run_coroutine_threadsafe(run(), self._loop).result()
        except (VLLMClientError, ValueError) as error:
            raise ServerFault(400, str(error)) from None
        except EngineDeadError as error:
            raise ServerFailure(f"vLLM's engine has ended; its log is above: {error}") from None
        return _generation(output, len(prompt.get("multi_modal_data", {}).get("image", ())))


def _generation(output: Any, images: int) -> Generation:
    reply = output.outputs[0]
    usage = Usage(
        tokens_in=len(output.prompt_token_ids or ()),
        tokens_out=len(reply.token_ids),
        tokens_cached=output.num_cached_tokens or 0,
        images=images,
        calls=1,
    )
    return Generation(text=reply.text, usage=usage, finish_reason=reply.finish_reason or "stop")
