// SPDX-License-Identifier: MIT
// A stack that rows of the host refer to; each is stored once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "record/table.h"

namespace aaco {

struct StackRow {
  int64_t stack = 0;
  std::string kernel_frames;
  std::string user_frames;
  std::optional<std::string> python_frames;
  std::optional<std::string> unread;
};

template <>
struct RowSchema<StackRow> {
  static constexpr const char* kName = "stacks";
  static constexpr const char* kMeaning = "stacks that off_cpu and host_events refer to, one row per stack";
  template <class R = StackRow>
  static auto columns() {
    return std::tuple{
        row_column("stack", &R::stack, "1", "number that other rows refer to"),
        row_column("kernel_frames", &R::kernel_frames, "", "functions of the kernel, outermost first, ; between them"),
        row_column("user_frames", &R::user_frames, "",
                   "of the program, likewise; file+0xOFFSET where no name is known"),
        row_column("python_frames", &R::python_frames, "", "of the Python interpreter; null where none was read"),
        row_column("unread", &R::unread, "", "what of the stack could not be read, and why; null: nothing")};
  }
};

}  // namespace aaco
