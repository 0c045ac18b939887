// SPDX-License-Identifier: MIT
// What a recording with pauses (`--budget`) keeps: whole steps of each span. A step is what repeats: a period of the
// kernels in the order of their launches. Where a span has none, all of it is kept, as a slice of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kind/observation/observation_document.h"
#include "record/events/event_table.h"

namespace aaco {

// The shortest period that the whole sequence repeats, at least three times; none where it does not.
std::optional<size_t> repeated_period(std::span<const StringId> names);

// `events`: of one recording. Each span becomes a recording of its own, so that no analysis takes a pause for idle
// time. What follows the last whole step of a span is left out, and counted in it.
// `distinct`: how many of the events are kept, a range that several spans have a part of once.
EventTable keep_whole_steps(EventTable events, std::vector<RecordedSpan>& spans, uint64_t* distinct = nullptr);

}  // namespace aaco
