// SPDX-License-Identifier: MIT
// Comparisons of scalars: their result is SCC.
#include <string>

#include "scalar_lanes.h"

namespace aaco::amd {
namespace {

using U32 = std::uint32_t;
using U64 = std::uint64_t;
using I32 = std::int32_t;

template <class T, class F>
Opcode compare(const std::string& name, F) {
  return scalar_op("s_cmp_" + name, [](T a, T b, bool& scc) { scc = F{}(a, b); });
}

// With a constant of sixteen bits, extended as the type says.
template <class T, class F>
Opcode compare_constant(const std::string& name, F) {
  return scalar_op("s_cmpk_" + name, [](T a, U32 b, bool& scc) {
    const T constant = std::is_signed_v<T> ? static_cast<T>(static_cast<std::int16_t>(b)) : static_cast<T>(b & 0xffffU);
    scc = F{}(a, constant);
  });
}

template <class F>
void add_compare(OpcodeList& list, const std::string& name, F function) {
  list.push_back(compare<I32>(name + "_i32", function));
  list.push_back(compare<U32>(name + "_u32", function));
  list.push_back(compare_constant<I32>(name + "_i32", function));
  list.push_back(compare_constant<U32>(name + "_u32", function));
}

}  // namespace

OpcodeList scalar_compare_opcodes(Architecture) {
  OpcodeList list;
  add_compare(list, "eq", [](auto a, auto b) { return a == b; });
  add_compare(list, "lg", [](auto a, auto b) { return a != b; });
  add_compare(list, "gt", [](auto a, auto b) { return a > b; });
  add_compare(list, "ge", [](auto a, auto b) { return a >= b; });
  add_compare(list, "lt", [](auto a, auto b) { return a < b; });
  add_compare(list, "le", [](auto a, auto b) { return a <= b; });
  list.push_back(compare<U64>("eq_u64", [](U64 a, U64 b) { return a == b; }));
  list.push_back(compare<U64>("lg_u64", [](U64 a, U64 b) { return a != b; }));
  list.push_back(scalar_op("s_bitcmp0_b32", [](U32 a, U32 b, bool& scc) { scc = ((a >> (b & 31U)) & 1U) == 0; }));
  list.push_back(scalar_op("s_bitcmp1_b32", [](U32 a, U32 b, bool& scc) { scc = ((a >> (b & 31U)) & 1U) == 1; }));
  list.push_back(scalar_op("s_bitcmp0_b64", [](U64 a, U32 b, bool& scc) { scc = ((a >> (b & 63U)) & 1U) == 0; }));
  list.push_back(scalar_op("s_bitcmp1_b64", [](U64 a, U32 b, bool& scc) { scc = ((a >> (b & 63U)) & 1U) == 1; }));
  return list;
}

}  // namespace aaco::amd
