// SPDX-License-Identifier: MIT
// Arithmetic and compulsory memory traffic of one ONNX operator, from its shapes: the only copy of these formulas.
//
// FLOPs: one per addition, subtraction, multiplication, division, comparison, minimum or maximum, whatever the element
// type; a multiply-add is two. exp, log, sqrt, erf, tanh, pow and the trigonometric functions are one each; a composite
// counts its definition (sigmoid is 1 / (1 + exp(-x)), four). Convolutions count padded positions and products count
// masked ones (causal attention), as the dense algorithm executes them. A bias is one addition per output element; the
// alpha and beta of a product, the dequantisation around an integer product, and work once per row or channel (the
// root of a variance) are not counted. Moving, selecting and converting elements is zero. In the domain
// com.microsoft.nchwc channels are padded to the processor's block; what the padding executes counts.
//
// Bytes: every input read once and every output written once, as if nothing stayed in a cache from the operator before
// and nothing was read twice. Gather, GatherBlockQuantized and Slice read what they select; Shape reads nothing;
// operators that return their input under another shape (Reshape, Identity, ...) move nothing. Attention whose cache
// has room for more keys than there are has neither FLOPs nor bytes: how many there are is in no shape.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aaco {

// A dimension that is not known. A shape whose rank is not known is {kUnknownDim}.
constexpr int64_t kUnknownDim = -1;
// The element type of an optional input or output that the operator was not given.
constexpr std::string_view kOmittedTensor = "omitted";

struct OpShape {
  std::string op_type;
  std::string domain;                                          // "" or "ai.onnx" for the standard operators
  std::map<std::string, std::vector<int64_t>> int_attributes;  // a single integer is a list of one
  std::map<std::string, std::string> string_attributes;        // a list is joined with commas
  std::vector<std::vector<int64_t>> input_shapes, output_shapes;
  std::vector<std::string> input_dtypes, output_dtypes;  // "float32", ...; may be empty where only FLOPs are asked for
};

// FLOPs of one execution; no value for an operator without a formula or where a shape that it needs is unknown.
std::optional<double> op_flops(const OpShape& op);

// Compulsory traffic of one execution in bytes; no value where a shape or element type that counts is unknown, and for
// control flow, whose traffic is that of its body.
std::optional<double> op_bytes(const OpShape& op);

// Bytes of one element ("float16": 2, "int4": 0.5); no value for strings and for names that are not element types.
std::optional<double> dtype_bytes(std::string_view dtype);

}  // namespace aaco
