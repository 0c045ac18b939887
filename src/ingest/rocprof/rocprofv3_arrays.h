// SPDX-License-Identifier: MIT
// What the records of each array in rocprofv3's results.json are. Besides their own members they have three columns
// that the reader adds: "array", "pid" and "device".
#pragma once

#include <string_view>

#include "ingest/table/table_kind.h"

namespace aaco {

// Of an array that is not known: the one without an id.
const TableKind& rocprofv3_array(std::string_view array);

}  // namespace aaco
