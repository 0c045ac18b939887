// SPDX-License-Identifier: MIT
// How what is wrong with words of the command line leaves the parser: it is no std::exception, since the parser puts
// words of its own in place of those.
#pragma once

#include "base/result.h"

namespace aaco::cli {

struct RefusedWords {
  Error error;
};

}  // namespace aaco::cli
