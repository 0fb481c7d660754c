"""Page retrieval measures against an independent implementation (ir_measures over trec_eval)."""

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cosee.evaluation.retrieval_metrics import score_citation, score_pages

KS = (1, 3, 5, 10)
rankings = st.lists(st.integers(1, 40), max_size=25, unique=True)
page_sets = st.sets(st.integers(1, 40), min_size=1, max_size=12)


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(rankings, page_sets), min_size=1, max_size=4))
def test_measures_equal_those_of_trec_eval(questions: list[tuple[list[int], set[int]]]) -> None:
    # contract: D108
    measures = {
        **{("recall", k): ir_measures.R @ k for k in KS},
        **{("hit", k): ir_measures.Success @ k for k in KS},
        **{("ndcg", k): ir_measures.nDCG @ k for k in KS},
        ("reciprocal_rank", 0): ir_measures.RR,
    }
    qrels = {str(number): {f"p{page}": 1 for page in gold} for number, (_, gold) in enumerate(questions)}
    run = {
        str(number): {f"p{page}": float(len(pages) - rank) for rank, page in enumerate(pages)}
        for number, (pages, _) in enumerate(questions)
    }
    theirs = {
        (row.query_id, row.measure): row.value for row in ir_measures.iter_calc(list(measures.values()), qrels, run)
    }
    for number, (pages, gold) in enumerate(questions):
        ours = score_pages(pages, sorted(gold), KS)
        for (name, k), measure in measures.items():
            found = getattr(ours, name)
            value = found if name == "reciprocal_rank" else found[k]
            assert value == pytest.approx(theirs.get((str(number), measure), 0.0), abs=1e-9), (name, k)
        for k in KS:
            assert ours.all_gold[k] == float(theirs.get((str(number), ir_measures.R @ k), 0.0) == 1.0)
            assert ours.recall[k] <= ours.recall_ceiling[k] and ours.all_gold[k] <= ours.all_gold_ceiling[k]
            if len(pages) >= k:
                (precision,) = ir_measures.iter_calc(
                    [ir_measures.P @ k], {"q": qrels[str(number)]}, {"q": run[str(number)]}
                )
                assert ours.precision[k] == pytest.approx(precision.value, abs=1e-9)


@settings(max_examples=150, deadline=None)
@given(page_sets, st.data())
def test_the_best_ranking_reaches_the_ceilings(gold: set[int], data: st.DataObject) -> None:
    perfect = score_pages(data.draw(st.permutations(sorted(gold))), sorted(gold), KS)
    assert perfect.recall == pytest.approx(perfect.recall_ceiling) and perfect.all_gold == perfect.all_gold_ceiling
    assert set(perfect.hit.values()) == {1.0} and perfect.reciprocal_rank == 1.0
    assert perfect.ndcg == pytest.approx(dict.fromkeys(KS, 1.0))
    assert score_citation(sorted(gold), sorted(gold)) == (1.0, 1.0, 1.0)


@settings(max_examples=100, deadline=None)
@given(rankings, page_sets, st.data())
def test_the_order_of_gold_and_cited_pages_does_not_matter(
    pages: list[int], gold: set[int], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(sorted(gold)))
    assert score_pages(pages, shuffled, KS) == score_pages(pages, sorted(gold), KS)
    cited = score_citation(pages, sorted(gold))
    assert score_citation(data.draw(st.permutations(pages)), shuffled) == cited
    assert all(0.0 <= value <= 1.0 for value in cited)
