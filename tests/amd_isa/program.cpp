// SPDX-License-Identifier: MIT
#include "program.h"

#include <algorithm>

#include "wave.h"

namespace aaco::amd {

const Instruction& Program::decode_at(std::uint64_t address) {
  auto made = std::make_unique<Instruction>(decode(disassembler_, architecture_, kernel_.image, address));
  if (address < kernel_.entry) {
    for (const auto& known : before_) {
      if (known->address == address) {
        return *known;
      }
    }
    before_.push_back(std::move(made));
    return *before_.back();
  }
  const std::uint64_t place = (address - kernel_.entry) / 4;
  if (place >= decoded_.size()) {
    decoded_.resize(std::max<std::size_t>(place + 1, decoded_.size() * 2));
  }
  decoded_[place] = std::move(made);
  return *decoded_[place];
}

std::string Program::place_of(std::uint64_t address) const {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
  std::string instruction;
  if (address % 4 == 0 && address < kernel_.image.size()) {
    instruction = disassembler_.at(kernel_.image.subspan(address)).text;
  }
  std::replace(instruction.begin(), instruction.end(), '\t', ' ');
  return "kernel " + kernel_.name + " (" + kernel_.architecture + ") at " + text + ": " + instruction;
}

StaticCounts count_instructions(const KernelCode& kernel, std::uint64_t bytes) {
  StaticCounts result;
  const auto architecture = architecture_of(kernel.architecture);
  if (!architecture) {
    result.error = "architecture " + kernel.architecture + " is neither gfx942 nor gfx1100";
    return result;
  }
  const Disassembler disassembler(*architecture);
  const std::uint64_t end = std::min<std::uint64_t>(kernel.entry + bytes, kernel.image.size());
  for (std::uint64_t at = kernel.entry; at < end;) {
    const Disassembly found = disassembler.at(kernel.image.subspan(at, end - at));
    if (found.bytes == 0) {
      result.error = Program(kernel, *architecture).place_of(at) + "these bytes are no instruction";
      return result;
    }
    const std::string mnemonic = found.text.substr(0, found.text.find_first_of(" \t"));
    const bool pair = mnemonic.starts_with("v_dual_");
    const Opcode* opcode = find_opcode(*architecture, pair ? "v_" + mnemonic.substr(7) : mnemonic);
    if (opcode != nullptr) {
      count(result.counts, opcode->unit);
    } else if (std::find(result.unknown.begin(), result.unknown.end(), mnemonic) == result.unknown.end()) {
      result.unknown.push_back(mnemonic);
    }
    at += found.bytes;
  }
  return result;
}

void count(RunCounts& counts, Unit unit) {
  switch (unit) {
    case Unit::kVector:
      ++counts.valu;
      break;
    case Unit::kMatrix:
      ++counts.mfma;
      break;
    case Unit::kLds:
      ++counts.lds;
      break;
    case Unit::kMemory:
      ++counts.memory;
      break;
    case Unit::kScratch:
      ++counts.scratch;
      break;
    case Unit::kBarrier:
      ++counts.barriers;
      break;
    case Unit::kScalar:
    case Unit::kEnd:
      ++counts.salu;
      break;
  }
}

}  // namespace aaco::amd
