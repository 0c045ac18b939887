// SPDX-License-Identifier: MIT
// Options that say what would hold without them: a run that writes a default out does the same work.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace aaco {

// Of a session entry ("session.set_denormal_as_zero"), or an option of the provider by the provider's own name. False
// for one that is not in the table: then it counts as an option that was set.
bool is_default_option(std::string_view provider, std::string_view key, std::string_view value);

// The options of a run that are not at their default, of provider and session together.
std::map<std::string, std::string> options_set(std::string_view provider,
                                               const std::map<std::string, std::string>& provider_options,
                                               const std::map<std::string, std::string>& session_entries);

}  // namespace aaco
