// SPDX-License-Identifier: MIT
// Stacks that rows refer to, each once. Files are tied to addresses when a stack comes, names to both later.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "observe/kernel/stacks/kernel_symbols.h"
#include "observe/kernel/stacks/process_code.h"
#include "record/host/stack_row.h"

namespace aaco {

class StackTable {
 public:
  // The number of a stack; frames innermost first. None where there is no frame.
  std::optional<int64_t> number(int64_t process, std::span<const uint64_t> kernel, std::span<const uint64_t> user);
  // Takes some 50 ms: before anything is measured. Otherwise new_rows() does it when the first stack has come.
  void read_kernel_names();
  // Those that came since the last call, with names, in the order of their numbers.
  std::vector<StackRow> new_rows();

 private:
  struct Stack {
    std::vector<uint64_t> kernel;
    std::vector<CodePlace> user;
    bool has_wild_frame = false;  // the chain of frame pointers led out of the code
  };
  using Key = std::pair<int64_t, std::pair<std::vector<uint64_t>, std::vector<uint64_t>>>;

  StackRow row_of(size_t stack);

  ProcessCode code_;
  std::unique_ptr<KernelSymbols> symbols_;
  size_t given_ = 0;  // stacks that new_rows() gave already
  std::map<Key, int64_t> numbers_;
  std::vector<Stack> stacks_;
};

}  // namespace aaco
