// SPDX-License-Identifier: MIT
// The identity of a tensor's values, however they were given: type, dimensions and elements.
#pragma once

#include <string>

#include "model/tensor.h"

namespace aaco {

// SHA-256, lower-case hex; the name does not count.
std::string hash_of_values(const HostTensor& tensor);

}  // namespace aaco
