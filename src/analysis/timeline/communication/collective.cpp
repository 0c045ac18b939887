// SPDX-License-Identifier: MIT
#include "analysis/timeline/communication/collective.h"

#include <algorithm>
#include <string>

namespace aaco {

namespace {

struct ElementSize {
  std::string_view name;  // PyTorch's
  int64_t bytes;
};
constexpr ElementSize kElements[] = {
    {"Byte", 1},        {"Char", 1},         {"Bool", 1},           {"Short", 2},           {"Int", 4},
    {"Long", 8},        {"Half", 2},         {"BFloat16", 2},       {"Float", 4},           {"Double", 8},
    {"ComplexHalf", 4}, {"ComplexFloat", 8}, {"ComplexDouble", 16}, {"UInt16", 2},          {"UInt32", 4},
    {"UInt64", 8},      {"Float8_e5m2", 1},  {"Float8_e4m3fn", 1},  {"Float8_e5m2fnuz", 1}, {"Float8_e4m3fnuz", 1},
};

}  // namespace

CollectiveType collective_type(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != '_') {
      plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
  }
  // "reduce" is part of other names.
  static constexpr std::pair<std::string_view, CollectiveType> kTypes[] = {
      {"allreduce", CollectiveType::kAllReduce},         {"allgather", CollectiveType::kAllGather},
      {"reducescatter", CollectiveType::kReduceScatter}, {"alltoall", CollectiveType::kAllToAll},
      {"broadcast", CollectiveType::kBroadcast},         {"reduce", CollectiveType::kReduce}};
  for (const auto& [part, type] : kTypes) {
    if (plain.find(part) != std::string::npos) {
      return type;
    }
  }
  return CollectiveType::kOther;
}

std::optional<double> bus_factor(CollectiveType type, int64_t ranks) {
  if (ranks < 1) {
    return std::nullopt;
  }
  const auto n = static_cast<double>(ranks);
  switch (type) {
    case CollectiveType::kAllReduce:
      return 2 * (n - 1) / n;
    case CollectiveType::kAllGather:
    case CollectiveType::kReduceScatter:
    case CollectiveType::kAllToAll:
      return (n - 1) / n;
    case CollectiveType::kBroadcast:
    case CollectiveType::kReduce:
      return 1;
    case CollectiveType::kOther:
      return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> collective_bytes(CollectiveType type, int64_t in_elements, int64_t out_elements,
                                        std::string_view element) {
  const auto* const position = std::find_if(std::begin(kElements), std::end(kElements),
                                            [&](const ElementSize& known) { return known.name == element; });
  const int64_t elements = type == CollectiveType::kAllGather ? out_elements : in_elements;
  int64_t bytes = 0;
  if (position == std::end(kElements) || type == CollectiveType::kOther || elements < 0 ||
      __builtin_mul_overflow(elements, position->bytes, &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

}  // namespace aaco
