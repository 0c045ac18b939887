// SPDX-License-Identifier: MIT
#pragma once

namespace aaco {

// Of this program, "0.1.0". Its source is generated (cmake/version.cpp.in), so that a new version compiles one file.
const char* program_version();

}  // namespace aaco
