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
  PortInfo port_info;
  port_info.name = name;
  port_info.type = type;
  port_info.dims = std::move(dims);
  port_info.dim_names = std::move(dim_names);
  port_info.dim_names.resize(port_info.dims.size());
  return port_info;
}

}  // namespace aaco::test
