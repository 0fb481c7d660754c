import shutil
from pathlib import Path

import pytest
from benchmarks.small_embedder import small_embedder
from helpers.index_trees import TreeBuilder, report_tree

from cosee.artifacts import files
from cosee.artifacts.documents.doctree import split_id
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.build import build_index
from cosee.index.store import VIEWS, load_index

SETTINGS = IndexSettings(vectors="all")


FILES = [
    "index.meta.json", "summary.json", "id_maps.json", "graph_edges.jsonl", "dense_coarse.jsonl", "dense_leaf.jsonl",
    "dense_rows.jsonl", "sparse_coarse.jsonl", "sparse_leaf.jsonl",
    *(f"{view}.{end}" for view in VIEWS for end in ("faiss", "meta.json", "vectors.npy")),
    *(f"bm25_{view}/{name}" for view in ("coarse", "leaf") for name in ("meta.json", "postings.npy")),
]  # fmt: skip
PLACES = {"first": 0, "early": 40, "middle": 0.5, "late": -40, "last": -1}


def place_in(data: bytes, place: float) -> int:
    return int(place * len(data)) if isinstance(place, float) else max(-len(data), min(place, len(data) - 1))


def contents(folder: Path) -> dict[str, str]:
    return {str(p.relative_to(folder)): files.sha256_file(p) for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def built_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built")
    build_index(report_tree(), folder, SETTINGS, small_embedder())
    return folder


@pytest.fixture
def built(built_once: Path, tmp_path: Path) -> Path:
    return shutil.copytree(built_once, tmp_path / "built")


def test_names_of_the_files(built: Path) -> None:
    # contract: D58
    assert sorted(contents(built)) == sorted(FILES)


def test_by_default_every_record_is_there_and_the_vectors_that_were_chosen(built: Path, tmp_path: Path) -> None:
    # contract: D35, D60
    build_index(report_tree(), tmp_path, IndexSettings(), small_embedder())
    index = load_index(tmp_path, report_tree())
    kinds = {split_id(each)[1] for each in index.views["coarse"].meta.ids}
    assert (set(index.views), kinds) == ({"coarse", "leaf_raw"}, {"c", None})
    assert not list(tmp_path.glob("*.faiss"))
    for name in FILES:
        if name.startswith(("dense", "sparse", "bm25")):
            assert (tmp_path / name).read_bytes() == (built / name).read_bytes(), name
    whole = load_index(built, report_tree())
    for name, view in index.views.items():
        rows = [whole.views[name].meta.ids.index(each) for each in view.meta.ids]
        assert (view.vectors == whole.views[name].vectors[rows]).all()


def test_int8_vectors_take_a_quarter_and_rank_alike(built: Path, tmp_path: Path) -> None:
    # contract: D60
    settings = SETTINGS.model_copy(update={"int8": True})
    build_index(report_tree(), tmp_path, settings, small_embedder())
    exact, small = load_index(built, report_tree()).views["leaf"], load_index(tmp_path, report_tree()).views["leaf"]
    assert files.read_npy(tmp_path / "leaf.vectors.npy").dtype == "int8"
    assert (exact.vectors * small.vectors).sum(axis=1).min() > 0.999
    assert [exact.search(row, 1)[0][0] for row in exact.vectors] == [
        small.search(row, 1)[0][0] for row in exact.vectors
    ]


def test_same_tree_gives_the_same_bytes(built: Path, tmp_path: Path) -> None:
    # contract: D60
    build_index(report_tree(), tmp_path / "again", SETTINGS, small_embedder())
    assert contents(built) == contents(tmp_path / "again")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", FILES)
def test_one_changed_byte_is_refused_with_the_file_and_the_remedy(built: Path, name: str, place: str) -> None:
    # contract: D58
    data = bytearray((built / name).read_bytes())
    data[place_in(data, PLACES[place])] ^= 1
    (built / name).write_bytes(bytes(data))
    with pytest.raises(ArtifactError, match=f"{name}.*redo the index stage"):
        load_index(built, report_tree())


@pytest.mark.parametrize("name", FILES)
def test_missing_file_is_named(built: Path, name: str) -> None:
    (built / name).unlink()
    with pytest.raises(ArtifactError, match=f"{name}.*redo the index stage"):
        load_index(built, report_tree())


def test_index_of_another_tree_is_refused(built: Path) -> None:
    with pytest.raises(ArtifactError, match="not of this version of its tree; redo the index stage"):
        load_index(built, TreeBuilder(1).build())
    edited = report_tree()
    edited.node("t_2").text += " Or so."
    with pytest.raises(ArtifactError, match="not of this version"):
        load_index(built, edited)


@pytest.mark.parametrize("pages", [0, 2])
def test_document_without_text_gives_a_whole_index(tmp_path: Path, pages: int) -> None:
    tree = TreeBuilder(pages).build()
    build_index(tree, tmp_path, SETTINGS, small_embedder())
    assert load_index(tmp_path, tree).leaves == []


def test_without_embedder_there_are_no_vectors_and_the_index_says_so(tmp_path: Path) -> None:
    build_index(report_tree(), tmp_path, SETTINGS, None)
    index = load_index(tmp_path, report_tree())
    assert not index.views and not list(tmp_path.glob("*.vectors.npy"))
    assert index.identity == ("none", "", 0)


def test_hidden_text_is_in_no_file(built: Path) -> None:
    for path in built.rglob("*.json*"):
        assert "ostrich" not in path.read_text(), path


@pytest.mark.parametrize("change", ["header", "cell", "kind", "label", "level"])
def test_index_refuses_a_tree_whose_tables_figures_or_pages_changed(tmp_path: Path, change: str) -> None:
    tree = report_tree()
    build_index(tree, tmp_path, IndexSettings(embedder="none"), None)
    table, image = tree.node("tab_12"), tree.node("img_9")
    assert table.table is not None
    match change:
        case "header":
            table.table.header_rows = 0
        case "cell":
            table.table.rows[1][1] = "99"
        case "kind":
            image.chart_form = "bar"
        case "label":
            tree.pages[0].page_label = "7"
        case "level":
            tree.node("sec_6").level = 1
    with pytest.raises(ArtifactError, match="not of this version of its tree"):
        load_index(tmp_path, tree)
