"""A tiny Qwen3-VL with random weights, its own tokenizer and chat template: the real path on a CPU in seconds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

SPECIALS = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|vision_pad|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
TEXT = (
    "What is shown in this figure? The chart shows revenue by year in millions of dollars.",
    "Answer the question with the pages given. If the pages do not say, answer: not answerable.",
    "system user assistant page table figure caption section answer question evidence board cell agent",
    "Table 3 lists total net sales of 394,328 and 365,817 for 2022 and 2021.",
)
CHAT_TEMPLATE = """\
{%- for message in messages -%}
{{- '<|im_start|>' + message['role'] + '\\n' -}}
{%- if message['content'] is string -%}{{- message['content'] -}}
{%- else -%}
{%- for part in message['content'] -%}
{%- if part['type'] == 'image' -%}{{- '<|vision_start|><|image_pad|><|vision_end|>' -}}
{%- elif 'text' in part -%}{{- part['text'] -}}
{%- endif -%}
{%- endfor -%}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}
"""


def build_tiny_qwen3vl(folder: Path, *, seed: int = 0, context: int = 32_768, layers: int = 4, head: int = 16) -> Path:
    """Write a loadable model folder of about 1 MB; equal seeds give equal weights. ``head`` is the size of a head of
    attention."""
    from cosee.models.local.transformers_loading import ensure_video_processor, stay_offline

    stay_offline()
    import torch
    from transformers import (
        GenerationConfig,
        Qwen2VLImageProcessorPil,
        Qwen3VLConfig,
        Qwen3VLForConditionalGeneration,
        Qwen3VLProcessor,
    )

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(context)
    token = tokenizer.convert_tokens_to_ids
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_hidden_layers": layers,
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "head_dim": head,
            "max_position_embeddings": context,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 5_000_000.0,
                "mrope_section": [head // 2 - 2 * (head * 5 // 32), *[head * 5 // 32] * 2],
                "mrope_interleaved": True,
            },
            "pad_token_id": token("<|endoftext|>"),
            # Wide and untied weights, so that a reply depends on all of its prompt and is not one token over and over.
            "initializer_range": 0.3,
            "tie_word_embeddings": False,
        },
        vision_config={
            "depth": 4,
            "hidden_size": 32,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": 64,
            "patch_size": 16,
            "spatial_merge_size": 2,
            "initializer_range": 0.3,
            "temporal_patch_size": 2,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [1, 2, 3][: layers - 1],
        },
        image_token_id=token("<|image_pad|>"),
        video_token_id=token("<|video_pad|>"),
        vision_start_token_id=token("<|vision_start|>"),
        vision_end_token_id=token("<|vision_end|>"),
        tie_word_embeddings=False,
    )
    torch.manual_seed(seed)
    model = Qwen3VLForConditionalGeneration(config).eval()
    model.generation_config = GenerationConfig(
        eos_token_id=[token("<|im_end|>"), token("<|endoftext|>")], pad_token_id=token("<|endoftext|>")
    )
    model.save_pretrained(folder)
    image_processor = Qwen2VLImageProcessorPil(
        patch_size=16,
        temporal_patch_size=2,
        merge_size=2,
        size={"shortest_edge": 64 * 64, "longest_edge": 2048 * 2048},
        image_mean=[0.5] * 3,
        image_std=[0.5] * 3,
    )
    ensure_video_processor()
    from transformers.models.auto.video_processing_auto import VIDEO_PROCESSOR_MAPPING

    video_processor = VIDEO_PROCESSOR_MAPPING[Qwen3VLConfig]["torchvision"](
        patch_size=16, temporal_patch_size=2, merge_size=2
    )
    Qwen3VLProcessor(
        image_processor=image_processor,
        tokenizer=tokenizer,
        video_processor=video_processor,
        chat_template=CHAT_TEMPLATE,
    ).save_pretrained(folder)
    return folder


def make_tokenizer(context: int) -> Any:
    """A byte-level BPE tokenizer trained on a few sentences."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import Qwen2Tokenizer

    trained = Tokenizer(models.BPE())
    trained.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\p{N}|[^\s\p{N}]+|\s+"), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    trained.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=512, initial_alphabet=alphabet, show_progress=False)
    trained.train_from_iterator(TEXT * 4, trainer)
    content = json.loads(trained.to_str())["model"]
    merges = [tuple(pair) if isinstance(pair, list) else tuple(pair.split(" ")) for pair in content["merges"]]
    return Qwen2Tokenizer(
        vocab=content["vocab"],
        merges=merges,
        unk_token=None,
        bos_token=None,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=list(SPECIALS),
        model_max_length=context,
        padding_side="left",
    )
