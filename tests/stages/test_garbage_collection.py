import gc

import pytest

from cosee.pipeline.garbage_collection import NEW_OBJECTS, seldom_collected


def test_the_collector_is_held_back_for_the_call_only():
    usual = gc.get_threshold()

    @seldom_collected
    def stage(fails: bool) -> int:
        if fails:
            raise ValueError("broken")
        return gc.get_threshold()[0]

    assert stage(False) == NEW_OBJECTS
    with pytest.raises(ValueError, match="broken"):
        stage(True)
    assert gc.get_threshold() == usual
