// SPDX-License-Identifier: MIT
// For tests: the one way to skip. scripts/ctest_counts reads the line that is printed; tests/skip_reasons.txt lists the
// reasons for which a test may skip where nothing should.
#pragma once

#include <gtest/gtest.h>

#define AACO_SKIP(reason) GTEST_SKIP() << "skipped: " << (reason)
