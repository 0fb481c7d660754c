import os
import time

from cosee.pipeline import clock


def test_times_ahead_of_the_clock_become_now_in_their_order(tmp_path):
    past, first, second, tie = [tmp_path / name for name in ("past", "first", "second", "tie")]
    hour = 3600 * 10**9
    now = time.time_ns()
    for path, modified in ((past, now - hour), (second, now + 2 * hour), (first, now + hour), (tie, now + hour)):
        path.touch()
        os.utime(path, ns=(modified, modified))
    clock.settle([past, first, second, tie, tmp_path / "absent"])
    times = {path: path.stat().st_mtime_ns for path in (past, first, second, tie)}
    assert times[past] == now - hour
    assert now - hour < times[first] == times[tie] < times[second] <= time.time_ns()
