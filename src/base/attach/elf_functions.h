// SPDX-License-Identifier: MIT
// Which function of an ELF file holds a byte of it, without trust in what the file says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace aaco {

class ElfFunctions {
 public:
  // Of its symbol table, or of its dynamic symbols where it was stripped. None of a file that cannot be read.
  explicit ElfFunctions(const std::filesystem::path& path);

  // Of the function that holds the byte at `offset` in the file, as the file has it (mangled); empty: none is known.
  std::string name_at(uint64_t offset) const;

 private:
  struct Segment {
    uint64_t offset = 0;
    uint64_t bytes = 0;
    uint64_t address = 0;
  };
  struct Function {
    uint64_t address = 0;
    uint64_t bytes = 0;
    std::string name;
  };
  std::vector<Segment> segments_;
  std::vector<Function> functions_;  // by address
};

}  // namespace aaco
