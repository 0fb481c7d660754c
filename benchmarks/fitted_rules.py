"""Finds the patterns and word lists of a source tree: what is written in it, with the values its modules give.

A string is a pattern where it is the first argument of a function of ``re``, or where it is written like one (groups,
classes, ``\\b`` and so on) in a constant. A word list is a set, list, tuple or dict of strings in a constant, or one in
a function that a text is compared with (``in``, ``startswith``, ``.get``). It is none, but a list of names of the
program, where an entry has an underscore, a slash or the form of a file name, or where every entry is also a value of
a ``Literal``, a field of a class or a key that the program subscripts with.
"""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.fitted_values import Text, Unknown, text_of

JUSTIFIED = "General knowledge:"
_FUNCTIONS = ("compile", "match", "search", "fullmatch", "sub", "subn", "findall", "finditer", "split")
_PATTERN_FORM = re.compile(
    r"\(\?[:=!<aimsx]|\\[bwdsBWDS](?![a-z])|\\b\w|[^\W_]\??\|[^\W_]|\)[?*|]|[a-z]\?[ a-z)|]|\[[^\]\s]+\][?*+]|\.\*"
)
_SURE_FORM = re.compile(r"\(\?[:=!<]|\\[bwdsBWDS](?![a-z])")
_NO_WORDS = re.compile(r"[_/<>{}=\\@#]|\.\w+$|^--|[a-z][A-Z]")
_WORDS = re.compile(r"[^\W\d_]{2}|[\u0e00-\u0e7f\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


@dataclass(frozen=True)
class Place:
    """Where a rule is written."""

    file: str
    line: int
    name: str
    justified: bool


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
    stems: bool = False
    """Whether they are beginnings of words, which the name or the note beside the list says."""


@dataclass
class Rules:
    """What a source tree holds."""

    patterns: list[PatternRule] = field(default_factory=list)
    lists: list[ListRule] = field(default_factory=list)
    not_examined: list[dict[str, str]] = field(default_factory=list)


def read_rules(source: Path, exempt: Sequence[str]) -> Rules:
    """The rules of the package in folder ``source``, but for the folders in ``exempt``."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(source.rglob("*.py"))}
    program = {name for tree in trees.values() for name in _program_names(tree)}
    rules = Rules()
    for path, tree in trees.items():
        name = path.relative_to(source).as_posix()
        if any(name.startswith(folder) for folder in exempt):
            continue
        finder = _Finder(f"{source.name}/{name}", path.read_text(encoding="utf-8").splitlines(), program, rules)
        if finder.may_hold_rules:
            finder.names = _live(source, path, rules)
            finder.visit(tree)
    return rules


def _live(source: Path, path: Path, rules: Rules) -> dict[str, Any]:
    """The names of a module after it is imported; none, and a line in the report, where it cannot be."""
    module = ".".join((source.name, *path.relative_to(source).with_suffix("").parts)).removesuffix(".__init__")
    root = str(source.resolve().parent)
    if root not in sys.path:
        sys.path.insert(0, root)
    try:
        return vars(importlib.import_module(module))
    except Exception as error:  # whatever a module raises, the others are examined
        rules.not_examined.append({"place": f"{path}:1", "what": module, "why": f"import: {error!r}"})
        return {}


def _program_names(tree: ast.AST) -> Iterator[str]:
    """Names that the program gives to its own things."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            literal = isinstance(node.value, (ast.Name, ast.Attribute)) and ast.unparse(node.value).endswith("Literal")
            inside = ast.walk(node.slice) if literal else [node.slice]
            yield from (each.value for each in inside if isinstance(each, ast.Constant) and isinstance(each.value, str))
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                    yield each.target.id


class _Finder(ast.NodeVisitor):
    """Walks one module; knows the statement and the constant that it stands in."""

    def __init__(self, file: str, lines: Sequence[str], program: set[str], rules: Rules) -> None:
        self.file, self.lines, self.program, self.rules = file, lines, program, rules
        self.names: dict[str, Any] = {}
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

    def visit_Expr(self, node: ast.Expr) -> None:  # noqa: N802
        """A string by itself is a docstring."""
        if not isinstance(node.value, ast.Constant):
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:  # noqa: N802
        """Annotations hold no rules."""
        held, self.constant = self.constant, ""
        self.depth += 1
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        self.visit_body(node.body)
        self.depth -= 1
        self.constant = held

    def visit_Assign(self, node: ast.Assign) -> None:  # noqa: N802
        """A constant, outside functions."""
        self._assigned(ast.unparse(node.targets[0]), node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:  # noqa: N802
        """A constant, outside functions."""
        if node.value is not None:
            self._assigned(ast.unparse(node.target), node.value)

    def _assigned(self, name: str, value: ast.expr) -> None:
        if self.depth or name == "__all__":
            self.visit(value)
            return
        self.constant = name
        if name in self.split_names and isinstance(self.names.get(name), str):
            self._add_list(value, [(word, value.lineno) for word in self.names[name].split()])
        else:
            self.visit(value)
        self.constant = ""

    # expressions

    def visit_Subscript(self, node: ast.Subscript) -> None:  # noqa: N802
        """No rules in ``Literal[...]`` and in keys; a dict that is looked up is one."""
        if isinstance(node.value, ast.Dict):
            self._dict(node.value)
        elif not ast.unparse(node.value).endswith("Literal"):
            self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:  # noqa: N802
        """Functions of ``re``, and methods that compare a text with words."""
        function = node.func
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name) and function.value.id == "re" and function.attr in _FUNCTIONS:
                self._pattern(node)
                return
            if function.attr in ("startswith", "endswith", "removeprefix", "removesuffix") and node.args:
                self._words(node.args[0], node)
                return
            if function.attr == "split" and isinstance(function.value, ast.Constant) and not node.args:
                self._add_list(node, [(word, node.lineno) for word in str(function.value.value).split()])
                return
            if function.attr == "get" and isinstance(function.value, ast.Dict):
                self._dict(function.value)
        self.generic_visit(node)
        if self.constant and not self.depth and not ast.unparse(function).endswith(("Field", "Option", "Argument")):
            self._add_list(node, [(a.value, a.lineno) for a in node.args if _is_words(a)])  # type: ignore[attr-defined]

    def visit_Compare(self, node: ast.Compare) -> None:  # noqa: N802
        """``"word" in text`` and ``text in ("word", "word")``."""
        for operator, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(operator, (ast.In, ast.NotIn)):
                self._words(node.left, node)
                self._words(right, node)
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:  # noqa: N802
        """A loop over words."""
        self._words(node.iter, node)
        self.generic_visit(node)

    def visit_List(self, node: ast.List | ast.Set | ast.Tuple) -> None:  # noqa: N802
        """A word list, in a constant."""
        if self.constant and not self.depth:
            self._add_list(node, [(each.value, each.lineno) for each in node.elts if _is_words(each)])  # type: ignore[attr-defined]
        self.generic_visit(node)

    visit_Set = visit_Tuple = visit_List  # noqa: N815

    def visit_Dict(self, node: ast.Dict) -> None:  # noqa: N802
        """Keys and values are word lists, in a constant."""
        if self.constant and not self.depth:
            self._dict(node)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:  # noqa: N802
        """A string that is written like a pattern."""
        form = _PATTERN_FORM if self.constant and not self.depth else _SURE_FORM
        if isinstance(node.value, str) and form.search(node.value):
            self._add_pattern(node, 0)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:  # noqa: N802
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
        live = self.names.get(self.constant) if self.constant and not self.depth else None
        whole = isinstance(live, re.Pattern) and flags == live.flags & ~re.UNICODE
        try:
            try:
                text = text_of(node, self.names)
            except Unknown:
                if not whole or not isinstance(live, re.Pattern):
                    raise
                text = text_of(node, self.names, live.pattern)
        except (Unknown, AttributeError, TypeError) as error:
            self._not_examined(node, f"its value is made in a function: {error}")
            return
        if not text.borrowed or text.borrowed != ((0, len(text.value)),):
            self.rules.patterns.append(PatternRule(self._place(node.lineno), text, flags))

    def _not_examined(self, node: ast.expr, why: str) -> None:
        place = self._place(node.lineno)
        self.rules.not_examined.append(
            {"place": f"{place.file}:{place.line}", "what": ast.unparse(node)[:120], "why": why}
        )

    def _words(self, node: ast.expr, around: ast.AST) -> None:
        """A word, or a collection of words, that a text is compared with."""
        if isinstance(node, (ast.Tuple, ast.Set, ast.List)):
            if not self.constant or self.depth:
                self._add_list(node, [(each.value, each.lineno) for each in node.elts if _is_words(each)])  # type: ignore[attr-defined]
        elif isinstance(node, ast.Dict):
            self._dict(node)
        elif _is_words(node):
            self._add_list(node, [(node.value, node.lineno)])  # type: ignore[attr-defined]

    def _dict(self, node: ast.Dict) -> None:
        for side in (node.keys, node.values):
            self._add_list(node, [(each.value, each.lineno) for each in side if _is_words(each)])  # type: ignore[union-attr]

    def _add_list(self, node: ast.expr, entries: list[tuple[str, int]]) -> None:
        if any(_NO_WORDS.search(entry) for entry, _ in entries) or all(entry in self.program for entry, _ in entries):
            return
        words = tuple((entry, line) for entry, line in entries if _WORDS.search(entry) and len(entry) <= 60)
        if words:
            place = self._place(node.lineno)
            self.rules.lists.append(ListRule(place, words, "stem" in f"{place.name} {self._beside()}".lower()))

    def _place(self, line: int) -> Place:
        return Place(self.file, line, self.constant, JUSTIFIED in self._beside())

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


def _is_words(node: ast.expr | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and not _PATTERN_FORM.search(node.value)
