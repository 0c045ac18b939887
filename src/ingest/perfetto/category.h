// SPDX-License-Identifier: MIT
// Categories of rocprofv3's and rocprof-sys's Perfetto traces as kinds of events.
#pragma once

#include <optional>
#include <string_view>

#include "record/events/event_table.h"

namespace aaco::perfetto {

// Those of Kineto too; none where it is not known.
std::optional<EventKind> kind_of_perfetto_category(std::string_view category);

}  // namespace aaco::perfetto
