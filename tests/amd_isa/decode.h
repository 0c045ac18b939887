// SPDX-License-Identifier: MIT
// From bytes to instructions: LLVM's disassembler gives the text of one, its parts are looked up once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "instruction.h"

namespace aaco::amd {

// The text of an instruction and how many bytes it has.
struct Disassembly {
  std::string text;  // "v_add_f32_e32 v1, s2, v3"; empty where the bytes are no instruction
  std::size_t bytes = 0;
};

class Disassembler {
 public:
  explicit Disassembler(Architecture architecture);
  ~Disassembler();
  Disassembler(const Disassembler&) = delete;
  Disassembler& operator=(const Disassembler&) = delete;

  Disassembly at(std::span<const std::byte> bytes) const;

 private:
  void* context_;
};

// Decodes an instruction at `address` of `image`. Throws a Fault where the opcode has no handler or an operand is not
// understood.
Instruction decode(const Disassembler& disassembler, Architecture architecture, std::span<const std::byte> image,
                   std::uint64_t address);

// Parts of it. An operand in the text of the disassembler: v[2:3], -|s4|, 0x3f, 1.0. Throws a Fault.
Operand parse_operand(std::string_view text, Kind kind, Architecture architecture);

// What stands behind the operands: "offset:16 sc0". Throws a Fault for what is not known.
void apply_modifier(Instruction& instruction, std::string_view modifier);

}  // namespace aaco::amd
