// SPDX-License-Identifier: MIT
// The kinds of rows that collectors record while work runs. A new kind is a file with the row and its RowSchema, and
// its name here: it then has a place in the recording, in the bundle (telemetry/<table>.parquet) and in the journals,
// and whatever collects may push it.
#pragma once

#include "trace/gpu_sample.h"
#include "trace/plane_event.h"
#include "trace/row_set.h"
#include "trace/rows.h"
#include "trace/scalar.h"

namespace aaco {

// clang-format off
using CollectedRows = RowSet<
    SystemRow,
    GpuSampleRow,
    ScalarRow,
    PlaneEventRow>;
// clang-format on

}  // namespace aaco
