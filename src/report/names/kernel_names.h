// SPDX-License-Identifier: MIT
// Names of kernels as an expert reads them: what a C++ signature or a matrix library's name says of the work (functor,
// tile, data type), without namespaces, arguments and the machinery of templates.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/report_model.h"

namespace aaco::report {

inline constexpr size_t kLongestKernel = 56;  // characters

// Names that are no signature stay as they are, but for being cut in the middle.
std::string short_kernel_name(std::string_view name);
// The same of each; of different names no two are the same.
std::vector<std::string> short_kernel_names(const std::vector<std::string>& names);

// In columns of kernels people read the short form; the whole name stays in the cell.
void shorten_kernels(TableBlock& table);

}  // namespace aaco::report
