"""A table that speaks Arrow's stream interface and nothing else, made with ctypes."""
import ctypes as c


class Schema(c.Structure):
    pass


class Array(c.Structure):
    pass


class Stream(c.Structure):
    pass


RELEASE_SCHEMA = c.CFUNCTYPE(None, c.POINTER(Schema))
RELEASE_ARRAY = c.CFUNCTYPE(None, c.POINTER(Array))
GET_SCHEMA = c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Schema))
GET_NEXT = c.CFUNCTYPE(c.c_int, c.POINTER(Stream), c.POINTER(Array))
LAST_ERROR = c.CFUNCTYPE(c.c_void_p, c.POINTER(Stream))
WORDS = c.create_string_buffer(b"no more")
RELEASE_STREAM = c.CFUNCTYPE(None, c.POINTER(Stream))

Schema._fields_ = [
    ("format", c.c_char_p),
    ("name", c.c_char_p),
    ("metadata", c.c_char_p),
    ("flags", c.c_int64),
    ("n_children", c.c_int64),
    ("children", c.POINTER(c.POINTER(Schema))),
    ("dictionary", c.c_void_p),
    ("release", RELEASE_SCHEMA),
    ("private_data", c.c_void_p),
]
Array._fields_ = [
    ("length", c.c_int64),
    ("null_count", c.c_int64),
    ("offset", c.c_int64),
    ("n_buffers", c.c_int64),
    ("n_children", c.c_int64),
    ("buffers", c.POINTER(c.c_void_p)),
    ("children", c.POINTER(c.POINTER(Array))),
    ("dictionary", c.c_void_p),
    ("release", RELEASE_ARRAY),
    ("private_data", c.c_void_p),
]
Stream._fields_ = [
    ("get_schema", GET_SCHEMA),
    ("get_next", GET_NEXT),
    ("get_last_error", LAST_ERROR),
    ("release", RELEASE_STREAM),
    ("private_data", c.c_void_p),
]

capsule_new = c.pythonapi.PyCapsule_New
capsule_new.restype = c.py_object
capsule_new.argtypes = [c.c_void_p, c.c_char_p, c.c_void_p]


def _mark_schema(schema):
    schema.contents.release = RELEASE_SCHEMA()


def _mark_array(array):
    array.contents.release = RELEASE_ARRAY()


class ArrowTable:
    """Whole numbers in batches: one column of int64, every batch one list."""

    def __init__(self, name, batches, fail=False):
        self.column_names = [name]
        self._name, self._batches, self._fail = name.encode(), batches, fail
        self._keep, self.released, self.read = [], 0, 0

    def _schema(self, stream, out):
        child = Schema(format=b"l", name=self._name, flags=2, release=self._release_schema)
        children = (c.POINTER(Schema) * 1)(c.pointer(child))
        self._keep += [child, children]
        out[0] = Schema(format=b"+s", name=b"", n_children=1, children=children, release=self._release_schema)
        return 0

    def _next(self, stream, out):
        if self._fail:
            return 5
        if self.read == len(self._batches):
            out[0] = Array()
            return 0
        values = self._batches[self.read]
        self.read += 1
        data = (c.c_int64 * max(len(values), 1))(*values)
        buffers = (c.c_void_p * 2)(None, c.addressof(data))
        child = Array(length=len(values), n_buffers=2, buffers=buffers, release=self._release_array)
        children = (c.POINTER(Array) * 1)(c.pointer(child))
        none = (c.c_void_p * 1)(None)
        self._keep += [data, buffers, child, children, none]
        out[0] = Array(
            length=len(values), n_buffers=1, buffers=none, n_children=1, children=children, release=self._release_array
        )
        return 0

    def _release(self, stream):
        self.released += 1
        stream.contents.release = RELEASE_STREAM()

    def __arrow_c_stream__(self, requested_schema=None):
        self._release_schema, self._release_array = RELEASE_SCHEMA(_mark_schema), RELEASE_ARRAY(_mark_array)
        self._stream = Stream(
            get_schema=GET_SCHEMA(self._schema),
            get_next=GET_NEXT(self._next),
            get_last_error=LAST_ERROR(lambda stream: c.addressof(WORDS)),
            release=RELEASE_STREAM(self._release),
        )
        return capsule_new(c.addressof(self._stream), b"arrow_array_stream", None)
