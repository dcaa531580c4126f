"""The driver of a question that sotto spreads over a Spark cluster.

  python3 spark_driver.py MASTER BUCKETS PROGRAM FILES [OPTION...]

One task for each bucket starts `sotto worker` and gives it its ticket; the worker connects to
the coordinator itself, and what it finds never passes through Spark.  PROGRAM is sotto on the
hosts; "": the one among FILES, which are shipped.  Each OPTION is one of spark-submit's.

The ticket comes on standard input.  When that closes, the question is over, and so is the job.
"""
import glob
import os
import subprocess
import sys
import threading


def find_spark():
    """pyspark, or what lies in SPARK_HOME."""
    home = os.environ.get("SPARK_HOME")
    try:
        import pyspark  # noqa: F401
    except ImportError:
        if not home:
            sys.exit("pyspark is not installed and SPARK_HOME is not set")
        sys.path[:0] = [os.path.join(home, "python")]
        sys.path[:0] = glob.glob(os.path.join(home, "python", "lib", "py4j-*.zip"))


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


def main():
    master, buckets, program, files = sys.argv[1:5]
    ticket = sys.stdin.readline()
    threading.Thread(target=leave_with_coordinator, daemon=True).start()
    words = ["--master", master, "--name", "sotto"]
    if files:
        words += ["--files", files]
    words += sys.argv[5:] + ["pyspark-shell"]
    os.environ["PYSPARK_SUBMIT_ARGS"] = subprocess.list2cmdline(words)
    find_spark()
    from pyspark import SparkContext

    context = SparkContext()
    context.setLogLevel("ERROR")
    context.parallelize(range(int(buckets)), int(buckets)).foreach(make_work(ticket, program))
    context.stop()


if __name__ == "__main__":
    main()
