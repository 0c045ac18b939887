// SPDX-License-Identifier: MIT
// What an observation does not hold.
#pragma once

#include <string>

#include "kind/observation/observation_document.h"

namespace aaco {

// "5,940 of 6,000 events were lost, recording stopped after 0.3 s of 1.2 s"; empty where nothing is known to be
// missing.
std::string gaps_text(const ObservationDocument& document);
// Why there are no records of a process at all.
std::string nothing_text(const ObservationDocument& document);

}  // namespace aaco
