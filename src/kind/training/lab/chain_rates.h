// SPDX-License-Identifier: MIT
// How fast one core does multiply-adds of which each waits for the one before it, in one chain or in several beside
// each other: what the registers of a kernel are for.
#pragma once

#include <cstdint>
#include <vector>

namespace aaco {

struct ChainRate {
  int64_t chains = 0;
  double per_s = 0;  // multiply-adds of all chains: the best of several times
};

// Of 1, 2, 4, 8, 16 and 32 chains of 64-bit integers, which no compiler makes vectors of. Some 100 ms.
std::vector<ChainRate> measure_chain_rates();

}  // namespace aaco
