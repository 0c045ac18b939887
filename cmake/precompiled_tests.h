// SPDX-License-Identifier: MIT
// Compiled once for all test programs (Library.cmake).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "precompiled.h"
