// SPDX-License-Identifier: MIT
// A kernel's instructions, each decoded when it is first reached, and kept from launch to launch.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "decode.h"
#include "machine.h"

namespace aaco::amd {

class Program {
 public:
  Program(KernelCode kernel, Architecture architecture)
      : kernel_(std::move(kernel)), architecture_(architecture), disassembler_(architecture) {}

  // Throws a Fault: see decode().
  const Instruction& at(std::uint64_t address) {
    const std::uint64_t place = (address - kernel_.entry) / 4;  // a place before the entry is a very large number
    if (place < decoded_.size() && decoded_[place] != nullptr && address % 4 == 0) {
      return *decoded_[place];
    }
    return decode_at(address);
  }

  // "kernel NAME at 0x1234: v_add_f32_e32 v0, v1, v2", for errors.
  std::string place_of(std::uint64_t address) const;

 private:
  const Instruction& decode_at(std::uint64_t address);

  KernelCode kernel_;
  Architecture architecture_;
  Disassembler disassembler_;
  std::vector<std::unique_ptr<Instruction>> decoded_;  // from the entry on, by word
  std::vector<std::unique_ptr<Instruction>> before_;   // functions that lie before it
};

// The program of this kernel that this thread decoded in an earlier launch, or a new one. Known by where the image
// lies, the entry and what the image holds: another code object at the same place is another program.
Program& program_of(const KernelCode& kernel, Architecture architecture);

// Adds one of its class.
void count(RunCounts& counts, Unit unit);

}  // namespace aaco::amd
