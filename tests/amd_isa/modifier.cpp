// SPDX-License-Identifier: MIT
#include <charconv>
#include <cstdlib>
#include <string>
#include <vector>

#include "decode.h"
#include "wave.h"

namespace aaco::amd {
namespace {

std::vector<int> list_of(std::string_view text) {  // [1,0,3]
  std::vector<int> values;
  for (const char c : text) {
    if (c >= '0' && c <= '9') {
      values.push_back(c - '0');
    }
  }
  return values;
}

std::uint8_t bits_of(std::string_view text) {
  std::uint32_t bits = 0;
  const std::vector<int> values = list_of(text);
  for (std::size_t i = 0; i < values.size(); ++i) {
    bits |= static_cast<std::uint32_t>(values[i]) << i;
  }
  return static_cast<std::uint8_t>(bits);
}

Part part_of(std::string_view text) {
  constexpr std::string_view kWords[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
  for (std::size_t i = 0; i < std::size(kWords); ++i) {
    if (text == kWords[i]) {
      return static_cast<Part>(i);
    }
  }
  throw Fault{"part " + std::string(text) + " is not understood"};
}

void set_output_part(Instruction& instruction, Part part) {
  instruction.operands[0].part = part;
  instruction.special |= part != Part::kDword;
}

std::uint32_t packed(std::string_view text, std::uint32_t bits) {
  std::uint32_t value = 0;
  const std::vector<int> values = list_of(text);
  for (std::size_t i = 0; i < values.size(); ++i) {
    value |= static_cast<std::uint32_t>(values[i]) << (bits * static_cast<std::uint32_t>(i));
  }
  return value;
}

struct MoveName {
  std::string_view text;
  DppMove move;
};

constexpr MoveName kMoves[] = {
    {"row_shl", DppMove::kShiftLeft},
    {"row_shr", DppMove::kShiftRight},
    {"row_ror", DppMove::kRotate},
    {"row_mirror", DppMove::kMirror},
    {"row_half_mirror", DppMove::kHalfMirror},
    {"row_share", DppMove::kShare},
    {"row_newbcast", DppMove::kShare},
    {"row_xmask", DppMove::kXor},
    {"wave_shr", DppMove::kWaveShift},
};

bool apply_dpp(Dpp& dpp, std::string_view name, std::string_view value, int number) {
  if (name == "quad_perm") {
    dpp.move = DppMove::kQuad;
    dpp.amount = packed(value, 2);
  } else if (name == "dpp8") {
    dpp.move = DppMove::kEight;
    dpp.amount = packed(value, 3);
  } else if (name == "row_bcast") {
    dpp.move = number == 15 ? DppMove::kBroadcast15 : DppMove::kBroadcast31;
  } else if (name == "row_mask") {
    dpp.row_mask = static_cast<std::uint8_t>(number);
  } else if (name == "bank_mask") {
    dpp.bank_mask = static_cast<std::uint8_t>(number);
  } else if (name == "bound_ctrl") {
    dpp.bound_control = true;  // printed only where it is set, as :0 or :1
  } else {
    for (const MoveName& known : kMoves) {
      if (name == known.text) {
        dpp.move = known.move;
        dpp.amount = static_cast<std::uint32_t>(number);
        return true;
      }
    }
    return false;
  }
  return true;
}

}  // namespace

void apply_modifier(Instruction& instruction, std::string_view modifier) {
  const auto colon = modifier.find(':');
  const std::string_view name = modifier.substr(0, colon);
  const std::string_view value = colon == std::string_view::npos ? "" : modifier.substr(colon + 1);
  const int number = static_cast<int>(std::strtol(std::string(value).c_str(), nullptr, 0));
  const std::size_t first_source = instruction.outputs;
  if (name == "offset") {
    instruction.offset = number;
  } else if (name == "offset0") {
    instruction.offset0 = number;
  } else if (name == "offset1") {
    instruction.offset1 = number;
  } else if (name == "sc0" || name == "glc") {
    instruction.returns = true;
  } else if (name == "sc1" || name == "slc" || name == "dlc" || name == "nt") {
    // caches are not modelled
  } else if (name == "clamp") {
    instruction.clamp = instruction.special = true;
  } else if (name == "mul") {
    instruction.output_factor = static_cast<float>(number);
    instruction.special = true;
  } else if (name == "div") {
    instruction.output_factor = 1.0F / static_cast<float>(number);
    instruction.special = true;
  } else if (name == "op_sel") {
    instruction.op_sel = bits_of(value);
  } else if (name == "op_sel_hi") {
    instruction.op_sel_hi = bits_of(value);
  } else if (name == "neg_lo") {
    instruction.neg_lo = bits_of(value);
  } else if (name == "neg_hi") {
    instruction.neg_hi = bits_of(value);
  } else if (name == "dst_sel") {
    set_output_part(instruction, part_of(value));
  } else if (name == "dst_unused") {
    if (value == "UNUSED_SEXT") {
      throw Fault{"dst_unused:UNUSED_SEXT has no handler"};
    }
    instruction.preserve_rest = value == "UNUSED_PRESERVE";
  } else if (name == "src0_sel") {
    instruction.operands[first_source].part = part_of(value);
  } else if (name == "src1_sel") {
    instruction.operands[first_source + 1].part = part_of(value);
  } else if (!apply_dpp(instruction.dpp, name, value, number)) {
    throw Fault{"modifier " + std::string(modifier) + " has no handler"};
  }
}

}  // namespace aaco::amd
