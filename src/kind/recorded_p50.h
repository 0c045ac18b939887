// SPDX-License-Identifier: MIT
// The figure that stands for a session in a list.
#pragma once

#include <filesystem>
#include <optional>

#include "session/session_kind.h"

namespace aaco {

// In milliseconds. None where the session has no summary, or none of the phase that it is judged by.
std::optional<double> recorded_p50_ms(const std::filesystem::path& bundle, const SessionKind& session_kind);

}  // namespace aaco
