"""Speed and memory of Qwen3-VL-4B's true dimensions with random weights, through the project's own generation.

``python -m benchmarks.qwen_gpu --json OUT`` on a machine with a GPU; ``--tiny`` runs the same steps on a CPU in
seconds. Random weights take as long as trained ones; what they say means nothing.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import print_table, write_report
from cosee.models.calls import Sampling
from cosee.models.local import transformers_loading as loading
from cosee.models.local.local_generation import LocalGenerator, Picture, Prompt

ROPE = {"rope_type": "default", "rope_theta": 5e6, "mrope_interleaved": True}
SIZES: dict[str, dict[str, dict[str, Any]]] = {
    "4b": {
        "text": {
            "vocab_size": 151_936,
            "hidden_size": 2560,
            "intermediate_size": 9728,
            "num_hidden_layers": 36,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "head_dim": 128,
            "max_position_embeddings": 262_144,
            "rope_parameters": {**ROPE, "mrope_section": [24, 20, 20]},
            "tie_word_embeddings": True,
        },
        "vision": {
            "depth": 24,
            "hidden_size": 1024,
            "intermediate_size": 4096,
            "num_heads": 16,
            "out_hidden_size": 2560,
            "patch_size": 16,
            "num_position_embeddings": 2304,
            "deepstack_visual_indexes": [5, 11, 17],
        },
    },
    "tiny": {
        "text": {
            "vocab_size": 1000,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": 4,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "max_position_embeddings": 32_768,
            "rope_parameters": {**ROPE, "mrope_section": [4, 2, 2]},
            "tie_word_embeddings": True,
        },
        "vision": {
            "depth": 4,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": 64,
            "patch_size": 16,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [1, 2, 3],
        },
    },
}
IMAGE, START, END = 3, 1, 2
"""Token ids of a picture's positions and of what stands before and after it."""


def main() -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--tiny", action="store_true", help="a tiny model on the CPU")
    parser.add_argument("--pages", type=int, default=8, help="pages of a prompt")
    parser.add_argument("--page-side", type=int, default=1024, help="width and height of a page picture in pixels")
    parser.add_argument("--text-tokens", type=int, default=500, help="text tokens of a page")
    parser.add_argument("--tail-tokens", type=int, default=600, help="tokens of a call after the pages")
    parser.add_argument("--new-tokens", type=int, default=128, help="tokens of a reply")
    options = parser.parse_args()
    loading.stay_offline()
    import torch

    device = "cpu" if options.tiny else loading.resolve_device("cuda")
    started = time.perf_counter()
    model = build("tiny" if options.tiny else "4b", device)
    synchronise(device)
    figures = {"load_s": time.perf_counter() - started}
    prompts = [prompt(model, options, call) for call in range(9)]
    sampling = Sampling(temperature=0, max_new_tokens=options.new_tokens, presence_penalty=0)
    plain, reusing = (generator(model, bytes_) for bytes_ in (0, 12 << 30))
    timed(plain, prompts[0], sampling, device)  # kernels are chosen and memory is taken here
    prefill = timed(plain, prompts[0], sampling.model_copy(update={"max_new_tokens": 1}), device)
    whole = timed(plain, prompts[0], sampling, device)
    figures["prefill_tokens_per_s"] = len(prompts[0]) / prefill
    if whole > prefill:
        figures["decode_tokens_per_s"] = (options.new_tokens - 1) / (whole - prefill)
    seconds = {
        name: sum(timed(client, call, sampling.model_copy(update={"max_new_tokens": 32}), device) for call in prompts)
        for name, client in (("with reuse", reusing), ("without", plain))
    }
    figures["prefix_reuse_speedup"] = seconds["without"] / seconds["with reuse"]
    if device != "cpu":
        figures["peak_gib"] = torch.cuda.max_memory_allocated() / (1 << 30)
    card = torch.cuda.get_device_name() if device != "cpu" else "CPU"
    print_table(("device", "prompt tokens", *figures), [[card, len(prompts[0]), *figures.values()]])
    detail = {
        "device": card,
        "prompt_tokens": len(prompts[0]),
        "nine_calls_seconds": seconds,
        "computed_tokens_with_reuse": reusing.counts.computed_tokens,
        "prompt_tokens_with_reuse": reusing.counts.prompt_tokens,
        "torch": torch.__version__,
    }
    write_report(options.json, "qwen_gpu", figures, detail)
    return 0


def build(size: str, device: str) -> Any:
    """The model with random weights, bfloat16 on a GPU, made on the device itself."""
    import torch
    from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

    config = Qwen3VLConfig(
        text_config=SIZES[size]["text"],
        vision_config=SIZES[size]["vision"],
        image_token_id=IMAGE,
        vision_start_token_id=START,
        vision_end_token_id=END,
        video_token_id=4,
        tie_word_embeddings=True,
    )
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float32 if device == "cpu" else torch.bfloat16)
    try:
        with torch.device(device):
            model = Qwen3VLForConditionalGeneration._from_config(config, attn_implementation="sdpa")
    finally:
        torch.set_default_dtype(torch.float32)
    return model.eval()


def prompt(model: Any, options: argparse.Namespace, call: int) -> Prompt:
    """Pages of picture and text that all calls share, and a tail that differs from call to call."""
    import torch

    random = np.random.default_rng(1)
    side = options.page_side // 16
    count = (side // 2) ** 2
    vocabulary = model.config.text_config.vocab_size
    ids: list[int] = []
    pictures: list[Picture] = []
    for _ in range(options.pages):
        pixels = torch.tensor(random.standard_normal((side * side, 3 * 2 * 16 * 16)), dtype=torch.float32)
        pictures.append(Picture(len(ids) + 1, len(ids) + 1 + count, pixels, torch.tensor([[1, side, side]])))
        ids += [START, *[IMAGE] * count, END, *random.integers(10, vocabulary, options.text_tokens).tolist()]
    ids += np.random.default_rng(100 + call).integers(10, vocabulary, options.tail_tokens).tolist()
    tokens = torch.tensor(ids)
    kinds = (tokens == IMAGE).int()
    grids = torch.cat([picture.grid for picture in pictures])
    positions, _ = model.model.get_rope_index(tokens[None], mm_token_type_ids=kinds[None], image_grid_thw=grids)
    return Prompt(tokens, positions[:, 0], tokens.numpy(), tuple(pictures))


def generator(model: Any, prefix_bytes: int) -> LocalGenerator:
    """The project's generation over the model; replies never end early."""
    return LocalGenerator(model, lambda tokens: " ".join(map(str, tokens)), frozenset(), prefix_bytes=prefix_bytes)


def timed(client: LocalGenerator, call: Prompt, sampling: Sampling, device: str) -> float:
    """Seconds of one reply."""
    synchronise(device)
    started = time.perf_counter()
    client.generate([call], [sampling])
    synchronise(device)
    seconds = time.perf_counter() - started
    print(f"{len(call)} tokens in, {sampling.max_new_tokens} out: {seconds:.2f} s", file=sys.stderr)
    return seconds


def synchronise(device: str) -> None:
    """Wait for the GPU."""
    import torch

    if device != "cpu":
        torch.cuda.synchronize()


if __name__ == "__main__":
    raise SystemExit(main())
