"""The driver of a question that sotto spreads over a Spark cluster.

  python3 spark_driver.py MASTER BUCKETS PROGRAM FILES [OPTION...]
  python3 spark_driver.py --check     says what is missing here, with status 3; before the charge

One task for each bucket starts `sotto worker` and gives it its ticket; the worker connects to
the coordinator itself, and what it finds never passes through Spark.  PROGRAM is sotto on the
hosts; "": the one among FILES, which are shipped.  Each OPTION is one of spark-submit's.

The ticket comes on standard input.  When that closes, the question is over, and so is the job.
"""
import glob
import importlib.util
import os
import shutil
import subprocess
import sys
import threading


def find_spark():
    """Finds pyspark, or what lies in SPARK_HOME; says what is missing, or nothing."""
    home = os.environ.get("SPARK_HOME")
    if not importlib.util.find_spec("pyspark"):
        if not home:
            return "pyspark is not installed and SPARK_HOME is not set"
        sys.path[:0] = [os.path.join(home, "python")]
        sys.path[:0] = glob.glob(os.path.join(home, "python", "lib", "py4j-*.zip"))
        if not importlib.util.find_spec("pyspark"):
            return "pyspark is not installed, nor is it in the folder python of SPARK_HOME"
    java = os.environ.get("JAVA_HOME")
    if not shutil.which("java", path=os.path.join(java, "bin") if java else None):
        return "java is not in the folder bin of JAVA_HOME" if java else "java is not in PATH and JAVA_HOME is not set"
    return ""


def make_work(ticket, program):
    """The task: the function stands in here, so that Spark ships it as it is."""

    def work(bucket):
        import os
        import subprocess

        from pyspark import SparkFiles

        words = ticket.split(" ")
        words[3] = str(bucket)
        kept = ("PATH", "HOME", "LD_LIBRARY_PATH", "TZ", "SOTTO_DUCKDB")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        command = program or SparkFiles.get("sotto")
        library = SparkFiles.get("libduckdb.so")
        if not program and os.path.exists(library):
            environment["SOTTO_DUCKDB"] = library
        worker = subprocess.Popen([command, "worker"], stdin=subprocess.PIPE,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                  env=environment)
        said = worker.communicate(" ".join(words).encode())[1]
        if worker.returncode != 0:
            raise RuntimeError("sotto worker %d: status %d: %s" % (
                bucket, worker.returncode, said.decode("utf-8", "replace")[-500:]))

    return work


def leave_with_coordinator():
    sys.stdin.read()
    os._exit(1)


def check():
    missing = find_spark()
    if missing:
        print(missing, file=sys.stderr)
        sys.exit(3)
    sys.exit(0)


def main():
    if sys.argv[1:] == ["--check"]:
        check()
    master, buckets, program, files = sys.argv[1:5]
    ticket = sys.stdin.readline()
    threading.Thread(target=leave_with_coordinator, daemon=True).start()
    words = ["--master", master, "--name", "sotto"]
    if files:
        words += ["--files", files]
    words += sys.argv[5:] + ["pyspark-shell"]
    os.environ["PYSPARK_SUBMIT_ARGS"] = subprocess.list2cmdline(words)
    missing = find_spark()
    if missing:
        sys.exit(missing)
    from pyspark import SparkContext

    context = SparkContext()
    context.setLogLevel("ERROR")
    context.parallelize(range(int(buckets)), int(buckets)).foreach(make_work(ticket, program))
    context.stop()


if __name__ == "__main__":
    main()
