"""The floors of the house: who may import whom, and what every public function tells."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
EXPLAINED_ROOMS = ("domain", "stats", "graders")


def test_a_room_imports_only_what_stands_below_it():
    lint = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout


def public_functions() -> list[tuple[str, str, str | None]]:
    found = []
    for room in EXPLAINED_ROOMS:
        for path in sorted((ROOT / "harness" / room).glob("*.py")):
            tree = ast.parse(path.read_text(encoding="utf-8"))
            for node in tree.body:
                if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                    found.append((f"{room}/{path.name}", node.name, ast.get_docstring(node)))
    return found


def test_every_public_name_of_the_pure_rooms_is_explained():
    assert [(where, name) for where, name, docstring in public_functions() if not docstring] == []


def test_nobody_but_the_command_line_prints_or_exits():
    for path in (ROOT / "harness").rglob("*.py"):
        if "cli" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            assert not (isinstance(called, ast.Name) and called.id in ("print", "exit", "quit")), path
            assert not (
                isinstance(called, ast.Attribute)
                and called.attr == "exit"
                and isinstance(called.value, ast.Name)
                and called.value.id == "sys"
            ), path
