// SPDX-License-Identifier: MIT
// What a thread is called, as a record that is stored before the thread's first one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/device/activity_record.h"

namespace aaco::gpu {

struct ThreadName {
  std::string text;  // "pt_autograd_0 (4711)": many threads share a name
  ActivityRecord record;
};

// Of this process, at this moment; nothing where it has gone.
std::optional<ThreadName> name_of_thread(uint64_t thread);

}  // namespace aaco::gpu
