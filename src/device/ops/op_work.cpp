// SPDX-License-Identifier: MIT
#include "device/ops/op_work.h"

#include <array>

namespace aaco {

namespace {

struct OpEntry {
  const char* name;
  size_t size;
  OpWork (*work)(const void* args);
  void (*run)(const void* args);
};

template <class Args>
constexpr OpEntry entry_of(const char* name) {
  return {name, sizeof(Args), [](const void* args) { return work_of(*static_cast<const Args*>(args)); },
          [](const void* args) { run_on_cpu(*static_cast<const Args*>(args)); }};
}

#define AACO_OP_ENTRY(Name, text) entry_of<Name##Args>(text),
constexpr std::array<OpEntry, kOpCount> kOps{AACO_OPS(AACO_OP_ENTRY)};
#undef AACO_OP_ENTRY

}  // namespace

const char* name_of(OpId op) { return kOps[static_cast<uint32_t>(op)].name; }
size_t size_of_args(OpId op) { return kOps[static_cast<uint32_t>(op)].size; }
OpWork work_of(OpId op, const void* args) { return kOps[static_cast<uint32_t>(op)].work(args); }
void run_on_cpu(OpId op, const void* args) { kOps[static_cast<uint32_t>(op)].run(args); }

}  // namespace aaco
