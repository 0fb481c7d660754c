import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import pytest
from benchmarks.small_embedder import DIMENSIONS, small_embedder, small_index

from cosee.models import weights
from cosee.models.calls import ModelError
from cosee.models.embedding import embedders
from cosee.models.embedding.bert import BertEncoder, is_plain_bert
from cosee.models.embedding.embedders import (
    Precision,
    SentenceTransformerEmbedder,
    encode_texts,
    load_embedder,
    resolve_precision,
)
from cosee.models.embedding.thresholds import BLOCK_ROWS, TEXT_TOKENS
from cosee.models.embedding.torch_encoder import TorchEncoder
from cosee.models.embedding.vector_cache import VectorCache


class CountingEmbedder:
    """Vectors of the small encoder; counts the texts that it was asked for."""

    name, revision, dimensions, precision = "counting", "1", DIMENSIONS, None

    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode(self, texts):
        self.texts += texts
        return small_embedder().encode(texts)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path))
    load_embedder.cache_clear()
    return tmp_path


def test_vectors_are_the_same_each_time_and_of_unit_norm() -> None:
    # contract: D62
    texts = ["pump flow", "pumps flow", "heron"]
    embedder = load_embedder(small_index().embedder, "float32")
    assert embedder is not None and embedder.dimensions == DIMENSIONS
    rows = embedder.encode(texts)
    assert rows.dtype == numpy.float32
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1, 1, 1])
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
    assert (rows == embedder.encode(texts)).all()


def test_equal_texts_are_embedded_once_and_earlier_ones_not_again() -> None:
    first = CountingEmbedder()
    rows = encode_texts(first, ["b", "a", "b"])
    assert sorted(first.texts) == ["a", "b"] and (rows[0] == rows[2]).all()
    second = CountingEmbedder()
    assert (encode_texts(second, ["a", "c", "b"])[[2, 0]] == rows[:2]).all()
    assert second.texts == ["c"]


def test_vectors_that_are_not_finite_are_refused() -> None:
    class Broken(CountingEmbedder):
        name = "broken"

        def encode(self, texts):
            return numpy.full((len(texts), self.dimensions), numpy.nan, dtype=numpy.float32)

    with pytest.raises(ModelError, match="broken.*not finite"):
        encode_texts(Broken(), ["a"])


def test_cache_survives_a_cut_off_and_a_damaged_record(cache: Path) -> None:
    path = cache / "v.vectors"
    keys = [f"{i:064x}" for i in range(4)]
    vectors = {key: numpy.full(3, i, dtype=numpy.float32) for i, key in enumerate(keys)}
    VectorCache(path, 3).put({key: vectors[key] for key in keys[:3]})
    data = bytearray(path.read_bytes())
    data[40] ^= 1
    path.write_bytes(bytes(data[:-5]))
    store = VectorCache(path, 3)
    assert set(store.get(keys)) == {keys[1]}
    store.put({keys[3]: vectors[keys[3]]})
    found = VectorCache(path, 3).get(keys)
    assert set(found) == {keys[1], keys[3]} and (found[keys[3]] == 3).all()


def test_vectors_of_texts_are_forgotten_and_the_others_stay(cache: Path) -> None:
    path = cache / "v.vectors"
    keys = [f"{i:064x}" for i in range(3)]
    VectorCache(path, 3).put({key: numpy.full(3, i, dtype=numpy.float32) for i, key in enumerate(keys)})
    store = VectorCache(path, 3)
    assert len(store.get(keys)) == 3
    store.forget([keys[1], f"{9:064x}"])
    for each in (store, VectorCache(path, 3)):
        assert {key: vector[0] for key, vector in each.get(keys).items()} == {keys[0]: 0, keys[2]: 2}
    assert bytes.fromhex(keys[1]) not in path.read_bytes()


def test_absent_weights_give_no_embedder_and_a_line_that_says_what_to_do(caplog: pytest.LogCaptureFixture) -> None:
    assert weights.find("minilm") is None
    caplog.set_level("INFO")
    assert load_embedder("minilm") is None
    assert "python -m cosee.models.weights --fetch minilm" in caplog.text
    assert load_embedder("none") is None


def test_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="not a sentence-transformers folder"):
        load_embedder(str(tmp_path))


@pytest.mark.parametrize(
    ("line", "precision"),
    [
        ("flags\t\t: fpu avx512_bf16 amx_int8", "bfloat16"),
        ("Features\t: fp asimd bf16", "bfloat16"),
        ("flags\t\t: fpu avx2 avx512f", "float32"),
        ("", "float32"),
    ],
)
def test_auto_is_bfloat16_where_the_cpu_computes_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, precision: Precision
) -> None:
    path = tmp_path / "cpuinfo"
    path.write_text(f"processor\t: 0\nmodel name\t: bf16 maker\n{line}\n")
    monkeypatch.setattr(embedders, "CPU_FILE", path)
    assert resolve_precision("auto") == precision
    assert resolve_precision("float32") == "float32" and resolve_precision("bfloat16") == "bfloat16"


@pytest.fixture
def minilm(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("COSEE_CACHE")
    folder = weights.find("minilm")
    if folder is None:
        pytest.skip(
            "weights of minilm are not in .cache; fetch them with python -m cosee.models.weights --fetch minilm"
        )
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_minilm_vector_depends_on_its_text_alone(minilm: Path, precision: Precision) -> None:
    # contract: D62
    embedder = SentenceTransformerEmbedder(minilm, precision)
    texts = [
        "Revenue grew.",
        "Pumps move water from the river to the reservoir above the town.",
        "Herons",
        "word " * 90,
    ]
    rows = embedder.encode(texts)
    assert numpy.linalg.norm(rows, axis=1) == pytest.approx([1] * 4, abs=1e-5)
    for order in ([3, 2, 1, 0], [1], [0, 3]):
        assert (embedder.encode([texts[i] for i in order]) == rows[order]).all()
    assert rows[0] @ embedder.encode(["Sales went up."])[0] > rows[2] @ embedder.encode(["Sales went up."])[0]


@pytest.mark.slow
@pytest.mark.parametrize("words", [2, 14, 26, 38, 50, 62])
def test_every_place_in_a_block_gives_the_same_bits(minilm: Path, words: int) -> None:
    # contract: D62
    embedder = SentenceTransformerEmbedder(minilm)
    texts = [f"{number} " + "river " * (words - number % 2) for number in range(BLOCK_ROWS)]
    together = embedder.encode(texts)
    for text, row in zip(texts, together, strict=True):
        assert (embedder.encode([text])[0] == row).all()


@pytest.mark.slow
def test_vectors_in_bfloat16_are_near_those_in_float32_and_have_a_revision_of_their_own(minilm: Path) -> None:
    # contract: D62
    full, half = SentenceTransformerEmbedder(minilm), SentenceTransformerEmbedder(minilm, "bfloat16")
    texts = ["Revenue grew by 12 % in 2023.", "Table 3", "The committee met four times. " * 20]
    assert full.revision != half.revision
    assert (full.encode(texts) * half.encode(texts)).sum(axis=1).min() > 0.998


@pytest.mark.slow
def test_numpy_gives_the_tokens_and_vectors_of_torch(minilm: Path) -> None:
    # contract: D62
    texts = [
        "What was revenue in 2023?",
        "A [SEP] in the text, Überschuß, naïve café, 收入 12 %, e\u0301",
        "",
        "flow\u00a0rate\tof 3.5 m³/s " * 90,
    ]
    ours, theirs = BertEncoder(minilm, TEXT_TOKENS), TorchEncoder(minilm, TEXT_TOKENS, "float32", "cpu")
    tokens = ours.tokens(texts)
    assert tokens == theirs.tokens(texts) and len(tokens[3]) == TEXT_TOKENS
    for length, part in ((64, tokens[:3]), (TEXT_TOKENS, tokens[3:])):
        found = ours.vectors(part, length)
        found /= numpy.linalg.norm(found, axis=1, keepdims=True)
        assert found == pytest.approx(theirs.vectors(part, length), abs=1e-6)


def test_vectors_of_the_default_model_need_no_torch_and_are_the_same_with_any_number_of_threads(minilm: Path) -> None:
    script = (
        "import hashlib, sys; from pathlib import Path\n"
        "from cosee.models.embedding.embedders import SentenceTransformerEmbedder\n"
        f"rows = SentenceTransformerEmbedder(Path({str(minilm)!r})).encode(['Revenue grew.', 'word ' * 90])\n"
        "digest = hashlib.sha256(rows.tobytes()).hexdigest()\n"
        "print(rows.shape, 'torch' in sys.modules, 'transformers' in sys.modules, digest)"
    )
    found = {
        subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True,
            env={**os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads},
        ).stdout
        for threads in ("1", "2")
    }  # fmt: skip
    (printed,) = found
    assert printed.startswith("(2, 384) False False ")


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("config.json", {"model_type": "mpnet"}),
        ("config.json", {"hidden_act": "relu"}),
        ("config.json", {"position_embedding_type": "relative_key"}),
        ("1_Pooling/config.json", {"pooling_mode_cls_token": True}),
        ("sentence_bert_config.json", {"do_lower_case": True}),
    ],
)
def test_another_architecture_is_left_to_torch(
    minilm: Path, tmp_path: Path, name: str, change: dict[str, object]
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    for path in minilm.iterdir():
        if path.name != name.split("/")[0]:
            (folder / path.name).symlink_to(path.resolve())
    (folder / name).parent.mkdir(exist_ok=True)
    settings = json.loads((minilm / name).read_text())
    (folder / name).write_text(json.dumps(settings))
    assert is_plain_bert(folder)
    (folder / name).write_text(json.dumps(settings | change))
    assert not is_plain_bert(folder)
