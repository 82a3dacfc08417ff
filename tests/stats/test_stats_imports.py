import subprocess
import sys

PROGRAM = """
import importlib, pkgutil, sys
import harness.stats
for module in pkgutil.iter_modules(harness.stats.__path__):
    importlib.import_module(f"harness.stats.{module.name}")
heavy = [name for name in ("scipy.stats", "scipy.optimize", "pandas") if name in sys.modules]
ours = [name for name in sys.modules if name.startswith("harness.") and not name.startswith("harness.stats")]
print(heavy, ours)
"""


def test_the_room_loads_neither_scipy_stats_nor_another_room():
    loaded = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)

    assert loaded.stdout.strip() == "[] []"
