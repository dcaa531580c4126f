"""Reads a stream of Arrow with nothing but ctypes, as any library would, and counts releases."""
import ctypes as c
import struct

from arrow_producer import Array, Schema, Stream

pointer_of = c.pythonapi.PyCapsule_GetPointer
pointer_of.restype, pointer_of.argtypes = c.c_void_p, [c.py_object, c.c_char_p]


def _bit(address, i):
    return bool(c.c_uint8.from_address(address + i // 8).value >> (i % 8) & 1)


def _values(schema, array):
    n, buffers = array.length, array.buffers
    form = schema.format.decode()
    fixed = {"l": ("q", 8), "g": ("d", 8), "tsu:": ("q", 8), "tdD": ("i", 4)}
    out = []
    for i in range(n):
        if buffers[0] and not _bit(buffers[0], i):
            out.append(None)
        elif form == "b":
            out.append(_bit(buffers[1], i))
        elif form == "u":
            begin, end = struct.unpack("ii", c.string_at(buffers[1] + 4 * i, 8))
            out.append(c.string_at(buffers[2] + begin, end - begin).decode())
        else:
            code, width = fixed[form]
            out.append(struct.unpack(code, c.string_at(buffers[1] + width * i, width))[0])
    assert out.count(None) == array.null_count
    return out


def read(capsule):
    """({name: (format, values)}, addresses of the values); everything is released."""
    stream = c.cast(pointer_of(capsule, b"arrow_array_stream"), c.POINTER(Stream))
    schema, array, end = Schema(), Array(), Array()
    assert stream.contents.get_schema(stream, schema) == 0
    assert stream.contents.get_next(stream, array) == 0
    assert stream.contents.get_next(stream, end) == 0 and not end.release
    out, places = {}, []
    for i in range(schema.n_children):
        child, column = schema.children[i].contents, array.children[i].contents
        out[child.name.decode()] = (child.format.decode(), _values(child, column))
        places.append(column.buffers[1])
    stream.contents.release(stream)
    # The batch outlives the stream, as Arrow demands.
    again = [_values(schema.children[i].contents, array.children[i].contents) for i in range(schema.n_children)]
    assert again == [values for _, values in out.values()]
    array.release(array)
    schema.release(schema)
    assert not stream.contents.release and not array.release and not schema.release
    return out, places
