// SPDX-License-Identifier: MIT
#include "vopd.h"

#include <algorithm>
#include <array>
#include <utility>

#include "wave.h"

namespace aaco::amd {
namespace {

bool reads(const Instruction& instruction, int vector_register) {
  for (int i = instruction.reads_output ? 0 : instruction.outputs; i < instruction.count; ++i) {
    const Operand& operand = instruction.operands[static_cast<std::size_t>(i)];
    if (operand.file == File::kVector && operand.index == vector_register) {
      return true;
    }
  }
  return false;
}

void run_in_order(Wave& wave, const Instruction& pair) {
  const Instruction& second = *pair.second;
  second.handler(wave, second);
  wave.staged = 0;
  second.second->handler(wave, *second.second);
}

// Each reads what the other writes.
void run_crossed(Wave& wave, const Instruction& pair) {
  const Instruction& one = *pair.second;
  const Instruction& two = *one.second;
  std::uint32_t* place = wave.registers(one.operands[0].index);
  std::array<std::uint32_t, kMaxLanes> before{};
  std::array<std::uint32_t, kMaxLanes> after{};
  std::copy_n(place, kMaxLanes, before.begin());
  one.handler(wave, one);
  wave.staged = 0;
  std::copy_n(place, kMaxLanes, after.begin());
  std::copy_n(before.begin(), kMaxLanes, place);
  two.handler(wave, two);
  std::copy_n(after.begin(), kMaxLanes, place);
}

}  // namespace

Instruction make_vopd(Instruction first, Instruction second) {
  Instruction pair;
  pair.unit = Unit::kVector;
  const bool second_reads_first = reads(second, first.operands[0].index);
  const bool first_reads_second = reads(first, second.operands[0].index);
  pair.handler = second_reads_first && first_reads_second ? run_crossed : run_in_order;
  if (second_reads_first && !first_reads_second) {
    std::swap(first, second);
  }
  first.second = std::make_unique<Instruction>(std::move(second));
  pair.second = std::make_unique<Instruction>(std::move(first));
  return pair;
}

}  // namespace aaco::amd
