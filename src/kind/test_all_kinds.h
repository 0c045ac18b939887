// SPDX-License-Identifier: MIT
// Makes a test program know all kinds of sessions before its first test. One file of each such program includes it.
#pragma once

#include "kind/all_kinds.h"

namespace aaco {

inline const bool kAllKindsKnown = [] {
  use_all_kinds();
  return true;
}();

}  // namespace aaco
