// SPDX-License-Identifier: MIT
// The name of a JSON value, for headers that only declare what takes or gives one: json.h costs each file that includes
// it.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace aaco {

using Json = nlohmann::ordered_json;

}  // namespace aaco
