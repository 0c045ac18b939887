// SPDX-License-Identifier: MIT
// The kinds of rows that collectors record while work runs. A new kind is a file with the row and its RowSchema, and
// its name here: it then has a place in the recording, in the bundle (telemetry/<table>.parquet) and in the journals,
// and whatever collects may push it.
#pragma once

#include "record/gpu_process.h"
#include "record/gpu_sample.h"
#include "record/host/clock_pair.h"
#include "record/host/host_event_row.h"
#include "record/host/off_cpu_row.h"
#include "record/host/stack_row.h"
#include "record/plane_event.h"
#include "record/row_set.h"
#include "record/rows.h"
#include "record/scalar.h"

namespace aaco {

// clang-format off
using CollectedRows = RowSet<
    SystemRow,
    GpuSampleRow,
    GpuProcessRow,
    ClockPairRow,
    ScalarRow,
    PlaneEventRow,
    OffCpuRow,
    HostEventRow,
    StackRow>;
// clang-format on

}  // namespace aaco
