// SPDX-License-Identifier: MIT
// What a comparison takes of a document of `aaco queue` (a run, or a sweep): the time per unit of work of each
// configuration.
#pragma once

#include <string>
#include <vector>

#include "base/json/json_fwd.h"
#include "base/result.h"
#include "verdict/named_sample.h"

namespace aaco {

// The runs of a document. Errors: kUsage naming `source` for what is no such document, or holds what no run can give.
Result<std::vector<NamedSample>> queue_samples(const Json& document, const std::string& source);

}  // namespace aaco
