"""What the command line must not cost."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["--version"]])
def test_help_imports_no_heavy_package(words):
    code = (
        "import sys; from harness.cli.commands import cli\n"
        f"try: cli.main({words!r})\n"
        "except SystemExit: pass\n"
        "heavy = {'pydantic', 'scipy', 'numpy', 'openai', 'httpx2', 'rich'} & set(sys.modules)\n"
        "sys.exit(str(sorted(heavy)) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_a_recorded_run_never_imports_the_sdk(tmp_path):
    code = (
        "import sys; sys.argv = ['harness', 'demo', '--dir', sys.argv[1]]\n"
        "from harness.cli import main\n"
        "try: main()\n"
        "except SystemExit as stop: assert not stop.code, stop.code\n"
        "sys.exit(str({'openai', 'scipy.stats'} & set(sys.modules)) "
        "if {'openai', 'scipy.stats'} & set(sys.modules) else 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
