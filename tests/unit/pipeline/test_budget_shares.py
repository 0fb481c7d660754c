"""A run's budget is shared out by questions, and given out so that no order of replies changes who is asked."""

import threading
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from cosee.artifacts.price import Price
from cosee.artifacts.results.prediction import Usage, failed_prediction
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.artifacts.settings.answer import RunBudget
from cosee.models.purse import Purse
from cosee.pipeline.resources import share_out
from cosee.runs.allowance import Allowance, WorstCase


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(some.integers(0, 1000), some.lists(some.integers(0, 50), min_size=1, max_size=12))
def test_shares_add_up_and_follow_the_questions(calls, counts):
    shares = share_out(RunBudget(calls=calls, money=1.0), dict(enumerate(counts)))
    given_out = [share.calls for share in shares.values()]
    total = sum(counts)
    assert sum(given_out) == (calls if total else 0)
    for share, count in zip(shares.values(), counts, strict=True):
        assert abs(share.calls - (calls * count / total if total else 0)) < 1
        assert share.tokens is None and share.money == pytest.approx(count / total if total else 0.0, abs=1e-6)


def test_a_purse_refuses_what_it_cannot_pay_and_shortens_replies():
    assert Purse(calls=2).admit(Usage(calls=1), 1, 100, 50) == 50
    with pytest.raises(BudgetExceeded):
        Purse(calls=2).admit(Usage(calls=2), 1, 100, 50)
    purse = Purse(tokens=1000)
    assert purse.admit(Usage(tokens_in=500, tokens_out=100), 1, 380, 50) == 20 and not purse.emptied
    with pytest.raises(BudgetExceeded):
        purse.admit(Usage(tokens_in=900, tokens_out=100), 1, 380, 50)
    assert purse.emptied
    price = Price(tokens_in=1.0, tokens_out=10.0, call=0.001)
    assert Purse(money=0.0015, price=price).admit(Usage(), 1, 300, 50) == 20
    with pytest.raises(BudgetExceeded):
        Purse(money=0.0012, price=price).admit(Usage(), 1, 300, 50)


def row(calls: int):
    made = failed_prediction(question_id="q", doc_id="d", dataset="s", method="m", reason="x")
    return made.model_copy(update={"usage": Usage(calls=calls)})


@pytest.mark.parametrize("seed", range(5))
def test_who_is_asked_does_not_depend_on_which_reply_comes_first(seed):
    costs = [3, 1, 4, 1, 5, 2, 6, 1, 1, 1]
    allowance = Allowance(RunBudget(calls=17), None)
    allowance.keep("a", [row(2)])
    allowance.keep("z", [row(100)])
    asked: list[tuple[int, int]] = []
    threads = []
    for number, cost in enumerate(costs):
        purse = allowance.admit("m", WorstCase(6, 1000))
        if purse is None:
            continue

        def reply(number=number, cost=cost, purse=purse):
            time.sleep((number * 7 + seed * 3) % 5 / 200)
            asked.append((number, min(cost, purse.calls)))
            allowance.settle(row(min(cost, purse.calls)))

        threads.append(threading.Thread(target=reply))
        threads[-1].start()
    for thread in threads:
        thread.join()
    # 2 were spent on document a, none of z counts; 3 + 1 + 4 + 1 + 5 leave 1 of 17, which the sixth question gets.
    assert sorted(asked) == [(0, 3), (1, 1), (2, 4), (3, 1), (4, 5), (5, 1)]


def test_questions_are_under_way_together_where_there_is_room():
    allowance = Allowance(RunBudget(calls=100), None)
    purses = [allowance.admit("m", WorstCase(6, 1000)) for _ in range(10)]
    assert all(purses)


def test_a_question_that_is_not_asked_after_all_gives_back_what_it_held():
    allowance = Allowance(RunBudget(calls=1), None)
    assert allowance.admit("m", WorstCase(6, 1000)) is not None
    threading.Timer(0.05, allowance.settle, [None]).start()
    assert allowance.admit("m", WorstCase(6, 1000)) is not None, "it waited, and the call was still there"
