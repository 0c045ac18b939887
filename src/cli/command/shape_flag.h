// SPDX-License-Identifier: MIT
// --shape NAME=1x3x48x192: shapes of a model's inputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

// Whether `word` is one such shape or several with commas between them. The sizes stand behind the last "=" or ":" (as
// trtexec writes it), so that a name may hold either.
bool is_shape(const std::string& word);

// Of an input named twice, the last. Errors: kUsage for a word that is none.
Result<std::map<std::string, std::vector<int64_t>>> shapes_of(const std::vector<std::string>& words);

}  // namespace aaco
