// SPDX-License-Identifier: MIT
#include "analysis/host/wait_place.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace aaco {

namespace {

struct Mark {
  std::string_view part;  // of a function's name
  WaitClass kind;
};

// In the order in which they count: a fault on a file's page waits in I/O, and the fault is what the program did.
constexpr std::array kMarks{
    Mark{"page_fault", WaitClass::kPageFault},
    Mark{"mm_fault", WaitClass::kPageFault},
    Mark{"do_user_addr_fault", WaitClass::kPageFault},
    Mark{"futex", WaitClass::kLock},
    Mark{"io_schedule", WaitClass::kIo},
    Mark{"folio_wait", WaitClass::kIo},
    Mark{"blk_", WaitClass::kIo},
    Mark{"submit_bio_wait", WaitClass::kIo},
    Mark{"vfs_fsync", WaitClass::kIo},
    Mark{"nanosleep", WaitClass::kTimer},
    Mark{"pipe_", WaitClass::kPipe},
    Mark{"unix_stream", WaitClass::kSocket},
    Mark{"sk_wait_data", WaitClass::kSocket},
    Mark{"tcp_", WaitClass::kSocket},
    Mark{"ep_poll", WaitClass::kPoll},
    Mark{"do_sys_poll", WaitClass::kPoll},
    Mark{"do_select", WaitClass::kPoll},
    Mark{"dma_fence", WaitClass::kDevice},
    Mark{"nvidia", WaitClass::kDevice},
    Mark{"amdgpu", WaitClass::kDevice},
    Mark{"kfd_", WaitClass::kDevice},
    Mark{"drm_", WaitClass::kDevice},
};

// What every thread that waits is in at the end, and so tells nothing.
bool is_scheduler(std::string_view function) {
  return function.empty() || function.find("schedule") != std::string_view::npos ||
         function.starts_with("__traceiter") || function.starts_with("bpf_") || function.starts_with("trace_");
}

}  // namespace

WaitPlace wait_place(std::string_view kernel_frames) {
  WaitPlace place;
  for (const Mark& mark : kMarks) {
    if (kernel_frames.find(mark.part) != std::string_view::npos) {
      place.kind = mark.kind;
      break;
    }
  }
  for (std::string_view rest = kernel_frames; !rest.empty() && place.function.empty();) {
    const size_t border = rest.rfind(';');
    const std::string_view function = border == std::string_view::npos ? rest : rest.substr(border + 1);
    if (!is_scheduler(function)) {
      place.function = function;
    }
    rest = border == std::string_view::npos ? std::string_view() : rest.substr(0, border);
  }
  return place;
}

std::string wait_text(const WaitPlace& place) {
  if (place.function.empty()) {
    return "not known: no stack";
  }
  return place.kind == WaitClass::kUnknown ? place.function
                                           : fmt::format("{} ({})", word_of(place.kind), place.function);
}

StackIndex::StackIndex(const std::vector<StackRow>& rows) {
  for (const StackRow& row : rows) {
    rows_.emplace(row.stack, &row);
  }
}

const StackRow* StackIndex::find(std::optional<int64_t> stack) const {
  const auto at = stack ? rows_.find(*stack) : rows_.end();
  return at == rows_.end() ? nullptr : at->second;
}

WaitPlace StackIndex::place(std::optional<int64_t> stack) const {
  const StackRow* const row = find(stack);
  return row == nullptr ? WaitPlace() : wait_place(row->kernel_frames);
}

}  // namespace aaco
