"""The published notebook runs from end to end and draws its pictures."""
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

NOTEBOOK = os.path.join(ROOT, "examples", "notebooks", "private_analysis.py")


def run(folder):
    """Runs the notebook cell by cell, as a notebook does: the last value of a cell is shown."""
    runner = (
        "import ast, re, sys\n"
        "names = {}\n"
        "for cell in re.split(r'^# %%.*$', open(sys.argv[1]).read(), flags=re.MULTILINE):\n"
        "    tree = ast.parse(cell)\n"
        "    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None\n"
        "    exec(compile(tree, 'cell', 'exec'), names)\n"
        "    if last is not None:\n"
        "        value = eval(compile(ast.Expression(last.value), 'cell', 'eval'), names)\n"
        "        if hasattr(value, '_repr_html_'): print(value._repr_html_())\n"
    )
    environment = dict(os.environ, SOTTO_PICTURES=".", SOTTO_NOTEBOOK_VALUES="200000", MPLBACKEND="Agg")
    return subprocess.run(
        [sys.executable, "-c", runner, NOTEBOOK], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_the_notebook_runs_and_draws(tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("pandas")
    said = run(tmp_path)
    assert said.returncode == 0, said.stderr
    for name in ("group_by.png", "year.png", "histogram.png", "rappor.png"):
        assert (tmp_path / name).stat().st_size > 5000
    assert said.stdout.count("<svg") == 8
    assert "BROKEN: epsilon is at least" in said.stdout and "no violation" in said.stdout
    assert re.search(r"epsilon of the year: 0\.\d+ \.\. 0\.\d+", said.stdout)


def test_the_notebook_is_in_the_format_of_jupytext():
    text = open(NOTEBOOK).read()
    assert text.startswith("# ---\n# jupyter:\n#   jupytext:") and text.count("# %% [markdown]") == 6
