// SPDX-License-Identifier: MIT
// An input of a model, for tests.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/tensor.h"

namespace aaco::test {

inline PortInfo port(const std::string& name, ElementType type, std::vector<int64_t> dims,
                     std::vector<std::string> dim_names = {}) {
  PortInfo made;
  made.name = name;
  made.type = type;
  made.dims = std::move(dims);
  made.dim_names = std::move(dim_names);
  made.dim_names.resize(made.dims.size());
  return made;
}

}  // namespace aaco::test
