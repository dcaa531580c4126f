"""docs/python.md and README.md: every block is run."""
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT, copy_hospital

BLOCK = re.compile(r"^```(python)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(path):
    return BLOCK.findall(open(os.path.join(ROOT, path), encoding="utf-8").read())


# What python/check has done already.
DONE = ["make python", "pip install build/python/sotto-*.whl"]


def run_commands(text):
    """Runs the lines that begin with a dollar; how many there were."""
    path = os.path.join(sys.prefix, "bin") + ":" + os.environ["PATH"]
    commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    for command in commands:
        if command not in DONE:
            assert command.startswith("sotto "), command
            said = subprocess.run(command, shell=True, env=dict(os.environ, PATH=path), capture_output=True, text=True)
            assert said.returncode == 0, (command, said.stderr)
    return len(commands)


def test_every_block_of_the_guide_runs(tmp_path, monkeypatch):
    """In order, where only the sample files are: whatever a step needs, an earlier one has made."""
    pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    copy_hospital(tmp_path)
    monkeypatch.chdir(tmp_path)
    names, ran, commands = {}, 0, 0
    for language, text in blocks("docs/python.md"):
        if language:
            exec(compile(text, "docs/python.md", "exec"), names)
            ran += 1
        else:
            commands += run_commands(text)
    assert ran >= 8 and commands >= 5 and names["frame"].shape[0] == 2


def test_the_python_of_the_readme_runs(hospital, tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    python = [text for language, text in blocks("README.md") if language]
    assert len(python) == 1
    exec(compile(python[0], "README.md", "exec"), {})
