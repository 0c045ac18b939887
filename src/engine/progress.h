// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

namespace aaco {

// Told while a run goes on: what is being done, and how far it is (0 to 1).
using ProgressCallback = std::function<void(const std::string& what, double fraction)>;

}  // namespace aaco
