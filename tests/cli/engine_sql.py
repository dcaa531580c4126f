"""Runs statements in the embedded engine, for tests that need files with types of their own; argv[1] is the program.

As a program: engine_sql.py PROGRAM STATEMENT..."""
import ctypes, os, sys

def library():
    for path in (os.environ.get("SOTTO_DUCKDB") or "none", os.path.join(os.path.dirname(sys.argv[1]), "../.cache/duckdb/libduckdb.so"),
                 os.path.join(os.path.dirname(sys.argv[1]), "../../.cache/duckdb/libduckdb.so"), "libduckdb.so"):
        try:
            return ctypes.CDLL(path)
        except OSError:
            pass
    sys.exit("there is no library of DuckDB")

engine = library()
engine.duckdb_result_error.restype = ctypes.c_char_p
database, connection = ctypes.c_void_p(), ctypes.c_void_p()
engine.duckdb_open(None, ctypes.byref(database))
engine.duckdb_connect(database, ctypes.byref(connection))

def sql(text):
    result = (ctypes.c_char * 256)()
    if engine.duckdb_query(connection, text.encode(), result):
        sys.exit(f"{text}: {engine.duckdb_result_error(result).decode()}")

if __name__ == "__main__":
    for statement in sys.argv[2:]:
        sql(statement)
    engine.duckdb_disconnect(ctypes.byref(connection))
    engine.duckdb_close(ctypes.byref(database))
