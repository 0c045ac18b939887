// SPDX-License-Identifier: MIT
// The trees of configs/classifier/limits.trees; the build makes the file that defines them.
#pragma once

#include <cstddef>

namespace aaco {

extern const unsigned char kTrainedTrees[];
extern const size_t kTrainedTreesBytes;

}  // namespace aaco
