// SPDX-License-Identifier: MIT
// What `aaco overlap copy` is asked for, completed.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "kind/copy/copy_document.h"

namespace aaco {

// Sizes that are 0 become the device's, and directions are those that the devices have. Errors: kUsage.
Result<CopyRequest> complete_copy_request(CopyRequest request, const std::vector<std::string>& directions);

}  // namespace aaco
