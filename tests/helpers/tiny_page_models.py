"""A tiny ColQwen2 and tiny rerankers with random weights: their real paths on a CPU in seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks.tiny_qwen3vl import TEXT, make_tokenizer

CHAT = (
    "{% for each in messages %}<|im_start|>{{ each.role }}\n{{ each.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
ROTARY = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}


def build_tiny_colqwen2(folder: Path, *, seed: int = 0, backbone: str = "qwen2_vl") -> Path:
    """Write a loadable folder of about 1 MB; ``backbone`` is ``qwen2_vl`` or ``qwen2_5_vl`` (ColQwen2.5)."""
    from cosee.models.local.transformers_loading import stay_offline

    stay_offline()
    import torch
    from transformers import ColQwen2Config, ColQwen2ForRetrieval, ColQwen2Processor, Qwen2VLImageProcessorPil

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(4096)  # pads on the left, which the embedder has to undo
    token = tokenizer.convert_tokens_to_ids
    torch.manual_seed(seed)
    config = ColQwen2Config(vlm_config=_backbone(backbone, tokenizer), embedding_dim=16)
    ColQwen2ForRetrieval(config).eval().save_pretrained(folder)
    assert token("<|image_pad|>") is not None
    ColQwen2Processor(
        image_processor=Qwen2VLImageProcessorPil(
            patch_size=14,
            temporal_patch_size=2,
            merge_size=2,
            size={"shortest_edge": 56 * 56, "longest_edge": 28 * 28 * 640},
        ),
        tokenizer=tokenizer,
    ).save_pretrained(folder)
    return folder


def _backbone(kind: str, tokenizer: Any) -> Any:
    from transformers import Qwen2_5_VLConfig, Qwen2VLConfig

    token = tokenizer.convert_tokens_to_ids
    text = {
        "vocab_size": len(tokenizer),
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": 4096,
        "rope_parameters": ROTARY,
        "initializer_range": 0.3,
        "bos_token_id": None,
        "eos_token_id": token("<|im_end|>"),
        "pad_token_id": token("<|endoftext|>"),
    }
    vision: dict[str, Any] = {"depth": 2, "num_heads": 2, "patch_size": 14, "spatial_merge_size": 2}
    tokens = {
        "image_token_id": token("<|image_pad|>"),
        "video_token_id": token("<|video_pad|>"),
        "vision_start_token_id": token("<|vision_start|>"),
        "vision_end_token_id": token("<|vision_end|>"),
    }
    if kind == "qwen2_vl":
        vision |= {"embed_dim": 32, "hidden_size": 64, "mlp_ratio": 2, "temporal_patch_size": 2}
        return Qwen2VLConfig(text_config=text, vision_config=vision, **tokens)
    vision |= {"hidden_size": 32, "intermediate_size": 64, "out_hidden_size": 64, "fullatt_block_indexes": [1]}
    return Qwen2_5_VLConfig(text_config=text, vision_config=vision, **tokens)


def build_tiny_cross_encoder(folder: Path, *, labels: int = 1, seed: int = 0) -> Path:
    """Write a BERT for sequence classification with a word-piece tokenizer of its own."""
    from cosee.models.local.transformers_loading import stay_offline

    stay_offline()
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trained.normalizer = normalizers.BertNormalizer()
    trained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trained.train_from_iterator(
        TEXT * 4, trainers.WordPieceTrainer(vocab_size=300, special_tokens=specials, show_progress=False)
    )
    trained.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = BertTokenizerFast(tokenizer_object=trained, model_max_length=128)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=128,
        num_labels=labels,
        initializer_range=0.5,
    )
    BertForSequenceClassification(config).eval().save_pretrained(folder)
    return folder


def build_tiny_language_model(folder: Path, *, seed: int = 0, chat: str | None = CHAT) -> Path:
    """Write a Qwen2 with a tokenizer of its own; ``chat``: the template of its prompts."""
    from cosee.models.local.transformers_loading import stay_offline

    stay_offline()
    import torch
    from transformers import Qwen2Config, Qwen2ForCausalLM

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer(2048)
    tokenizer.chat_template = chat
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=2048,
        initializer_range=0.5,
        eos_token_id=tokenizer.convert_tokens_to_ids("<|im_end|>"),
        pad_token_id=tokenizer.convert_tokens_to_ids("<|endoftext|>"),
        bos_token_id=None,
    )
    Qwen2ForCausalLM(config).eval().save_pretrained(folder)
    return folder
