"""Writes ONNX files of a few nodes, valid or wrong on purpose, without any library: protobuf's wire format is all it takes.
Field numbers are those of onnx.proto."""

FLOAT, INT32, INT64 = 1, 6, 7


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


def integer(name, number):
    """An attribute."""
    return _bytes(1, name) + _number(3, number) + _number(20, 2)


def graph_attribute(name, graph):
    return _bytes(1, name) + _bytes(6, graph) + _number(20, 5)


def node(op_type, inputs, outputs, domain="", attributes=()):
    fields = [_bytes(1, name) for name in inputs] + [_bytes(2, name) for name in outputs]
    return b"".join(fields) + _bytes(3, f"{op_type}_{outputs[0]}") + _bytes(4, op_type) + (_bytes(7, domain) if domain else b"") + b"".join(_bytes(5, one) for one in attributes)


def value(name, shape, element=FLOAT):
    """A tensor; a dimension is a size, or a name where the size is open. A shape of None declares none."""
    if shape is None:
        return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, element)))
    dims = b"".join(_bytes(1, _number(1, dim) if isinstance(dim, int) else _bytes(2, dim)) for dim in shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, _number(1, element) + _bytes(2, dims)))


def integers(name, shape, values):
    """An initialiser of int64."""
    dims = b"".join(_number(1, dim) for dim in shape)
    return dims + _number(2, INT64) + _bytes(8, name) + _bytes(9, b"".join(one.to_bytes(8, "little", signed=True) for one in values))


def floats(name, shape):
    """An initialiser of ones."""
    count = 1
    for dim in shape:
        count *= dim
    return b"".join(_number(1, dim) for dim in shape) + _number(2, FLOAT) + _bytes(8, name) + _bytes(9, b"\0\0\x80\x3f" * count)


def graph(nodes, inputs, outputs, initialisers=()):
    return (b"".join(_bytes(1, one) for one in nodes) + _bytes(2, "tiny") + b"".join(_bytes(5, one) for one in initialisers) +
            b"".join(_bytes(11, one) for one in inputs) + b"".join(_bytes(12, one) for one in outputs))


def model(nodes, inputs, outputs, opset=17, initialisers=(), domains=()):
    imports = [("", opset), *domains]
    return (_number(1, 8) + _bytes(7, graph(nodes, inputs, outputs, initialisers)) +
            b"".join(_bytes(8, _bytes(1, domain) + _number(2, version)) for domain, version in imports))


def relu(shape=(1, 4)):
    """A valid model: y = max(x, 0)."""
    return model([node("Relu", ["x"], ["y"])], [value("x", shape)], [value("y", shape)])
