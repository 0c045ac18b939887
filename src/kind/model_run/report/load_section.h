// SPDX-License-Identifier: MIT
// Requests that arrived by a schedule: what their users waited, and whether the queue grows.
#pragma once

#include "kind/model_run/load/run_load.h"
#include "record/recording.h"
#include "report/headline/headline.h"
#include "report/report_model.h"

namespace aaco::report {

// Figures alone, those that the run can have.
TableBlock load_table(const RunLoad& load);
// What users waited for in the place of the time that serving takes, or that the run is saturated.
void put_load(const RunFacts& facts, const RunLoad& load, Headline& headline);
// From a request's start to its end: latency under load counts from its arrival.
inline constexpr const char* kServiceTime = "Service time";
// With the queue over time.
Section load_section(const RunLoad& load);

}  // namespace aaco::report
