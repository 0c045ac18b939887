// SPDX-License-Identifier: MIT
// Names of the files of a store, which tell when they begin: those alone are removed when they are old.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace aaco {

// "gpu_samples-20261128T020000Z.parquet"; with a number above 0 "gpu_samples-20261128T020000Z-1.parquet".
std::string stretch_name(std::string_view table, int64_t wall_ns, int number);

// Since 1970, to the second; none where it is no such name of one of these tables.
std::optional<int64_t> stretch_start_ns(std::string_view name, std::initializer_list<std::string_view> tables);

}  // namespace aaco
