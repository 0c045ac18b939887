// SPDX-License-Identifier: MIT
#include <iterator>
#include <unordered_map>

#include "instruction.h"

namespace aaco::amd {
namespace {

using Table = std::unordered_map<std::string_view, const Opcode*>;

struct Opcodes {
  OpcodeList list;
  Table by_name;
};

Opcodes make_opcodes(Architecture architecture) {
  Opcodes made;
  for (const auto unit :
       {scalar_opcodes, scalar_compare_opcodes, control_opcodes, vector_float_opcodes, vector_double_opcodes,
        vector_division_opcodes, vector_half_opcodes, vector_convert_opcodes, vector_integer_opcodes,
        vector_carry_opcodes, vector_packed_opcodes, vector_lane_opcodes, compare_opcodes, global_opcodes,
        atomic_opcodes, scalar_memory_opcodes, lds_opcodes, matrix_opcodes}) {
    OpcodeList part = unit(architecture);
    std::move(part.begin(), part.end(), std::back_inserter(made.list));
  }
  for (const Opcode& opcode : made.list) {
    made.by_name.emplace(opcode.name, &opcode);
  }
  return made;
}

const Opcodes& opcodes_of(Architecture architecture) {
  static const Opcodes kGfx942 = make_opcodes(Architecture::kGfx942);
  static const Opcodes kGfx1100 = make_opcodes(Architecture::kGfx1100);
  return architecture == Architecture::kGfx942 ? kGfx942 : kGfx1100;
}

}  // namespace

std::string_view without_encoding(std::string_view mnemonic) {
  for (const std::string_view ending : {"_e64_dpp", "_dpp8", "_dpp", "_sdwa", "_e32", "_e64"}) {
    if (mnemonic.ends_with(ending)) {
      return mnemonic.substr(0, mnemonic.size() - ending.size());
    }
  }
  return mnemonic;
}

const Opcode* find_opcode(Architecture architecture, std::string_view mnemonic) {
  const Table& table = opcodes_of(architecture).by_name;
  const auto found = table.find(without_encoding(mnemonic));
  return found == table.end() ? nullptr : found->second;
}

const OpcodeList& all_opcodes(Architecture architecture) { return opcodes_of(architecture).list; }

std::optional<Architecture> architecture_of(std::string_view name) {
  if (name == "gfx942") {
    return Architecture::kGfx942;
  }
  return name == "gfx1100" ? std::optional(Architecture::kGfx1100) : std::nullopt;
}

}  // namespace aaco::amd
