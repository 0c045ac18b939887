// SPDX-License-Identifier: MIT
// Lanes that read other lanes (DPP), and parts of registers as sources (SDWA).
#pragma once

#include "instruction.h"

namespace aaco::amd {

// Puts the instruction's handler behind one that moves the lanes of source 0 first.
void wrap_dpp(Instruction& instruction);

// The value of a part of a word, extended to a word.
std::uint32_t part_of_word(std::uint32_t word, Part part, bool sign_extend);

// `word` with a part of it replaced.
std::uint32_t with_part(std::uint32_t word, Part part, std::uint32_t value);

}  // namespace aaco::amd
