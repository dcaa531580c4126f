"""What the tests share: a policy with sample data, and frames."""
import os
import shutil
import signal
import subprocess
import sys
import warnings

import pytest
from hypothesis import settings

import sotto

ROOT = os.environ["SOTTO_ROOT"]
PROGRAM = os.path.join(os.path.dirname(sotto.__file__), "_lib", "sotto")

# A run in the background ignores interrupts, and so would every child; some tests send one.
signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every run; a busy machine is not a failure.
settings.register_profile("sotto", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("sotto")


@pytest.fixture(autouse=True)
def lessons():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sotto.LessonWarning)
        yield


def copy_hospital(folder):
    source = os.path.join(ROOT, "examples", "hospital", "small")
    for name in ("cities.csv", "patients.csv", "visits.csv", "sotto.yaml"):
        shutil.copy(os.path.join(source, name), folder)


def make_hospital(folder):
    """The sample hospital, sealed, with a new ledger; the path of its policy."""
    copy_hospital(folder)
    policy = os.path.join(str(folder), "sotto.yaml")
    for command in (["seal"], ["ledger", "create"]):
        subprocess.run([PROGRAM, *command, "--policy", policy], check=True, capture_output=True)
    return policy


@pytest.fixture
def hospital(tmp_path):
    return make_hospital(tmp_path)


@pytest.fixture
def patients():
    pandas = pytest.importorskip("pandas")
    return pandas.read_csv(os.path.join(ROOT, "examples/hospital/small/patients.csv"))
