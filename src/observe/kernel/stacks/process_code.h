// SPDX-License-Identifier: MIT
// Which file and function an address of a process belongs to. Where files lie in memory is read while the process
// lives; names are looked up when they are asked for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/attach/elf_functions.h"
#include "base/attach/process_maps.h"

namespace aaco {

// A byte of a file that a process had mapped to execute it.
struct CodePlace {
  std::string path;  // empty: memory without a file (a compiler's output at run time)
  uint64_t offset = 0;
};

class ProcessCode {
 public:
  explicit ProcessCode(std::filesystem::path proc = "/proc") : proc_(std::move(proc)) {}

  // None: the address is not code of the process, or the process had ended before its files were read.
  std::optional<CodePlace> place(int64_t process, uint64_t address);
  // "main", "libc.so.6+0x1234" where no function is known, "[no file]".
  std::string name(const CodePlace& place);

 private:
  struct Maps {
    std::vector<Mapping> mappings;
    int64_t read_at_ns = 0;
  };
  std::filesystem::path proc_;
  std::map<int64_t, Maps> maps_;
  std::map<std::string, std::unique_ptr<ElfFunctions>> files_;
};

}  // namespace aaco
