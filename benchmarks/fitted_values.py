"""The values of a module's constants, told from its text: nothing of it is imported or run."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Text:
    """A string with the spans that come from other constants, whose own places answer for them."""

    value: str
    borrowed: tuple[tuple[int, int], ...] = ()

    def is_borrowed(self, start: int, end: int) -> bool:
        """Whether the span lies within one borrowed span."""
        return any(first <= start and end <= last for first, last in self.borrowed)


class Unknown(Exception):
    """An expression whose value cannot be told without running the program."""


ANY_WORD = r"(?:\w+)"
"""What stands for a part whose value is made in a function."""


class Package:
    """The parsed modules of a package by their dotted names."""

    def __init__(self, source: Path, trees: Mapping[Path, ast.Module]) -> None:
        self._trees = {}
        for path, tree in trees.items():
            name = ".".join((source.name, *path.relative_to(source).with_suffix("").parts))
            self._trees[name.removesuffix(".__init__")] = tree
        self._names: dict[str, Names] = {}

    def names(self, module: str) -> Names:
        """The constants of a module; none for a module that is not of the package."""
        if module not in self._names:
            self._names[module] = Names(self, self._trees.get(module, ast.Module([], [])))
        return self._names[module]


class Names(Mapping[str, Any]):
    """The constants of a module by name, worked out when asked for; ``inner`` are those of a comprehension."""

    def __init__(self, package: Package, tree: ast.Module, inner: Mapping[str, Any] | None = None) -> None:
        self._package, self._tree, self._inner = package, tree, dict(inner or {})
        self._values: dict[str, Any] = {}
        self._nodes: dict[str, ast.expr] = {}
        self._imported: dict[str, tuple[str, str]] = {}
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self._nodes[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self._nodes[node.target.id] = node.value
            elif isinstance(node, ast.ImportFrom) and node.module:
                self._imported |= {each.asname or each.name: (node.module, each.name) for each in node.names}

    def within(self, inner: Mapping[str, Any]) -> Names:
        """The same names with those of a comprehension."""
        return Names(self._package, self._tree, {**self._inner, **inner})

    def __getitem__(self, name: str) -> Any:
        if name in self._inner:
            return self._inner[name]
        if name not in self._values:
            if name in self._imported:
                module, original = self._imported[name]
                self._values[name] = self._package.names(module)[original]
            else:
                node = self._nodes.pop(name)  # gone while it is worked out: a name that needs itself has no value
                try:
                    self._values[name] = value_of(node, self)
                except Unknown:
                    raise KeyError(name) from None
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._inner, **self._values, **self._nodes, **self._imported})

    def __len__(self) -> int:
        return len(list(iter(self)))


def text_of(node: ast.expr, names: Names) -> Text:
    """The value of a string expression; ``ANY_WORD`` for its parts that cannot be told; raises Unknown for bytes."""
    value, borrowed = "", []
    for piece, is_own in _pieces(node, names):
        if not is_own:
            borrowed.append((len(value), len(value) + len(piece)))
        value += piece
    return Text(value, tuple(borrowed))


def _pieces(node: ast.expr, names: Names) -> Iterable[tuple[str, bool]]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value, True
    elif isinstance(node, ast.JoinedStr):
        for each in node.values:
            yield from _pieces(each.value if isinstance(each, ast.FormattedValue) else each, names)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        yield from _pieces(node.left, names)
        yield from _pieces(node.right, names)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bytes):
        raise Unknown("bytes, which hold no words")
    else:
        try:
            yield _string(value_of(node, names)), False
        except Unknown:
            yield ANY_WORD, False


def value_of(node: ast.expr, names: Names) -> Any:
    """The value of a constant expression; raises Unknown for what only running the program could tell."""
    try:
        return _value(node, names)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise Unknown(ast.unparse(node)[:120]) from error


def _value(node: ast.expr, names: Names) -> Any:
    match node:
        case ast.Constant():
            return node.value
        case ast.Name():
            return names[node.id]
        case ast.JoinedStr():
            return "".join(_string(value_of(_formatted(each), names)) for each in node.values)
        case ast.BinOp(op=ast.Add() | ast.BitOr()):
            left, right = value_of(node.left, names), value_of(node.right, names)
            return left + right if isinstance(node.op, ast.Add) else left | right
        case ast.Tuple() | ast.List():
            return tuple(item for each in node.elts for item in _items(each, names))
        case ast.Set():
            return frozenset(item for each in node.elts for item in _items(each, names))
        case ast.Dict():
            return {value_of(key, names): _or_none(each, names) for key, each in _pairs(node)}
        case ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
            return tuple(value_of(node.elt, inner) for inner in _loop(node.generators, names))
        case ast.DictComp():
            return {value_of(node.key, inner): _or_none(node.value, inner) for inner in _loop(node.generators, names)}
        case ast.Attribute(attr="pattern"):
            return value_of(node.value, names)
        case ast.Call():
            return _call(node, names)
    raise Unknown(ast.unparse(node)[:120])


def _formatted(node: ast.expr) -> ast.expr:
    return node.value if isinstance(node, ast.FormattedValue) else node


def _pairs(node: ast.Dict) -> Iterable[tuple[ast.expr, ast.expr]]:
    return [(key, each) for key, each in zip(node.keys, node.values, strict=True) if key is not None]


def _or_none(node: ast.expr, names: Names) -> Any:
    try:
        return value_of(node, names)
    except Unknown:
        return None


def _items(node: ast.expr, names: Names) -> Iterable[Any]:
    return tuple(value_of(node.value, names)) if isinstance(node, ast.Starred) else (value_of(node, names),)


def _loop(generators: list[ast.comprehension], names: Names) -> Iterator[Names]:
    """The names at every turn of a comprehension."""
    [loop] = generators
    if loop.ifs:
        raise Unknown("a comprehension with a condition")
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple) else [loop.target]
    for item in value_of(loop.iter, names):
        values = item if isinstance(loop.target, ast.Tuple) else (item,)
        pairs = zip(targets, values, strict=True)
        yield names.within({each.id: value for each, value in pairs if isinstance(each, ast.Name)})


_COLLECTIONS: dict[str, Callable[..., Any]] = {
    "tuple": tuple, "list": tuple, "set": frozenset, "frozenset": frozenset, "sorted": sorted, "dict": dict,
    "enumerate": lambda items, start=0: tuple(enumerate(items, start)),
}  # fmt: skip


def _call(node: ast.Call, names: Names) -> Any:
    arguments = [value_of(each, names) for each in node.args]
    if isinstance(node.func, ast.Name) and node.func.id in _COLLECTIONS:
        return _COLLECTIONS[node.func.id](*arguments)
    if not isinstance(node.func, ast.Attribute):
        raise Unknown(ast.unparse(node)[:120])
    name, owner = node.func.attr, node.func.value
    if isinstance(owner, ast.Name) and owner.id == "re":
        if name == "compile":
            return arguments[0]
        if name == "escape":
            return re.escape(arguments[0])
        if name == "findall":
            return re.findall(*arguments)
    elif name in ("join", "split", "items", "keys", "values", "lower", "upper", "replace"):
        return getattr(value_of(owner, names), name)(*arguments)
    raise Unknown(ast.unparse(node)[:120])


def _string(value: object) -> str:
    if isinstance(value, (str, int)):
        return str(value)
    raise Unknown(f"a {type(value).__name__}")
