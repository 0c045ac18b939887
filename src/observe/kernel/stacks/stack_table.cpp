// SPDX-License-Identifier: MIT
#include "observe/kernel/stacks/stack_table.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace aaco {

namespace {

// Frames of the observer itself, innermost: the program and what the kernel called it by.
bool is_observers(std::string_view name) {
  return std::ranges::any_of(std::initializer_list<std::string_view>{"bpf_", "__bpf_", "__traceiter_", "perf_"},
                             [&](std::string_view start) { return name.starts_with(start); });
}

// What calls a thread's first function, so that a stack that reaches it is whole.
bool starts_a_thread(const CodePlace& place, std::string_view name) {
  const std::string file = std::filesystem::path(place.path).filename().string();
  return name == "_start" || name == "main" || file.starts_with("libc.so") || file.starts_with("libc-") ||
         file.starts_with("libpthread") || file.starts_with("ld-linux");
}

std::string joined_outermost_first(std::vector<std::string> frames) {
  std::ranges::reverse(frames);
  return fmt::format("{}", fmt::join(frames, ";"));
}

}  // namespace

std::optional<int64_t> StackTable::number(int64_t process, std::span<const uint64_t> kernel,
                                          std::span<const uint64_t> user) {
  if (kernel.empty() && user.empty()) {
    return std::nullopt;
  }
  const auto [place, is_new] = numbers_.try_emplace(
      Key{process, {{kernel.begin(), kernel.end()}, {user.begin(), user.end()}}}, static_cast<int64_t>(stacks_.size()));
  if (is_new) {
    Stack stack{{kernel.begin(), kernel.end()}, {}, false};
    for (const uint64_t address : user) {
      // All but the innermost are addresses that calls return to: the call itself lies before.
      const uint64_t inside = address == user.front() ? address : address - 1;
      if (std::optional<CodePlace> code = code_.place(process, inside)) {
        stack.user.push_back(std::move(*code));
      } else {
        stack.has_wild_frame = true;
        break;  // what follows was read by a pointer that is none
      }
    }
    stacks_.push_back(std::move(stack));
  }
  return place->second;
}

void StackTable::read_kernel_names() { symbols_ = std::make_unique<KernelSymbols>(); }

std::vector<StackRow> StackTable::new_rows() {
  std::vector<StackRow> rows;
  if (given_ < stacks_.size() && !symbols_) {
    read_kernel_names();
  }
  for (; given_ < stacks_.size(); ++given_) {
    rows.push_back(row_of(given_));
  }
  return rows;
}

StackRow StackTable::row_of(size_t number) {
  const Stack& stack = stacks_[number];
  StackRow row;
  row.stack = static_cast<int64_t>(number);
  std::vector<std::string> unread;
  std::vector<std::string> kernel;
  if (symbols_->unread().empty()) {
    for (const uint64_t address : stack.kernel) {
      std::string name = symbols_->name_at(address);
      if (!kernel.empty() || !is_observers(name)) {
        kernel.push_back(std::move(name));
      }
    }
  } else if (!stack.kernel.empty()) {
    unread.push_back(symbols_->unread());
  }
  std::vector<std::string> user;
  for (const CodePlace& place : stack.user) {
    user.push_back(code_.name(place));
  }
  if (user.empty()) {
    unread.emplace_back(stack.has_wild_frame ? "user stack: the process had ended, or runs code of no file"
                                             : "user stack: not there");
  } else if (stack.has_wild_frame || user.size() == 1 || !starts_a_thread(stack.user.back(), user.back())) {
    unread.push_back(fmt::format("user stack: no frame pointers above {}", user.back()));
  }
  if (std::ranges::any_of(user, [](std::string_view name) { return name.starts_with("_PyEval_"); })) {
    unread.emplace_back("Python functions are not read");
  }
  row.kernel_frames = joined_outermost_first(std::move(kernel));
  row.user_frames = joined_outermost_first(std::move(user));
  if (!unread.empty()) {
    row.unread = fmt::format("{}", fmt::join(unread, "; "));
  }
  return row;
}

}  // namespace aaco
