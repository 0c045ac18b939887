// SPDX-License-Identifier: MIT
// What is known of a GPU without its trace: of its architecture and of its model, each with its source.
#pragma once

#include <span>
#include <string_view>

#include "analysis/counters/quantities.h"

namespace aaco {

struct KnownQuantity {
  CounterArchitecture architecture;
  std::string_view model;  // part of its name, whatever the case; empty: of all of the architecture
  std::string_view quantity;
  double value;
  std::string_view source;
};

// Lines of a model come before those of its architecture, longer names before their parts.
std::span<const KnownQuantity> known_quantities();

CounterArchitecture architecture_of_gfx(std::string_view gfx);

}  // namespace aaco
