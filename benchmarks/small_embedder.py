"""A sentence encoder of half a megabyte: whole projects have vectors without weights to fetch.

It is a BERT without layers, so that a text's vector is the mean of its pieces', and those are drawn once at random:
pairs of letters and digits. Texts with the same words are near each other; meaning it knows none.
"""

from __future__ import annotations

import atexit
import json
import shutil
from functools import lru_cache
from itertools import product
from pathlib import Path
from string import ascii_lowercase, digits
from tempfile import mkdtemp
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from cosee.artifacts import files
from cosee.artifacts.settings.index import IndexSettings
from cosee.models.embedding.embedders import SentenceTransformerEmbedder
from cosee.models.embedding.thresholds import TEXT_TOKENS

FOLDER = "embedder"
"""Of the encoder in a project's folder."""
INDEX = {"embedder": FOLDER, "precision": "float32"}
"""``index:`` of the configuration of a project with the encoder in it."""
DIMENSIONS = 64


def write_small_embedder(folder: Path) -> None:
    """Write the encoder into ``folder``: the same bytes each time."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = [*ascii_lowercase, *digits]
    pieces = [*letters, *map("".join, product(letters, repeat=2))]
    words = ["[PAD]", "[UNK]", "[CLS]", *pieces, *(f"##{piece}" for piece in pieces)]
    numbers = {word: number for number, word in enumerate(words)}
    tokenizer = Tokenizer(models.WordPiece(numbers, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A", special_tokens=[("[CLS]", 2)])
    drawn = np.random.default_rng(0).standard_normal((len(words), DIMENSIONS)).astype(np.float32)
    drawn[:3] = 0
    configurations: dict[str, Any] = {
        "config.json": {
            "model_type": "bert", "hidden_size": DIMENSIONS, "hidden_act": "gelu", "num_hidden_layers": 0,
            "num_attention_heads": 1, "intermediate_size": DIMENSIONS, "vocab_size": len(words),
            "max_position_embeddings": TEXT_TOKENS, "type_vocab_size": 1,
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
        ],
        "1_Pooling/config.json": {"word_embedding_dimension": DIMENSIONS, "pooling_mode_mean_tokens": True},
        "sentence_bert_config.json": {"max_seq_length": TEXT_TOKENS, "do_lower_case": False},
        "tokenizer.json": json.loads(tokenizer.to_str()),
    }  # fmt: skip
    for name, value in configurations.items():
        files.write_json(folder / name, value)
    save_file(
        {
            "embeddings.word_embeddings.weight": drawn,
            "embeddings.position_embeddings.weight": np.zeros((TEXT_TOKENS, DIMENSIONS), dtype=np.float32),
            "embeddings.token_type_embeddings.weight": np.zeros((1, DIMENSIONS), dtype=np.float32),
            "embeddings.LayerNorm.weight": np.ones(DIMENSIONS, dtype=np.float32),
            "embeddings.LayerNorm.bias": np.zeros(DIMENSIONS, dtype=np.float32),
        },
        folder / "model.safetensors",
    )


@lru_cache(maxsize=1)
def small_index() -> IndexSettings:
    """Settings with the encoder in a folder that is there as long as this process."""
    folder = mkdtemp(prefix="cosee-embedder-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    write_small_embedder(Path(folder) / FOLDER)
    return IndexSettings.model_validate({**INDEX, "embedder": str(Path(folder) / FOLDER)})


@lru_cache(maxsize=1)
def small_embedder() -> SentenceTransformerEmbedder:
    """The encoder of ``small_index``."""
    return SentenceTransformerEmbedder(Path(small_index().embedder))
