// SPDX-License-Identifier: MIT
// A comparison for a terminal: the verdict first, then what it rests on.
#pragma once

#include <string>

#include "verdict/diff.h"

namespace aaco {

std::string diff_text(const Diff& diff);

}  // namespace aaco
