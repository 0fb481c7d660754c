from cosee.text.likeness import nearest


def test_the_nearest_names_come_first_and_ties_by_name() -> None:
    known = ["retrieval", "evaluate", "answer"]
    assert nearest("retreival", known) == ["retrieval"]
    assert nearest("zz", ["b", "a"], count=2) == ["a", "b"]
    assert nearest("zz", known, least=0.6) == nearest("zz", []) == []
