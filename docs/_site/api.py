"""The reference of modules, read from their source: what is public, with signatures and what is said of it.

Nothing is imported for it. Docstrings here are plain sentences without sections, so that they are printed as they are.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

from links import ROOT

SOURCE = ROOT / "src" / "feint"
PACKAGES = (
    "games", "tree", "arena", "public", "forms", "solvers", "learners", "search", "players", "evaluate", "runs",
    "testing", "report", "adapters",
)  # fmt: skip
"""In the order of the data's flow; papers, studio and cli are for people, not for programs."""


def pages() -> dict[str, str]:
    packages = {name: SOURCE / name for name in PACKAGES if (SOURCE / name).is_dir()}
    found = {f"api/{name}.md": _package(name, folder) for name, folder in packages.items()}
    return {"api/index.md": _public(), **found}


def _public() -> str:
    """What `import feint` has."""
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    homes: dict[str, tuple[str, ...]] = next(
        ast.literal_eval(node.value)
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_HOME"
    )
    lines = ["# feint", "", "What `import feint` has. The pages beside this one have the rest, folder by folder.", ""]
    for module, names in sorted(homes.items(), key=lambda home: home[1][0].lower()):
        path = SOURCE.parent.joinpath(*module.split(".")).with_suffix(".py")
        told = dict(_told(path, "feint"))
        for name in names:
            lines += [told[name], ""]
    return "\n".join(lines)


def _package(name: str, folder: Path) -> str:
    lines = [f"# feint.{name}", ""]
    for path in sorted(folder.glob("*.py")):
        module = f"feint.{name}" if path.stem == "__init__" else f"feint.{name}.{path.stem}"
        said = ast.get_docstring(ast.parse(path.read_text()))
        members = [text for _, text in _told(path, module)]
        if said or members:
            lines += [f"## {module} {{ #{module} }}", "", _text(said), "", *members, ""]
    return "\n".join(lines)


def _told(path: Path, module: str) -> Iterator[tuple[str, str]]:
    """Public classes, functions and explained constants of a file."""
    body = ast.parse(path.read_text()).body
    for node, after in zip_longest(body, body[1:]):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield node.name, _class(node, module)
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name, _entry(f"{module}.{node.name}", _signature(node), ast.get_docstring(node))
        elif (name := _constant(node)) and _is_text(after) and not name.startswith("_"):
            yield name, _entry(f"{module}.{name}", ast.unparse(node), after.value.value)  # type: ignore[union-attr]


def _class(node: ast.ClassDef, module: str) -> str:
    bases = f"({', '.join(map(ast.unparse, node.bases))})" if node.bases else ""
    lines = [f"class {node.name}{bases}:"]
    notes = []
    for each, after in zip_longest(node.body, node.body[1:]):
        if isinstance(each, ast.AnnAssign):
            lines.append(f"    {ast.unparse(each)}")
            if _is_text(after):
                notes.append(f"- `{ast.unparse(each.target)}`: {_text(after.value.value)}")  # type: ignore[union-attr]
        elif isinstance(each, ast.FunctionDef) and not each.name.startswith("_"):
            lines.append(f"    {_signature(each)}")
            if said := ast.get_docstring(each):
                notes.append(f"- `{each.name}`: {_text(said)}")
    return _entry(f"{module}.{node.name}", "\n".join(lines), ast.get_docstring(node)) + "\n".join(["", *notes, ""])


def _entry(name: str, code: str, said: str | None) -> str:
    return f"### {name.rpartition('.')[2]} {{ #{name} }}\n\n```python\n{code}\n```\n\n{_text(said)}\n"


def _signature(node: ast.FunctionDef) -> str:
    result = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"def {node.name}({ast.unparse(node.args)}){result}"


def _constant(node: ast.stmt) -> str | None:
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return ast.unparse(node.targets[0]) if isinstance(node, ast.Assign) else None


def _is_text(node: ast.stmt | None) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _text(said: str | None) -> str:
    """A docstring as a page has it: brackets of types are no HTML."""
    return inspect.cleandoc(said or "").replace("<", "&lt;").replace("\n\n    ", "\n\n")
