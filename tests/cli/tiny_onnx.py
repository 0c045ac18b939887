"""Writes ONNX files of a few nodes, valid or wrong on purpose, without any library: protobuf's wire format is all it takes.
Field numbers are those of onnx.proto."""

FLOAT = 1


def _varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _number(field, value):
    return _varint(field << 3) + _varint(value)


def _bytes(field, value):
    data = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def node(op_type, inputs, outputs, domain=""):
    fields = [_bytes(1, name) for name in inputs] + [_bytes(2, name) for name in outputs]
    return b"".join(fields) + _bytes(3, f"{op_type}_{outputs[0]}") + _bytes(4, op_type) + (_bytes(7, domain) if domain else b"")


def value(name, shape):
    """A float tensor; a dimension is a size, or a name where the size is open."""
    dims = b"".join(_bytes(1, _number(1, dim) if isinstance(dim, int) else _bytes(2, dim)) for dim in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, FLOAT) + _bytes(2, dims)))


def model(nodes, inputs, outputs, opset=17):
    graph = b"".join(_bytes(1, one) for one in nodes) + _bytes(2, "tiny")
    graph += b"".join(_bytes(11, one) for one in inputs) + b"".join(_bytes(12, one) for one in outputs)
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, "") + _number(2, opset))


def relu(shape=(1, 4)):
    """A valid model: y = max(x, 0)."""
    return model([node("Relu", ["x"], ["y"])], [value("x", shape)], [value("y", shape)])
