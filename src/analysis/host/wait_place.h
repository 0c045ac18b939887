// SPDX-License-Identifier: MIT
// What a thread waited in, by the functions of the kernel on its stack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text/enum_words.h"
#include "record/collected_rows.h"

namespace aaco {

enum class WaitClass : uint8_t {
  kUnknown,  // no stack, or none of the functions below
  kPageFault,
  kLock,   // futex: a mutex, a condition variable, a join
  kIo,     // a file or a block device
  kTimer,  // the thread asked to sleep
  kPoll,
  kPipe,
  kSocket,
  kDevice,  // a call of a device's driver
};
template <>
inline constexpr EnumWords<WaitClass, 9> kWordsOf<WaitClass>{
    {"", "page fault", "lock", "I/O", "timer", "poll", "pipe", "socket", "device driver"}};

struct WaitPlace {
  WaitClass kind = WaitClass::kUnknown;
  std::string function;  // of the kernel, the innermost that is no part of the scheduler; empty without a stack
};

// "outermost;...;innermost", as StackRow holds it.
WaitPlace wait_place(std::string_view kernel_frames);

// "lock (futex_wait)", "I/O (io_schedule)", "wait_woken", "not known: no stack".
std::string wait_text(const WaitPlace& place);

// Stacks by their number.
class StackIndex {
 public:
  explicit StackIndex(const std::vector<StackRow>& rows);
  const StackRow* find(std::optional<int64_t> stack) const;  // null where there is none
  WaitPlace place(std::optional<int64_t> stack) const;

 private:
  std::unordered_map<int64_t, const StackRow*> rows_;
};

}  // namespace aaco
