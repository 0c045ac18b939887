// SPDX-License-Identifier: MIT
// Numbers written as the elements of a tensor of any type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "model/tensor.h"

namespace aaco {

// `tensor.data` has room for the element; types smaller than a byte share one, the first in its low end. The value is
// cut to the type.
void put_integer(HostTensor& tensor, size_t i, int64_t value);
// Rounded to the nearest; of 4 and 8 bits: a small positive number near the value.
void put_float(HostTensor& tensor, size_t i, double value);

// The least and greatest integer of a type; of other types those of int64.
int64_t least_of(ElementType type);
int64_t greatest_of(ElementType type);

// True where --input NAME=`text` names a file, false where it is the values themselves.
bool is_tensor_file_name(std::string_view text);

// A tensor of `type` and `dims` from "50" (every element) or "1,2,3" (one each); also true and false. Errors: kUsage,
// naming `input`, for a text that is neither, a number outside the type, another number of values.
Result<HostTensor> tensor_of_text(const std::string& input, std::string_view text, ElementType type,
                                  const std::vector<int64_t>& dims);
// How many values `text` has.
int64_t values_in_text(std::string_view text);

}  // namespace aaco
