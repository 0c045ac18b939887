// SPDX-License-Identifier: MIT
// What a run of a model says in six lines.
#pragma once

#include "analysis/model_run/results.h"
#include "record/recording.h"
#include "report/headline/headline.h"

namespace aaco::report {

// `status_reason`: why the session did not end well; empty where it did.
Headline run_headline(const Recording& recording, const Analysis& analysis, const std::string& status_reason);

}  // namespace aaco::report
