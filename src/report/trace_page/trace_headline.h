// SPDX-License-Identifier: MIT
// What a trace says in six lines.
#pragma once

#include "report/headline/headline.h"
#include "report/trace/sections.h"

namespace aaco::report {

Headline trace_headline(const TraceInput& input);

}  // namespace aaco::report
