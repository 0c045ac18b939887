// SPDX-License-Identifier: MIT
#include "program.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <span>
#include <tuple>

#include "wave.h"

namespace aaco::amd {

namespace {

// Registers that the descriptor has the device provide: rsrc1 5:0 counts eights of them; on gfx942 the accumulation
// registers are those from rsrc3 5:0, which counts fours, on.
struct RegisterCounts {
  int vectors;
  int accumulators;
};

RegisterCounts counts_of(const KernelCode& kernel, Architecture architecture) {
  const int all = static_cast<int>((kernel.rsrc1 & 63U) + 1) * 8;
  if (architecture == Architecture::kGfx1100) {
    return {all, 0};
  }
  const int first = static_cast<int>((kernel.rsrc3 & 63U) + 1) * 4;
  return {std::min(all, first), std::max(all - first, 0)};
}

void check_registers(const Instruction& instruction, const RegisterCounts& counts) {
  for (const Instruction* part = &instruction; part != nullptr; part = part->second.get()) {
    for (int i = 0; i < part->count; ++i) {
      const Operand& operand = part->operands[static_cast<std::size_t>(i)];
      const bool accumulator = operand.index >= kAccumulators;
      const int end = operand.index + operand.words - (accumulator ? kAccumulators : 0);
      if (operand.file == File::kVector && end > (accumulator ? counts.accumulators : counts.vectors)) {
        throw Fault{std::string(accumulator ? "a" : "v") + std::to_string(end - 1) + " of " +
                    std::to_string(accumulator ? counts.accumulators : counts.vectors) +
                    " registers that the descriptor provides"};
      }
    }
  }
}

}  // namespace

const Instruction& Program::decode_at(std::uint64_t address) {
  auto made = std::make_unique<Instruction>(decode(disassembler_, architecture_, kernel_.image, address));
  check_registers(*made, counts_of(kernel_, architecture_));
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

namespace {

constexpr std::size_t kKept = 48;  // programs of a thread; beyond, all are decoded again

struct Key {
  const std::byte* image;
  std::uint64_t entry;
  std::uint64_t content;
  bool operator<(const Key& other) const {
    return std::tie(image, entry, content) < std::tie(other.image, other.entry, other.content);
  }
};

std::uint64_t content_of(std::span<const std::byte> image) {
  std::uint64_t mixed = image.size();
  for (std::size_t at = 0; at + 8 <= image.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, image.data() + at, 8);
    mixed = std::rotl(mixed ^ word, 29) * 0x9e37'79b9'7f4a'7c15U;
  }
  return mixed;
}

}  // namespace

Program& program_of(const KernelCode& kernel, Architecture architecture) {
  thread_local std::map<Key, std::unique_ptr<Program>> programs;
  const Key key{kernel.image.data(), kernel.entry, content_of(kernel.image)};
  const auto found = programs.find(key);
  if (found != programs.end()) {
    return *found->second;
  }
  if (programs.size() >= kKept) {
    programs.clear();
  }
  return *programs.emplace(key, std::make_unique<Program>(kernel, architecture)).first->second;
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
