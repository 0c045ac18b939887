// SPDX-License-Identifier: MIT
// Which roofs the operators of a trace are held against: configs/accelerators.yaml by the device's name, or what a user
// names.
#pragma once

#include <string>

#include "analysis/timeline/operators/operator_roofline.h"
#include "base/result.h"

namespace aaco::imports {

struct RoofRequest {
  std::string accelerator;  // a name of accelerators.yaml; "": the device's own
  std::string file;         // measured roofs; "": none
};

// Errors: kUsage for an accelerator that is not listed, and for a file that holds no roofs.
Result<RoofSources> load_roofs(const RoofRequest& request);

}  // namespace aaco::imports
