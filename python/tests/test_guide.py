"""docs/python.md and README.md: every block is run."""
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

BLOCK = re.compile(r"^```(python)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    return BLOCK.findall(open(os.path.join(ROOT, path), encoding="utf-8").read())


def test_every_block_of_the_guide_runs(hospital, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    names = {}
    ran = 0
    for language, text in blocks("docs/python.md"):
        if language:
            exec(compile(text, "docs/python.md", "exec"), names)
            ran += 1
    assert ran >= 8 and names["frame"].shape[0] == 2


def test_commands_of_the_guide_run(hospital, tmp_path):
    path = os.path.join(sys.prefix, "bin") + ":" + os.environ["PATH"]
    commands = [
        line[2:]
        for language, text in blocks("docs/python.md")
        if not language
        for line in text.splitlines()
        if line.startswith("$ ")
    ]
    # What python/check has done already.
    assert [c for c in commands if not c.startswith("sotto ")] == [
        "make python",
        "pip install build/python/sotto-*.whl",
    ]
    for command in commands:
        if command.startswith("sotto "):
            said = subprocess.run(command, shell=True, cwd=tmp_path, env=dict(os.environ, PATH=path), capture_output=True, text=True)
            assert said.returncode == 0, (command, said.stderr)


def test_the_python_of_the_readme_runs(hospital, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    python = [text for language, text in blocks("README.md") if language]
    assert len(python) == 1
    exec(compile(python[0], "README.md", "exec"), {})
