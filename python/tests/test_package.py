"""The package is the installed one, stands on its own, and says what it needs."""
import doctest
import importlib
import os
import pkgutil
import re
import subprocess
import sys

import pytest
import sotto
from conftest import PROGRAM, ROOT

MODULES = ["sotto"] + [
    "sotto." + m.name for m in pkgutil.iter_modules(sotto.__path__) if m.name not in ("__main__", "_native")
]


def test_the_package_is_the_installed_one():
    assert sotto.__file__.startswith(sys.prefix + os.sep)
    assert not sotto.__file__.startswith(ROOT + os.sep)
    assert sotto._native.__file__.startswith(sys.prefix + os.sep)
    assert sotto.__version__ == open(os.path.join(ROOT, "VERSION")).read().strip()


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings_run(name):
    module = importlib.import_module(name)
    outcome = doctest.testmod(module, verbose=False)
    assert outcome.failed == 0


def public(module):
    return [n for n in getattr(module, "__all__", dir(module)) if not n.startswith("_")]


def test_every_public_name_is_documented():
    bare = [n for n in public(sotto) if not (getattr(sotto, n).__doc__ or "").strip()]
    assert bare == []


def binaries():
    folder = os.path.join(os.path.dirname(sotto.__file__), "_lib")
    return [sotto._native.__file__] + [os.path.join(folder, n) for n in os.listdir(folder)]


def test_libraries_come_from_the_wheel_or_from_every_linux():
    everywhere = re.compile(r"lib(c|m|dl|pthread|gcc_s|stdc\+\+|z|sotto.*)\.so.*|ld-linux.*")
    for path in binaries():
        needed = re.findall(
            r"\(NEEDED\).*\[(.*)\]",
            subprocess.run(["readelf", "-d", path], capture_output=True, text=True, check=True).stdout,
        )
        strange = [n for n in needed if not everywhere.fullmatch(n)]
        assert strange == [], path


def test_the_tag_names_the_newest_glibc_that_is_needed():
    text = open(os.path.join(ROOT, "build/python/wheel")).read()
    tag = tuple(map(int, re.search(r"cp39-abi3-manylinux_(\d+)_(\d+)_", text).groups()))
    found = set()
    for path in binaries():
        out = subprocess.run(["readelf", "--version-info", path], capture_output=True, text=True).stdout
        found |= {tuple(map(int, v)) for v in re.findall(r"GLIBC_(\d+)\.(\d+)", out)}
    assert max(found | {(2, 17)}) == tag


def test_the_extension_uses_the_limited_interface_only():
    # Names that the stable interface of 3.9 lacks.
    out = subprocess.run(
        ["nm", "-D", "--undefined-only", sotto._native.__file__], capture_output=True, text=True, check=True
    ).stdout
    names = set(re.findall(r"U (_?Py\w+)", out))
    assert names and not names & {"PyObject_GetBuffer", "PyUnicode_AsUTF8AndSize", "PyUnicode_AsUTF8"}
    inside = {n for n in names if n.startswith("_Py") and not n.endswith("_SizeT")}
    assert inside <= {"_Py_NoneStruct", "_Py_Dealloc", "_Py_TrueStruct", "_Py_FalseStruct"}


def test_pip_installs_the_program_too():
    program = os.path.join(sys.prefix, "bin", "sotto")
    said = subprocess.run([program, "--version"], capture_output=True, text=True)
    assert said.returncode == 0 and sotto.__version__ in said.stdout


def test_the_engine_is_the_wheels_own(hospital, tmp_path, monkeypatch):
    """Another sotto in the PATH is not asked."""
    fake = tmp_path / "bin"
    fake.mkdir()
    (fake / "sotto").write_text("#!/bin/sh\nexit 1\n")
    (fake / "sotto").chmod(0o755)
    monkeypatch.setenv("PATH", "%s:%s" % (fake, os.environ["PATH"]))
    with sotto.connect(hospital) as con:
        assert len(con.sql("SELECT COUNT(*) FROM patients", epsilon="0.1")) == 1


def test_nothing_else_is_needed():
    """numpy, pandas and the others are used when there, never required."""
    code = (
        "import sys\n"
        "for name in ('numpy', 'pandas', 'polars', 'pyarrow', 'matplotlib'):\n"
        "    sys.modules[name] = None\n"
        "import sotto\n"
        "sotto.laplace([1, 2], epsilon=1)\n"
        "sotto.account('laplace(epsilon=1)', delta=0)\n"
        "print('done')\n"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout == "done\n", said.stderr
    assert os.path.exists(PROGRAM)
