"""What a question costs on many workers, against one engine: processor time in the same run.

SOTTO_BENCH_ROWS rows (default 100 million) of Parquet, laid out by unit; one engine, local
workers, and a Spark cluster of two workers on loopback if pyspark is in .cache/spark.  Processor
time is user and system time of all processes: of Spark's driver, master, workers, executors and
their Python too, with and without what the same session costs for an empty table.  Needs 3 GB of
disk and 4 GB of memory for 100 million rows.
"""
import ctypes
import importlib.machinery
import importlib.util
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), ".."))
SOTTO = os.path.join(ROOT, "build/sotto")
ROWS = int(os.environ.get("SOTTO_BENCH_ROWS", 100_000_000))
UNITS = max(1000, ROWS // 100)
BUCKETS = 8
SQL = "SELECT city, COUNT(*) AS n, SUM(cost) AS s, AVG(age) AS a FROM visits GROUP BY city"
TINY = "SELECT COUNT(*) AS n FROM tiny"
POLICY = """
ledger: ledger.db
log: owner.log
budget: {{ epsilon: 1e9, delta: 0.1 }}
default: {{ epsilon: 1 }}
diagnostics: 0
time: {{ limit: 1h }}
{spread}
tables:
  visits:
    source: laid/
    unit: uid
    max_rows: 100
    max_groups: 20
    columns:
      city: {{ keys: [{cities}] }}
      age: {{ bounds: [0, 110] }}
      cost: {{ bounds: [0, 10000], step: 1 }}
  tiny: {{ source: tiny.parquet, unit: uid, max_rows: 1 }}
"""
CITIES = ["city %d" % i for i in range(20)]


def make_parquet(path, rows):
    """By the engine's C library: a hundred visits of each unit, in no order of units."""
    engine = ctypes.CDLL(os.path.join(ROOT, ".cache/duckdb/libduckdb.so"))
    database, connection = ctypes.c_void_p(), ctypes.c_void_p()
    engine.duckdb_open(None, ctypes.byref(database))
    engine.duckdb_connect(database, ctypes.byref(connection))
    sql = ("COPY (SELECT CAST(hash(i) %% %d AS BIGINT) AS uid, 'city ' || (hash(i, 1) %% 20) AS city, "
           "CAST(hash(i, 2) %% 100 AS INTEGER) AS age, CAST(hash(i, 3) %% 10000 AS INTEGER) AS cost "
           "FROM range(%d) AS t(i)) TO '%s'" % (UNITS, rows, path))
    if engine.duckdb_query(connection, sql.encode(), None) != 0:
        sys.exit("the rows could not be written")


def spent():
    """Processor seconds of this process's children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Meter(threading.Thread):
    """Processor time of every process below this one, also of those that nobody waits for: looks ten times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.ticks = {}
        self.start()

    def look(self):
        parents, found = {}, {}
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/stat" % pid) as f:
                    fields = f.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[pid] = fields[1]
            found[pid] = ((pid, fields[19]), int(fields[11]) + int(fields[12]))
        for pid, (name, ticks) in found.items():
            above = pid
            while above in parents and above != str(os.getpid()):
                above = parents[above]
            if name in self.ticks or (above == str(os.getpid()) and pid != above):
                self.ticks[name] = ticks

    def run(self):
        while True:
            self.look()
            time.sleep(0.1)

    def seconds(self):
        self.look()
        return sum(list(self.ticks.values())) / os.sysconf("SC_CLK_TCK")


def ask(sql, *words, cluster=None):
    clock = cluster.seconds if cluster else spent
    before, start = clock(), time.monotonic()
    answered = subprocess.run([SOTTO, "query", "--fresh", "--format", "csv", *words, sql], capture_output=True,
                              text=True)
    if answered.returncode != 0:
        sys.exit(answered.stderr + open("owner.log").read()[-2000:])
    if cluster:
        time.sleep(5)  # its executors end, and are counted
    return clock() - before, time.monotonic() - start - (5 if cluster else 0)


def set_policy(spread=""):
    with open("sotto.yaml", "w") as f:
        f.write(POLICY.format(spread=spread, cities=", ".join(CITIES)))
    subprocess.run([SOTTO, "policy", "accept"], capture_output=True)


def line(name, cpu, wall, base, note=""):
    print("%-34s %9.1f %9.1f %8.2f  %s" % (name, cpu, wall, cpu / base, note), flush=True)


def peak_memory():
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def make_meter():
    """A program that runs sotto and notes the processor time that it took."""
    path = os.path.abspath("metered-sotto")
    with open(path, "w") as f:
        f.write("#!/usr/bin/python3\nimport resource, subprocess, sys\n"
                "status = subprocess.run(['%s'] + sys.argv[1:]).returncode\n"
                "used = resource.getrusage(resource.RUSAGE_CHILDREN)\n"
                "open('%s', 'a').write('%%f\\n' %% (used.ru_utime + used.ru_stime))\nsys.exit(status)\n"
                % (SOTTO, os.path.abspath("meter")))
    os.chmod(path, 0o755)
    return path


def run_spark(base):
    loader = importlib.machinery.SourceFileLoader("check_spark", os.path.join(ROOT, "tools/check-spark"))
    spark = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_spark", loader))
    loader.exec_module(spark)
    place = os.environ.get("SOTTO_SPARK", os.path.join(ROOT, ".cache/spark"))
    if not os.path.isdir(os.path.join(place, "pyspark")) or not shutil.which("java"):
        print("Spark: left out; pyspark is not in .cache/spark, or there is no java")
        return
    os.environ.update(spark.make_environment(place))
    master, _ = spark.start_cluster(dict(os.environ))
    try:
        set_policy("spread: { launcher: spark, master: '%s', buckets: %d, program: '%s', options: [--conf, "
                   "spark.executor.memory=512m, --conf, spark.ui.enabled=false] }" % (master, BUCKETS, make_meter()))
        meter = Meter()
        ask(TINY, cluster=meter)  # the cluster is warm then
        idle, _ = ask(TINY, cluster=meter)
        open("meter", "w").close()
        cpu, wall = ask(SQL, cluster=meter)
        workers = sum(float(x) for x in open("meter").read().split())
        line("Spark, 2 workers, %d tasks" % BUCKETS, cpu, wall, base, "all its processes, with the session's start")
        line("  without the session's start", cpu - idle, wall, base, "which took %.1f for an empty table" % idle)
        line("  its sotto workers alone", workers, wall, base, "")
    finally:
        spark.stop_all()


def main():
    work = tempfile.mkdtemp(dir=os.environ.get("SOTTO_BENCH_FOLDER"))
    os.chdir(work)
    try:
        make_parquet(os.path.join(work, "visits.parquet"), ROWS)
        make_parquet(os.path.join(work, "tiny.parquet"), 100)
        before, start = spent(), time.monotonic()
        subprocess.run([SOTTO, "layout", "visits.parquet", "laid", "--by", "uid", "--buckets", str(BUCKETS)],
                       check=True, capture_output=True)
        laying, laid = spent() - before, time.monotonic() - start
        laying_memory = peak_memory()
        size = sum(os.path.getsize(os.path.join(p, f)) for p, _, files in os.walk("laid") for f in files)
        set_policy()
        subprocess.run([SOTTO, "seal"], check=True, capture_output=True)
        subprocess.run([SOTTO, "ledger", "create"], check=True, capture_output=True)
        print("%d rows of %d units, %.0f MB of Parquet in %d buckets; laid out in %.0f s (%.0f s of processor time, "
              "%.0f MB of memory at most)" % (ROWS, UNITS, size / 1e6, BUCKETS, laid, laying, laying_memory))
        print("%-34s %9s %9s %8s" % ("", "cpu s", "wall s", "ratio"))
        base, wall = min(ask(SQL) for _ in range(2))
        line("one engine", base, wall, base, "%.0f MB at most" % peak_memory())
        for processes in (1, 2, 4):
            cpu, wall = min(ask(SQL, "--spread", str(processes)) for _ in range(2))
            line("local, %d process%s" % (processes, "es" if processes > 1 else ""), cpu, wall, base)
        run_spark(base)
    finally:
        os.chdir("/")
        shutil.rmtree(work, ignore_errors=True)


main()
