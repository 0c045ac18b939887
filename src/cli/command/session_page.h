// SPDX-License-Identifier: MIT
// The page that every command which measures leaves in its session.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace aaco {

// Writes report/report.html and its plots into the session, and gives its path; "" for a command that made no session.
// Errors: those of opening a session and of writing.
Result<std::filesystem::path> write_session_page(const std::filesystem::path& bundle);

// "report  PATH", the last line that a command prints; "" without a page.
std::string page_line(const std::filesystem::path& page);

}  // namespace aaco
