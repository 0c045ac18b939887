// SPDX-License-Identifier: MIT
// Kernels of replayed graphs, by the ranges, modules and operators within which they were captured.
#pragma once

#include <cstdint>
#include <vector>

#include "kind/observation/observation_document.h"
#include "record/events/event_table.h"
#include "report/report_model.h"

namespace aaco {

struct CapturedPlace {
  StringId path = kEmptyString;
  uint64_t kernels = 0;
  int64_t total_ns = 0;
};
// The longest total first.
std::vector<CapturedPlace> captured_places(const EventTable& events);

namespace report {

// "900 of 1,000 named by where they were captured; ..."; nothing where no graph was replayed.
void add_captured_places(const ObservationDocument& document, const EventTable& events, Section& section);

}  // namespace report

}  // namespace aaco
