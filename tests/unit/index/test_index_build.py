from pathlib import Path

import pytest
from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import load_index
from cosee.models.embedders import HashingEmbedder

SETTINGS = IndexSettings(embedder="hashing")


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): files.sha256_file(p) for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture
def built(tmp_path: Path) -> Path:
    build_index(report_tree(), tmp_path, SETTINGS, HashingEmbedder())
    return tmp_path


def test_names_of_the_files(built: Path) -> None:
    # contract: D58
    views = [
        f"{view}.{end}" for view in ("coarse", "leaf", "leaf_raw") for end in ("faiss", "meta.json", "vectors.npy")
    ]
    records = ["summary.json", "id_maps.json", "graph_edges.jsonl"]
    records += [f"{kind}_{view}.jsonl" for kind in ("dense", "sparse") for view in ("coarse", "leaf")]
    bm25 = [
        f"bm25_{v}/{n}"
        for v in ("coarse", "leaf")
        for n in ("lengths.npy", "meta.json", "postings.npy", "vocabulary.json")
    ]
    assert sorted(contents(built)) == sorted([*views, *records, *bm25])


def test_same_tree_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    # contract: D60
    build_index(report_tree(), tmp_path / "again", SETTINGS, HashingEmbedder())
    again = contents(tmp_path / "again")
    assert {name: digest for name, digest in contents(built).items() if not name.startswith("again/")} == again


@pytest.mark.parametrize(
    "name",
    [
        "coarse.vectors.npy", "leaf.vectors.npy", "leaf_raw.vectors.npy", "bm25_leaf/postings.npy",
        "bm25_coarse/lengths.npy", "bm25_coarse/vocabulary.json", "sparse_leaf.jsonl", "sparse_coarse.jsonl",
    ],
)  # fmt: skip
def test_one_changed_byte_is_refused_with_the_file_and_the_remedy(built: Path, name: str) -> None:
    data = bytearray((built / name).read_bytes())
    data[-3] ^= 1
    (built / name).write_bytes(bytes(data))
    with pytest.raises(ArtifactError, match=f"{name}.*redo"):
        load_index(built, report_tree())


@pytest.mark.parametrize("name", ["dense_leaf.jsonl", "dense_coarse.jsonl"])
def test_edited_text_no_longer_fits_its_vector(built: Path, name: str) -> None:
    text = (built / name).read_text()
    (built / name).write_text(text.replace("Accuracy", "Acccuracy"))
    with pytest.raises(ArtifactError, match=r"the text of \S+ is not the one that was embedded"):
        load_index(built, report_tree())


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("dense_leaf.jsonl", "different chunks"),
        ("dense_coarse.jsonl", "different nodes|has 3 variants"),
        ("graph_edges.jsonl", "no parent edge"),
    ],
)
def test_lost_line_is_noticed(built: Path, name: str, problem: str) -> None:
    lines = (built / name).read_text().splitlines(keepends=True)
    drop = next(i for i, line in enumerate(lines) if '"parent"' in line or "node_id" in line)
    (built / name).write_text("".join(lines[:drop] + lines[drop + 1 :]))
    with pytest.raises(ArtifactError, match=problem):
        load_index(built, report_tree())


def test_index_of_another_tree_is_refused(built: Path) -> None:
    with pytest.raises(ArtifactError, match="not a node of the tree"):
        load_index(built, TreeBuilder(1).build())


def test_missing_file_is_named(built: Path) -> None:
    (built / "leaf.meta.json").unlink()
    with pytest.raises(ArtifactError, match=r"leaf\.meta\.json"):
        load_index(built, report_tree())


@pytest.mark.parametrize("pages", [0, 2])
def test_document_without_text_gives_a_whole_index(tmp_path: Path, pages: int) -> None:
    tree = TreeBuilder(pages).build()
    build_index(tree, tmp_path, SETTINGS, HashingEmbedder())
    assert load_index(tmp_path, tree).leaves == []


def test_without_embedder_the_views_are_empty_and_say_so(tmp_path: Path) -> None:
    build_index(report_tree(), tmp_path, SETTINGS, None)
    index = load_index(tmp_path, report_tree())
    assert not index.has_vectors
    assert {(view.meta.embedder, view.meta.dimensions) for view in index.views.values()} == {("none", 0)}


def test_hidden_text_is_in_no_file(built: Path) -> None:
    for path in built.rglob("*.json*"):
        assert "ostrich" not in path.read_text(), path
