// SPDX-License-Identifier: MIT
// Long spans in which a device had nothing to do, and what its launching thread was in.
#pragma once

#include <vector>

#include "analysis/timeline/advice/advice_input.h"

namespace aaco {

// Of kLongIdle_ns and more, of each device by time.
std::vector<std::vector<LongIdle>> find_long_idles(const EventTable& events, const TraceSummary& summary);

// How much of the span the event covers.
int64_t overlap_ns(const EventTable& events, EventRow event, const Span& span);

// Whether the event is little more than the idle span: a frame that also launches work, such as the program itself,
// says nothing about why the device was idle.
bool is_of_the_idle(const EventTable& events, EventRow event, const Span& span);

// What prepares input, by its name: data loaders, transforms and image, sound and text processing of known libraries.
bool prepares_input(std::string_view name);

// The outermost such frame of the idle span; kNoEvent where there is none. PyTorch of 2021 has annotations among
// operators.
EventRow preparing_frame(const EventTable& events, const LongIdle& idle);

// The same of what compiles, tunes or captures: PyTorch's compiler, Triton, the recording of a graph.
EventRow compiling_frame(const EventTable& events, const LongIdle& idle);

// A call that launches kernels one by one: "hipLaunchKernel", "cuLaunchKernelEx".
bool launches_kernel(std::string_view call);

}  // namespace aaco
