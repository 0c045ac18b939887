// SPDX-License-Identifier: MIT
// Stacks that rows refer to, each once. Files are tied to addresses when a stack comes, names to both at the end.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "observe/kernel/stacks/process_code.h"
#include "record/host/stack_row.h"

namespace aaco {

class StackTable {
 public:
  // The number of a stack; frames innermost first. None where there is no frame.
  std::optional<int64_t> number(int64_t process, std::span<const uint64_t> kernel, std::span<const uint64_t> user);
  // With names, in the order of their numbers. Reads the kernel's names.
  std::vector<StackRow> rows();

 private:
  struct Stack {
    std::vector<uint64_t> kernel;
    std::vector<CodePlace> user;
    bool has_wild_frame = false;  // the chain of frame pointers led out of the code
  };
  using Key = std::pair<int64_t, std::pair<std::vector<uint64_t>, std::vector<uint64_t>>>;

  ProcessCode code_;
  std::map<Key, int64_t> numbers_;
  std::vector<Stack> stacks_;
};

}  // namespace aaco
