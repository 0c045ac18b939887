// SPDX-License-Identifier: MIT
#include "cost/torch_cost.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "cost/torch_rule.h"

namespace aaco {

namespace {

struct DtypeName {
  std::string_view recorded;
  std::string_view dtype;
  int64_t number;  // c10::ScalarType
};

constexpr auto kDtypes = std::to_array<DtypeName>({
    {"float", "float32", 6},
    {"double", "float64", 7},
    {"c10::Half", "float16", 5},
    {"c10::BFloat16", "bfloat16", 15},
    {"long int", "int64", 4},
    {"long", "int64", 4},
    {"int", "int32", 3},
    {"short int", "int16", 2},
    {"short", "int16", 2},
    {"signed char", "int8", 1},
    {"unsigned char", "uint8", 0},
    {"unsigned short", "uint16", 27},
    {"short unsigned int", "uint16", 27},
    {"unsigned int", "uint32", 28},
    {"unsigned long", "uint64", 29},
    {"long unsigned int", "uint64", 29},
    {"bool", "bool", 11},
    {"c10::complex<float>", "complex64", 9},
    {"c10::complex<double>", "complex128", 10},
    {"c10::Float8_e5m2", "float8e5m2", 23},
    {"c10::Float8_e4m3fn", "float8e4m3fn", 24},
    {"c10::Float8_e5m2fnuz", "float8e5m2fnuz", 25},
    {"c10::Float8_e4m3fnuz", "float8e4m3fnuz", 26},
    {"c10::Float8_e8m0fnu", "float8e8m0", 44},
});

std::optional<int64_t> to_integer(std::string_view text) {
  int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  return problem == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::string_view torch_dtype(std::string_view recorded) {
  const auto dtype =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](const DtypeName& name) { return name.recorded == recorded; });
  return dtype == kDtypes.end() ? std::string_view() : dtype->dtype;
}

CallWork torch_work(const TorchCall& call) {
  for (const auto family : {cost::torch_product, cost::torch_convolution, cost::torch_attention, cost::torch_reduction,
                            cost::torch_selection, cost::torch_tensor_lists, cost::torch_elementwise}) {
    if (std::optional<CallWork> work = family(call)) {
      return checked(*std::move(work));
    }
  }
  return unknown_work(OpFamily::kUnknown, "no formula for " + call.name);
}

namespace cost {

const TorchArgument* tensor(const TorchCall& call, size_t index) {
  return index < call.arguments.size() && call.arguments[index].kind == TorchArgument::Kind::kTensor
             ? &call.arguments[index]
             : nullptr;
}

std::optional<std::string> value(const TorchCall& call, size_t index) {
  return index < call.arguments.size() ? call.arguments[index].value : std::nullopt;
}

std::optional<int64_t> integer(const TorchCall& call, size_t index) {
  const auto text = value(call, index);
  return text ? to_integer(*text) : std::nullopt;
}

std::optional<std::vector<int64_t>> integers(const TorchCall& call, size_t index) {
  const auto text = value(call, index);
  if (!text || text->empty()) {
    return std::nullopt;
  }
  std::string_view rest = *text;
  if (rest.front() == '[' && rest.back() == ']' && rest.size() >= 2) {
    rest = rest.substr(1, rest.size() - 2);
  }
  std::vector<int64_t> numbers;
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    std::string_view item = rest.substr(0, comma);
    item.remove_prefix(std::min(item.find_first_not_of(' '), item.size()));
    const auto number = to_integer(item);
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return numbers;
}

std::optional<bool> boolean(const TorchCall& call, size_t index) {
  const auto text = value(call, index);
  return text == "True" ? std::optional(true) : text == "False" ? std::optional(false) : std::nullopt;
}

std::string_view dtype_argument(const TorchCall& call, size_t index, std::string_view missing) {
  const auto number = integer(call, index);
  const auto dtype =
      std::find_if(kDtypes.begin(), kDtypes.end(), [&](const DtypeName& name) { return name.number == number; });
  return dtype == kDtypes.end() ? missing : dtype->dtype;
}

OpShape op_shape(std::string_view op_type, const std::vector<Operand>& inputs, const std::vector<Operand>& outputs) {
  OpShape op;
  op.op_type = op_type;
  for (const Operand& operand : inputs) {
    op.input_shapes.push_back(operand.shape);
    op.input_dtypes.emplace_back(operand.dtype);
  }
  for (const Operand& operand : outputs) {
    op.output_shapes.push_back(operand.shape);
    op.output_dtypes.emplace_back(operand.dtype);
  }
  return op;
}

Operand operand(const TorchArgument& argument) { return {argument.shapes.front(), argument.dtype}; }

void set_bytes(CallWork& work, const std::vector<Operand>& read, const std::vector<Operand>& written) {
  work.bytes = op_bytes(op_shape("", read, written));
  if (!work.bytes) {
    work.missing = "the type of a tensor is not recorded or not known";
  }
}

std::vector<Operand> all_tensors(const TorchCall& call) {
  std::vector<Operand> all;
  for (const TorchArgument& argument : call.arguments) {
    if (argument.kind == TorchArgument::Kind::kTensor) {
      all.push_back(operand(argument));
    }
  }
  return all;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape shape(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= shape.size(); ++i) {
    const int64_t of_a = i <= a.size() ? a[a.size() - i] : 1;
    const int64_t of_b = i <= b.size() ? b[b.size() - i] : 1;
    if (of_a != of_b && of_a != 1 && of_b != 1) {
      return std::nullopt;
    }
    shape[shape.size() - i] = of_a == 1 ? of_b : of_a;
  }
  return shape;
}

}  // namespace cost

}  // namespace aaco
