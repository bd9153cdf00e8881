"""Where this project's own code lies, read as text and as syntax trees, never imported."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers" / "memory" / "palimpsest"

# Folders of product code, each with the folder that stands on the import path.
PRODUCT = {
    ROOT / "layers" / "memory" / "palimpsest": ROOT / "layers" / "memory",
    ROOT / "cli" / "palimpsest_cli": ROOT / "cli",
    ROOT / "local": ROOT,
    ROOT / "functions": ROOT,
}
OTHER = (ROOT / "tests", ROOT / "benchmarks")


@dataclass(frozen=True)
class Source:
    """One Python file."""

    path: Path
    import_root: Path

    @property
    def place(self) -> str:
        """Its path from the repository's root."""
        return self.path.relative_to(ROOT).as_posix()

    @property
    def module(self) -> str:
        """The name under which it is imported."""
        parts = self.path.relative_to(self.import_root).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    @cached_property
    def text(self) -> str:
        return self.path.read_text()

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    def functions(self) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
        """Yield each function with its place, such as ``local/run.py:main``; methods and inner functions too."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield f"{self.place}:{node.name}", node


def product_sources() -> list[Source]:
    """Return every module of the product, by path."""
    return [
        Source(path, import_root)
        for folder, import_root in PRODUCT.items()
        for path in sorted(folder.rglob("*.py"))
    ]


def all_python_paths() -> list[Path]:
    """Return every Python file, tests and benchmarks included."""
    return sorted(p for folder in (*PRODUCT, *OTHER) for p in folder.rglob("*.py"))


def floor(name: str) -> list[Source]:
    """Return the modules of one floor of the package."""
    return [s for s in product_sources() if s.path.is_relative_to(PACKAGE / name)]
