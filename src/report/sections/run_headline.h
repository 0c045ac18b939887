// SPDX-License-Identifier: MIT
// What a run of a model says in six lines.
#pragma once

#include <string>
#include <vector>

#include "analysis/model_run/results.h"
#include "record/recording.h"
#include "report/headline/headline.h"

namespace aaco::report {

// `command_line`: that of the session. `status_reason`: why it did not end well; empty where it did.
Headline run_headline(const Recording& recording, const Analysis& analysis,
                      const std::vector<std::string>& command_line, const std::string& status_reason);

}  // namespace aaco::report
