// SPDX-License-Identifier: MIT
// What a comparison takes of copies beside products: each variant of each direction.
#pragma once

#include <string>
#include <vector>

#include "kind/copy/copy_document.h"
#include "verdict/named_sample.h"

namespace aaco {

// Pure. Other devices, sizes or precisions are differences of configuration.
std::vector<NamedSample> samples_of(const CopyDocument& document);

// Errors: as of read_copy_document.
Result<std::vector<NamedSample>> copy_samples(const Json& document, const std::string& source);

}  // namespace aaco
