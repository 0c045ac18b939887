// SPDX-License-Identifier: MIT
// Which roofs `aaco trace report` holds operators against: configs/accelerators.yaml by the device's name, or what the
// command line names.
#pragma once

#include <string>

#include "cli/command.h"

#include "analysis/timeline/operators/operator_roofline.h"
#include "base/result.h"

namespace aaco {

struct TraceRoofFlags {
  std::string accelerator;  // a name of accelerators.yaml; "": the device's own
  std::string file;         // measured roofs; "": none
};

void add_roof_flags(cli::Command command, TraceRoofFlags& flags);

// Errors: kUsage for an accelerator that is not listed, and for a file that holds no roofs.
Result<RoofSources> load_roofs(const TraceRoofFlags& flags);

}  // namespace aaco
