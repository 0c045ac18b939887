// SPDX-License-Identifier: MIT
// The dynamic symbols of an ELF file, without trust in what it says.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace aaco {

enum class ElfMachine : uint8_t { kX86_64, k32Bit, kOther };

struct ElfSymbol {
  std::string name;
  uint64_t address = 0;  // as the file was linked
  uint64_t bytes = 0;
};

struct ElfFile {
  ElfMachine machine = ElfMachine::kOther;
  bool has_interpreter = false;   // a program without one is static
  uint64_t linked_at = 0;         // address of the first loaded byte, its page
  std::vector<ElfSymbol> wanted;  // functions that it defines, of the names that were asked for

  const ElfSymbol* find(std::string_view name) const;
};

// Of symbols with several versions the one that new programs get. Errors: kUsage for a file that cannot be read or is
// no ELF file.
Result<ElfFile> read_elf(const std::filesystem::path& path, const std::vector<std::string_view>& names);

}  // namespace aaco
