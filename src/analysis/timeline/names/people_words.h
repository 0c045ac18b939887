// SPDX-License-Identifier: MIT
// What people read in place of an id of an analysis: a cause of idle time, a kind of a critical path.
#pragma once

#include <string>
#include <string_view>

namespace aaco {

// Others with spaces for underscores.
std::string people_words(std::string_view id);

}  // namespace aaco
