import itertools
import json
import re
from pathlib import Path

import pytest
from benchmarks.fitted import EXEMPT, Asked, Result, examine, figures, main
from benchmarks.fitted_patterns import alternatives
from benchmarks.fitted_rules import Rules, read_rules

NUMBERS = itertools.count()


def asked(*texts: tuple[str, str]) -> list[Asked]:
    return [Asked(document, text) for document, text in texts]


def tried(tmp_path: Path, files: dict[str, str], questions: list[Asked]) -> tuple[Rules, Result]:
    """What is found in a package of these files; every package has a name of its own."""
    source = tmp_path / f"made_tree_{next(NUMBERS)}"
    for name, text in files.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text, encoding="utf-8")
    rules = read_rules(source, EXEMPT)
    return rules, examine(rules, questions)


def found(result: Result) -> list[str]:
    return [each.rule for each in result.findings if not each.place.justified]


SINGING = asked(("a", "Who sings here?"), ("b", "Who can sing?"), ("a", "Is it a dance?"), ("b", "May I dance?"))


def test_an_alternative_for_one_document_is_found_with_its_place(tmp_path: Path) -> None:
    source = 'import re\n\n_DO = re.compile(\n    r"\\b(?:sing|"\n    r"writh?e|dance)"\n)\n'
    questions = [*SINGING, *asked(("a", "Who writes it?"), ("a", "Please write it."))]
    _, result = tried(tmp_path, {"text/verbs.py": source}, questions)
    [finding] = result.findings
    assert (finding.rule, finding.document, finding.questions, finding.reader) == ("writh?e", "a", 2, False)
    assert finding.row()["place"].endswith("text/verbs.py:5") and finding.place.name == "_DO"
    assert figures(result) == {"rules": 3, "fitted": 1, "fitted_reader": 0}
    _, result = tried(tmp_path, {"text/verbs.py": source}, [*questions, *asked(("b", "Write!"))])
    assert found(result) == [], "it fires for two documents"
    _, result = tried(tmp_path, {"text/verbs.py": source}, SINGING)
    assert found(result) == [] and [each["rule"] for each in result.silent] == ["writh?e"]


def test_entries_of_word_lists_are_tried_as_whole_words(tmp_path: Path) -> None:
    source = (
        '_LIST = frozenset({"singer", "sing", "dance", "waltz"})\n'
        '_SPLIT = "polka jig".split()\n'
        '_MAP = {"tap dance": 1}\n'
        "def f(text):\n"
        '    return text in ("tango", "jig") or text.startswith("foxt")\n'
    )
    questions = asked(
        ("a", "A singer and a waltz"), ("b", "A Singer"), ("a", "Two waltzes"), ("a", "polka"), ("b", "polka"),
        ("b", "A tap dance"), ("a", "dance"), ("b", "tango"), ("a", "foxtrot"),
    )  # fmt: skip
    _, result = tried(tmp_path, {"words.py": source}, questions)
    assert found(result) == ["waltz", "tap dance", "tango"]
    questions += asked(("b", "foxt"))
    assert "foxt" in found(tried(tmp_path, {"words.py": source}, questions)[1])


def test_alternatives_are_found_at_any_depth_and_the_outer_one_stands_for_those_inside(tmp_path: Path) -> None:
    questions = asked(
        ("a", "net profit margin"), ("b", "net margin"), ("b", "gross margin"), ("a", "net margin"),
        ("a", "gross margin"), ("b", "interest cover"),
    )  # fmt: skip
    source = 'import re\n_A = re.compile(r"(?:net|gross) (?:(?:profit|income) )?margin|interest (?:cover|coverage)")\n'
    _, result = tried(tmp_path, {"a.py": source}, questions)
    assert sorted(found(result)) == ["interest (?:cover|coverage)", "profit"]


def test_general_knowledge_beside_a_statement_explains_it(tmp_path: Path) -> None:
    source = (
        "# General knowledge: months of the year.\n"
        '_ABOVE = {"january"}\n'
        '_BEHIND = {"january"}  # General knowledge: months of the year.\n'
        '_UNDER = {"january"}\n'
        '"""General knowledge: months of the year."""\n'
        '_NOT = {"january"}\n'
        "\n"
        "# General knowledge: not beside anything.\n"
        "\n"
        '_NOR = {"january"}\n'
    )
    _, result = tried(tmp_path, {"months.py": source}, asked(("a", "In January?"), ("b", "When?")))
    names = [(each.place.name, each.place.justified) for each in result.findings]
    assert names == [("_ABOVE", True), ("_BEHIND", True), ("_UNDER", True), ("_NOT", False), ("_NOR", False)]
    assert figures(result) == {"rules": 5, "fitted": 2, "fitted_reader": 0}


def test_the_reader_is_counted_apart_and_scorers_not_at_all(tmp_path: Path) -> None:
    rule = '_WORDS = {"january"}\n'
    reader = ("reader/a.py", "reader/skills/a.py")
    files = dict.fromkeys((*reader, "evaluation/a.py", "evaluation/scorers/a.py", "commands/a.py"), rule)
    _, result = tried(tmp_path, files, asked(("a", "In January?")))
    assert figures(result) == {"rules": 3, "fitted": 1, "fitted_reader": 2}


def test_names_of_the_program_are_no_words(tmp_path: Path) -> None:
    source = (
        "from typing import Literal\n"
        'Kind = Literal["table", "figure"]\n'
        '_KINDS = ("table", "figure")\n'
        '_COLUMNS = {"page": "string", "page_idx": "number"}\n'
        '_ROWS = (("question_id", "string"), ("page", "number"))\n'
        '_FILES = ("table.json", "page.json")\n'
        '__all__ = ["table"]\n'
        "def f(page):\n"
        '    return "string" in page.flags\n'
    )
    questions = asked(("a", "A table, a figure, a page, a string, a number?"))
    _, result = tried(tmp_path, {"names.py": source}, questions)
    assert result.rules == 0
    _, result = tried(tmp_path, {"names.py": source + '_WORDS = ("table", "string")\n'}, questions)
    assert found(result) == ["string", "table"]


def test_flags_verbose_patterns_and_pieces(tmp_path: Path) -> None:
    source = (
        "import re\n"
        '_PIECE = "jan(?:uary)?|feb"\n'
        '_WHOLE = re.compile(rf"in (?:{_PIECE}|may)")\n'
        '_LOUD = re.compile(r"WALTZ|POLKA", re.IGNORECASE)\n'
        '_VERBOSE = re.compile(r"""\n    waltz  # (a|dance)\n    | pol\\ ka | [|(] x\n""", re.VERBOSE | re.I)\n'
    )
    questions = asked(("a", "in Jan"), ("b", "in Feb, in May"), ("a", "in May"), ("a", "waltz pol ka"), ("b", "Waltz"))
    rules, result = tried(tmp_path, {"forms.py": source}, questions)
    assert not rules.not_examined
    names = {(each.place.name, each.rule.strip()) for each in result.findings}
    assert names == {("_PIECE", "jan(?:uary)?"), ("_PIECE", "feb"), ("_VERBOSE", "pol\\ ka")}, (
        "pieces answer themselves"
    )


def test_what_cannot_be_examined_is_listed(tmp_path: Path) -> None:
    files = {
        "bad.py": 'import re\ndef f(text):\n    return re.search(r"(?:never|closed", text)\n',
        "made.py": "import re\ndef f(word, text):\n    return re.search(word, text)\n",
        "broken.py": '_A = ("waltz", "polka"\n',
    }
    rules, result = tried(tmp_path, files, asked(("a", "waltz")))
    assert [each["why"].split(":")[0] for each in rules.not_examined] == [
        "no module", "all of it is made in a function", "no pattern",
    ]  # fmt: skip
    assert found(result) == []


def test_patterns_built_from_constants_of_other_modules(tmp_path: Path) -> None:
    """Nothing is imported: the second module would fail."""
    files = {
        "forms.py": 'WORDS = frozenset("waltz polka".split())\nNUMBER = r"\\d+"\n',
        "built.py": (
            "import no_such_module\nimport re\nfrom made_tree_NUMBER.forms import NUMBER, WORDS\n"
            '_KINDS = {"dance": r"dances?|balls?"}\n'
            '_KIND = "|".join(f"(?P<{kind}>{words})" for kind, words in _KINDS.items())\n'
            "_A = re.compile(rf\"(?:{_KIND}|{'|'.join(sorted(WORDS))}|jig|reel) {NUMBER}\")\n"
        ),
    }
    number = next(NUMBERS) + 1
    files["built.py"] = files["built.py"].replace("NUMBER.forms", f"{number}.forms")
    questions = asked(
        ("a", "waltz 1"), ("b", "waltz 2"), ("a", "polka 1"), ("b", "polka"), ("b", "jig 3"), ("a", "jig")
    )
    questions += asked(("b", "balls 7"), ("a", "a ball, a dance"), ("b", "a dance 8"))
    rules, result = tried(tmp_path, files, questions)
    assert not rules.not_examined
    assert [(each.place.name, each.rule) for each in result.findings] == [("_A", "jig")]


def test_what_a_function_puts_in_stands_for_any_word(tmp_path: Path) -> None:
    source = 'import re\ndef f(word, text):\n    return re.search(rf"{word} (?:waltz|polka)", text)\n'
    rules, result = tried(tmp_path, {"f.py": source}, asked(("a", "a waltz"), ("a", "a polka"), ("b", "a polka")))
    assert found(result) == ["waltz"] and not rules.not_examined


PATTERNS = (
    r"(?:a[|)]b|c\|d|(?P<x>ef|gh)(?P=x))+", r"(aa|b)(cc|d)\2\1", r"x(?!yy|zz)(?:pp|qq)?", r"(?:ab|cd){0,2}ef|gh*",
    r"(?i:AB|cd)(?#no|thing)(?<=ab|cd)ef?", r"[]|]ab|[^]|(]cd", r"(?:(?:aa|bb)c|(?:aa|d)e)f",
)  # fmt: skip


@pytest.mark.parametrize("source", PATTERNS)
def test_variants_match_no_more_than_the_whole(source: str) -> None:
    """And together as much, where the branch is the whole pattern."""
    pattern = re.compile(source)
    every = alternatives(pattern)
    pieces = (
        "a", "b", "|", "ab", "cd", "ef", "gh", "efef", "aa", "bb", "cc", "x", "yy", "pp", "f", "c", "d", "qq", "zz",
        "aacc", "ccaa", "db",
    )  # fmt: skip
    texts = ["".join(parts) for count in (1, 2, 3) for parts in itertools.product(pieces, repeat=count)]
    for text in texts:
        for each in every:
            if not each.apart and re.search(each.variant, text):
                assert pattern.search(text), (each.variant, text)
    assert all(any(re.search(each.variant, text) for text in texts) for each in every), "each can match"
    outer = [each for each in every if each.variant == each.text]
    for text in texts if outer else ():
        assert bool(pattern.search(text)) == any(re.search(each.variant, text) for each in outer)


def test_command_writes_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "made_tree_of_the_command"
    source.mkdir()
    (source / "words.py").write_text('_A = ("waltz", "polka")\n', encoding="utf-8")
    row = {"qid": "q", "doc_id": "a", "question": "A waltz?", "answer": "x", "evidence_pages": [1]}
    (tmp_path / "questions.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    out = tmp_path / "out.json"
    assert main(["--qa", str(tmp_path), "--json", str(out), "--source", str(source), "--all"]) == 0
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["benchmark"] == "fitted" and report["figures"] == {"rules": 2, "fitted": 1, "fitted_reader": 0}
    [finding] = report["detail"]["findings"]
    assert finding["place"] == "made_tree_of_the_command/words.py:1" and finding["rule"] == "waltz"
    assert "waltz" in capsys.readouterr().out and report["detail"]["silent"][0]["rule"] == "polka"
