"""Finds the patterns and word lists of a source tree: what is written in it; no module is imported.

A string is a pattern where it is the first argument of a function of ``re``, or where it is written like one (groups,
classes, ``\\b`` and so on) in a constant. What a function puts into a pattern stands for any word. A word list is a
set, list, tuple or dict of strings in a constant, a string of five words or more that a constant is made of, or, in a
function, what a text is compared with (``in``, ``startswith``, ``.get``).

A list is none of words, but of names of the program or of sentences for people, where an entry has an underscore, a
slash or the form of a file name, where one is longer than a phrase, or where every entry is also a value of a
``Literal``, a field of a class or a key of a record. The same holds for the values of a dict with such keys, if they
are single words, and for the columns of a table with such a column. Whether ``"flag" in page.flags`` is no matter of
words either: what has a name in the plural is a collection.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.fitted_values import ANY_WORD, Names, Package, Text, Unknown, text_of

JUSTIFIED = "General knowledge:"
_FUNCTIONS = ("compile", "match", "search", "fullmatch", "sub", "subn", "findall", "finditer", "split")
_PATTERN_FORM = re.compile(
    r"\(\?[:=!<aimsx]|\\[bwdsBWDS](?![a-z])|\\b\w|[^\W_]\??\|[^\W_]|\)[?*|]|[a-z]\?[ a-z)|]|\[[^\]\s]+\][?*+]|\.\*"
)
_SURE_FORM = re.compile(r"\(\?[:=!<]|\\[bwdsBWDS](?![a-z])")
_NO_WORDS = re.compile(r"[_/<>{}=\\@#]|\.\w+$|^--|[a-z][A-Z]")
_WORDS = re.compile(r"[^\W\d_]{2}|[\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD_STRING = re.compile(r"\s*(?:[^\W\d_A-Z]+\s+){4,}[^\W\d_A-Z]+\s*")
_LONGEST = 60


@dataclass(frozen=True)
class Place:
    """Where a rule is written."""

    file: str
    line: int
    name: str
    justified: bool
    source: tuple[str, ...] = ()
    """The lines of the expression, the first of which is ``line``."""

    def line_of(self, text: str) -> int:
        """The first line that holds ``text``."""
        return self.line + next((number for number, line in enumerate(self.source) if text in line), 0)


@dataclass(frozen=True)
class PatternRule:
    """A regular expression."""

    place: Place
    text: Text
    flags: int


@dataclass(frozen=True)
class ListRule:
    """The entries of one collection, with their lines."""

    place: Place
    entries: tuple[tuple[str, int], ...]
    start: bool = True
    end: bool = True
    """Whether an entry has to begin and to end with a word. A list whose name or note says ``stem`` holds beginnings,
    the arguments of ``endswith`` are ends."""


@dataclass
class Rules:
    """What a source tree holds."""

    patterns: list[PatternRule] = field(default_factory=list)
    lists: list[ListRule] = field(default_factory=list)
    not_examined: list[dict[str, str]] = field(default_factory=list)


def read_rules(source: Path, exempt: Sequence[str]) -> Rules:
    """The rules of the package in folder ``source``, but for the folders in ``exempt``."""
    rules = Rules()
    trees: dict[Path, ast.Module] = {}
    for path in sorted(source.rglob("*.py")):
        try:
            trees[path] = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, ValueError) as error:
            place = f"{source.name}/{path.relative_to(source).as_posix()}:1"
            rules.not_examined.append({"place": place, "what": path.name, "why": f"no module: {error}"})
    package = Package(source, trees)
    program = {name for tree in trees.values() for name in _program_names(tree)}
    for path, tree in trees.items():
        name = path.relative_to(source).as_posix()
        if any(name.startswith(folder) for folder in exempt):
            continue
        names = package.names(".".join((source.name, *Path(name).with_suffix("").parts)).removesuffix(".__init__"))
        lines = path.read_text(encoding="utf-8").splitlines()
        finder = _Finder(f"{source.name}/{name}", lines, names, program, rules)
        if finder.may_hold_rules:
            finder.visit(tree)
    return rules


def _program_names(tree: ast.AST) -> Iterator[str]:
    """Names that the program gives to its own things."""
    tables = {id(each.value) for each in getattr(tree, "body", ()) if isinstance(each, (ast.Assign, ast.AnnAssign))}
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict) and id(node) not in tables:
            yield from (str(key.value) for key in node.keys if isinstance(key, ast.Constant))
        elif isinstance(node, ast.Subscript):
            literal = isinstance(node.value, (ast.Name, ast.Attribute)) and ast.unparse(node.value).endswith("Literal")
            inside = ast.walk(node.slice) if literal else [node.slice]
            yield from (each.value for each in inside if isinstance(each, ast.Constant) and isinstance(each.value, str))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("TypeVar", "NewType"):
            yield from (each.value for each in node.args if isinstance(each, ast.Constant))
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield each.target.id


class _Finder(ast.NodeVisitor):
    """Walks one module; knows the statement and the constant that it stands in."""

    def __init__(self, file: str, lines: Sequence[str], names: Names, program: set[str], rules: Rules) -> None:
        self.file, self.lines, self.names, self.program, self.rules = file, lines, names, program, rules
        self.statement: ast.stmt | None = None
        self.after: ast.stmt | None = None
        self.constant = ""
        self.depth = 0
        source = "\n".join(lines)
        self.may_hold_rules = bool(re.search(r"\bre\.|\bin [({]|[\"']\s*[,}\])]|\.split\(", source))
        self.split_names = set(re.findall(r"\b(\w+)\.split\(\)", source))

    # statements

    def visit_body(self, body: Sequence[ast.stmt]) -> None:
        """Visit statements with what stands under each."""
        for number, statement in enumerate(body):
            held = self.statement, self.after
            self.statement, self.after = statement, body[number + 1] if number + 1 < len(body) else None
            self.visit(statement)
            self.statement, self.after = held

    def generic_visit(self, node: ast.AST) -> None:
        """Children, bodies as statements."""
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                self.visit_body(value)
            elif isinstance(value, list):
                for each in value:
                    if isinstance(each, ast.AST):
                        self.visit(each)
            elif isinstance(value, ast.AST):
                self.visit(value)

    def visit_Expr(self, node: ast.Expr) -> None:
        """A string by itself is a docstring."""
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Annotations hold no rules."""
        held, self.constant = self.constant, ""
        self.depth += 1
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.visit_body(node.body)
        self.depth -= 1
        self.constant = held

    def visit_Assign(self, node: ast.Assign) -> None:
        """A constant, outside functions."""
        self._assigned(ast.unparse(node.targets[0]), node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """A constant, outside functions."""
        if node.value is not None:
            self._assigned(ast.unparse(node.target), node.value)

    def _assigned(self, name: str, value: ast.expr) -> None:
        if self.depth or name == "__all__":
            self.visit(value)
            return
        self.constant = name
        live = self.names.get(name)
        if isinstance(live, str) and (name in self.split_names or _WORD_STRING.fullmatch(live)):
            self._add_list(value, [(word, value.lineno) for word in live.split()])
        else:
            self.visit(value)
        self.constant = ""

    # expressions

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """No rules in ``Literal[...]`` and in keys; a dict that is looked up is one."""
        if isinstance(node.value, ast.Dict):
            self._dict(node.value)
        elif not ast.unparse(node.value).endswith("Literal"):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        """Functions of ``re``, and methods that compare a text with words."""
        function = node.func
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name) and function.value.id == "re" and function.attr in _FUNCTIONS:
                self._pattern(node)
                return
            if function.attr in ("startswith", "endswith", "removeprefix", "removesuffix") and node.args:
                self._words(node.args[0], start=function.attr in ("startswith", "removeprefix"))
                return
            if function.attr == "split" and isinstance(function.value, ast.Constant) and not node.args:
                self._add_list(node, [(word, node.lineno) for word in str(function.value.value).split()])
                return
            if function.attr == "get" and isinstance(function.value, ast.Dict):
                self._dict(function.value)
        self.generic_visit(node)
        if self.constant and not self.depth and not ast.unparse(function).endswith(("Field", "Option", "Argument")):
            for argument in node.args:
                self._string_of_words(argument)
            self._add_list(node, _entries(node.args))

    def visit_Compare(self, node: ast.Compare) -> None:
        """``"word" in text`` and ``text in ("word", "word")``."""
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, (ast.In, ast.NotIn)):
                self._words(right)
                if not _is_collection(right):
                    self._words(node.left)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        """A loop over words."""
        self._words(node.iter)
        self.generic_visit(node)

    def visit_List(self, node: ast.List | ast.Set | ast.Tuple) -> None:
        """A word list, in a constant; a list of tuples is a table, whose columns are lists."""
        if self.constant and not self.depth:
            rows = [each for each in node.elts if isinstance(each, ast.Tuple)]
            if rows and len(rows) == len(node.elts) and len({len(row.elts) for row in rows}) == 1:
                self._table(node, rows)
                return
            self._add_list(node, _entries(node.elts))
        self.generic_visit(node)

    visit_Set = visit_Tuple = visit_List  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> None:
        """Keys and values are word lists, in a constant."""
        if self.constant and not self.depth:
            self._dict(node)
        self.generic_visit(node)

    def _table(self, node: ast.expr, rows: Sequence[ast.Tuple]) -> None:
        columns = [_entries(column) for column in zip(*(row.elts for row in rows), strict=True)]
        if not any(_NO_WORDS.search(entry) for column in columns for entry, _ in column):
            for column in columns:
                self._add_list(node, column)
        for cell in (cell for row in rows for cell in row.elts):
            self.visit(cell)

    def visit_Constant(self, node: ast.Constant) -> None:
        """A string that is written like a pattern."""
        form = _PATTERN_FORM if self.constant and not self.depth else _SURE_FORM
        if isinstance(node.value, str) and form.search(node.value):
            self._add_pattern(node, 0)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """An f-string that is written like a pattern."""
        constants = [str(each.value) for each in node.values if isinstance(each, ast.Constant)]
        if any(map(_SURE_FORM.search, constants)):
            self._add_pattern(node, 0)

    # what is found

    def _pattern(self, call: ast.Call) -> None:
        rest = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
        flags = re.NOFLAG
        for part in (part for argument in rest for part in ast.walk(argument)):
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name) and part.value.id == "re":
                flags |= getattr(re, part.attr, re.NOFLAG) if part.attr.isupper() else re.NOFLAG
        if call.args:
            self._add_pattern(call.args[0], int(flags))
        for argument in rest:
            self.visit(argument)

    def _add_pattern(self, node: ast.expr, flags: int) -> None:
        if isinstance(node, ast.IfExp):
            self._add_pattern(node.body, flags)
            self._add_pattern(node.orelse, flags)
            return
        try:
            text = text_of(node, self.names)
        except Unknown as error:
            self._not_examined(node, str(error))
            return
        if text.value == ANY_WORD:
            self._not_examined(node, "all of it is made in a function")
        elif text.borrowed != ((0, len(text.value)),):
            self.rules.patterns.append(PatternRule(self._place(node), text, flags))

    def _not_examined(self, node: ast.expr, why: str) -> None:
        place = f"{self.file}:{node.lineno}"
        self.rules.not_examined.append({"place": place, "what": ast.unparse(node)[:120], "why": why})

    def _words(self, node: ast.expr, *, start: bool = True) -> None:
        """A word, or a collection of words, that a text is compared with."""
        if isinstance(node, (ast.Tuple, ast.Set, ast.List)):
            if not self.constant or self.depth:
                self._add_list(node, _entries(node.elts), start=start)
        elif isinstance(node, ast.Dict):
            self._dict(node)
        else:
            self._add_list(node, _entries([node]), start=start)

    def _dict(self, node: ast.Dict) -> None:
        keys, values = _entries(node.keys), _entries(node.values)
        self._add_list(node, keys)
        if not (keys and self._are_names(keys)) or any(" " in value for value, _ in values):
            self._add_list(node, values)

    def _string_of_words(self, node: ast.expr) -> None:
        """``"one two three four five"``, of which a constant is made."""
        if isinstance(node, ast.Name) and isinstance(self.names.get(node.id), str):
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and _WORD_STRING.fullmatch(node.value):
            self._add_list(node, [(word, node.lineno) for word in node.value.split()])

    def _are_names(self, entries: Sequence[tuple[str, int]]) -> bool:
        """Whether entries are names of the program or sentences for people."""
        return any(_NO_WORDS.search(entry) or len(entry) > _LONGEST for entry, _ in entries) or all(
            entry in self.program for entry, _ in entries
        )

    def _add_list(self, node: ast.expr, entries: list[tuple[str, int]], *, start: bool = True) -> None:
        words = {entry.lower(): (entry, line) for entry, line in reversed(entries) if _WORDS.search(entry)}
        if words and not self._are_names(entries):
            place = self._place(node)
            is_stem = "stem" in f"{place.name} {self._beside()}".lower()
            self.rules.lists.append(ListRule(place, tuple(reversed(words.values())), start, start and not is_stem))

    def _place(self, node: ast.expr) -> Place:
        source = tuple(self.lines[node.lineno - 1 : node.end_lineno])
        return Place(self.file, node.lineno, self.constant, JUSTIFIED in self._beside(), source)

    def _beside(self) -> str:
        """The comments directly above the statement and at the ends of its lines, and the string under it."""
        if self.statement is None:
            return ""
        first, last = self.statement.lineno, self.statement.end_lineno or self.statement.lineno
        if isinstance(self.statement, (ast.FunctionDef, ast.ClassDef, ast.If, ast.For, ast.While, ast.With, ast.Try)):
            last = first
        above = first - 1
        while above > 0 and self.lines[above - 1].lstrip().startswith("#"):
            above -= 1
        note = "\n".join(self.lines[above : first - 1])
        note += "\n".join(line[line.rfind("  # ") :] for line in self.lines[first - 1 : last] if "  # " in line)
        under = self.after.value if isinstance(self.after, ast.Expr) else None
        if isinstance(under, ast.Constant) and isinstance(under.value, str):
            note += "\n" + under.value
        return note


def _entries(nodes: Iterable[ast.expr | None]) -> list[tuple[str, int]]:
    """The strings among expressions that are no patterns, with their lines."""
    return [
        (node.value, node.lineno)
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not _PATTERN_FORM.search(node.value)
    ]


def _is_collection(node: ast.expr) -> bool:
    """Whether the name of what is looked into is a plural: ``page.flags``, ``cell["tags"]``."""
    if isinstance(node, ast.Attribute):
        return node.attr.endswith("s")
    key = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(key, ast.Constant) and str(key.value).endswith("s")
