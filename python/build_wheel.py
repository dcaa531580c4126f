#!/usr/bin/python3
"""Puts the wheel together.   build_wheel.py FOLDER LIBSOTTO

FOLDER holds _native.abi3.so and the program sotto; the wheel goes there, and its path is printed.

Inside the wheel sotto/_lib has libsotto, libduckdb, and every library that they need and that
not every Linux has.  Those get names of their own (libsotto-gmp.so), so that they never
meet another copy in the same process.  The tag says which glibc is needed: the highest version
of a symbol that any file in the wheel asks for.  Equal inputs give equal bytes.
"""
import base64
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
WHEN = (1980, 1, 1, 0, 0, 0)

# What every Linux of the tag has (the list of manylinux).
EVERYWHERE = re.compile(
    r"lib(c|m|dl|rt|pthread|resolv|util|gcc_s|stdc\+\+|z)\.so\.\d+|ld-linux-x86-64\.so\.2|libsotto.*"
)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def needed(path):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", path))


def where(path):
    """Where the loader finds each library that a file needs."""
    found = {}
    for line in output("ldd", path).splitlines():
        match = re.match(r"\s*(\S+) => (/\S+)", line)
        if match:
            found[match.group(1)] = match.group(2)
    return found


def own_name(library):
    return "libsotto-" + re.sub(r"^lib(.*?)\.so.*", r"\1", library) + ".so"


def bundle(path, folder, found):
    """Copies what a file needs into the folder and makes the file look there."""
    for library in needed(path):
        if EVERYWHERE.fullmatch(library):
            continue
        name = own_name(library)
        copy = os.path.join(folder, name)
        if not os.path.exists(copy):
            shutil.copyfile(os.path.realpath(found[library]), copy)
            os.chmod(copy, 0o755)
            output("patchelf", "--set-soname", name, copy)
            bundle(copy, folder, found)
        output("patchelf", "--replace-needed", library, name, path)
    output("patchelf", "--set-rpath", "$ORIGIN", path)


def engine():
    """libduckdb: what tools/setup fetched, or the system's."""
    fetched = os.path.join(ROOT, ".cache/duckdb/libduckdb.so")
    if os.path.exists(fetched):
        return fetched
    for line in output("/sbin/ldconfig", "-p").splitlines():
        if line.strip().startswith("libduckdb.so "):
            return line.split("=> ")[1].strip()
    sys.exit("build_wheel.py: there is no libduckdb.so; run tools/setup")


def fill_library_folder(folder, built, libsotto):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    soname = re.search(r"\(SONAME\).*\[(.*)\]", output("readelf", "-d", libsotto)).group(1)
    for source, name in ((libsotto, soname), (built + "/sotto", "sotto")):
        copy = os.path.join(folder, name)
        output("strip", "--strip-unneeded", "-o", copy, source)
        os.chmod(copy, 0o755)
        bundle(copy, folder, where(source))
    shutil.copyfile(engine(), os.path.join(folder, "libduckdb.so"))


def glibc(paths):
    """The highest version of glibc that any of the files asks for, as (2, 36)."""
    versions = {(2, 17)}
    for path in paths:
        for major, minor in re.findall(r"GLIBC_(\d+)\.(\d+)", output("readelf", "--version-info", path)):
            versions.add((int(major), int(minor)))
    return max(versions)


def metadata(version):
    summary = open(os.path.join(HERE, "README.md"), encoding="utf-8").read()
    return (
        "Metadata-Version: 2.1\nName: sotto\nVersion: %s\n"
        "Summary: Differential privacy, exact from end to end\n"
        "License: Apache-2.0\nRequires-Python: >=3.9\n"
        "Classifier: Operating System :: POSIX :: Linux\nClassifier: Typing :: Typed\n"
        "Description-Content-Type: text/markdown\n\n%s" % (version, summary)
    )


class Wheel:
    def __init__(self, path):
        self.zip = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=6)
        self.record = []

    def add(self, name, data, mode=0o644):
        info = zipfile.ZipInfo(name, WHEN)
        info.external_attr = (0o100000 | mode) << 16
        info.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(info, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append("%s,sha256=%s,%d" % (name, digest, len(data)))

    def add_file(self, name, path):
        with open(path, "rb") as file:
            self.add(name, file.read(), 0o755 if os.access(path, os.X_OK) else 0o644)

    def close(self, info):
        name = info + "/RECORD"
        self.add(name, ("\n".join(self.record + [name + ",,"]) + "\n").encode())
        self.zip.close()


def package_files():
    for folder, _, names in sorted(os.walk(os.path.join(HERE, "sotto"))):
        for name in sorted(names):
            if name.endswith((".py", ".pyi", "py.typed")):
                path = os.path.join(folder, name)
                yield os.path.relpath(path, HERE), path


def main():
    built, libsotto = sys.argv[1:]
    version = open(os.path.join(ROOT, "VERSION")).read().strip()
    folder = os.path.join(built, "_lib")
    fill_library_folder(folder, built, libsotto)
    native = os.path.join(built, "_native.abi3.so.stripped")
    output("strip", "--strip-unneeded", "-o", native, os.path.join(built, "_native.abi3.so"))
    binaries = [native] + sorted(glob.glob(folder + "/*"))
    tag = "cp39-abi3-manylinux_%d_%d_%s" % (*glibc(binaries), os.uname().machine)
    for old in glob.glob(os.path.join(built, "sotto-*.whl")):
        os.remove(old)
    path = os.path.join(built, "sotto-%s-%s.whl" % (version, tag))
    wheel = Wheel(path)
    info = "sotto-%s.dist-info" % version
    for name, source in package_files():
        wheel.add_file(name, source)
    wheel.add_file("sotto/_native.abi3.so", native)
    for library in binaries[1:]:
        wheel.add_file("sotto/_lib/" + os.path.basename(library), library)
    wheel.add(info + "/METADATA", metadata(version).encode())
    wheel.add(info + "/WHEEL", ("Wheel-Version: 1.0\nGenerator: sotto\nRoot-Is-Purelib: false\nTag: %s\n" % tag).encode())
    wheel.add(info + "/entry_points.txt", b"[console_scripts]\nsotto = sotto.__main__:main\n")
    wheel.add_file(info + "/LICENSE", os.path.join(ROOT, "LICENSE"))
    wheel.close(info)
    print(path)


if __name__ == "__main__":
    main()
