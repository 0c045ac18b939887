// SPDX-License-Identifier: MIT
// One table of a session for SQL that has what every plane recorded, on session time: iterations, nodes and kernels,
// events of a device or a trace, what the kernel did with threads, and samples.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "record/table.h"

namespace aaco {

inline constexpr const char* kTimelineView = "timeline";

// Its columns, for docs/data_schema.md.
std::vector<ColumnInfo> timeline_columns();

// A SELECT over those of its tables that are there; empty where none is. A table of an earlier version that lacks a
// column has null there.
std::string timeline_select(const std::function<bool(std::string_view)>& has_table);

}  // namespace aaco
