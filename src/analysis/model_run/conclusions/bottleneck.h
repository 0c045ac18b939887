// SPDX-License-Identifier: MIT
// From signals to a class. A class's score is the weighted sum of the strengths of its signals with data over the
// weights of all of its signals, so that what was not measured never counts for it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"

namespace aaco {

// Those that have signals. Ties go to the earlier.
inline constexpr std::array kBottleneckClasses{BottleneckClass::kLaunchBound, BottleneckClass::kCpuBound,
                                               BottleneckClass::kMemoryBound, BottleneckClass::kComputeBound,
                                               BottleneckClass::kThrottling,  BottleneckClass::kQuotaBound};

// Below any of these the class is undetermined: share of the leading class's signals (by weight) that had data, its
// score, its lead over the runner-up.
inline constexpr double kFewestCoverage = 0.50;
inline constexpr double kLeastScore = 0.40;
inline constexpr double kLeastLead = 0.15;

Bottleneck classify(std::vector<Signal> signals);

// For people: "cpu-bound" is read as busy with arithmetic, and means the opposite: "kept off the processors
// (cpu-bound)"; "quota-bound" is "stopped by a CPU quota (quota-bound)". Other classes are called as they are.
std::string bottleneck_words(BottleneckClass bottleneck_class);

// The signals that speak for the leading class, strongest contribution (weight times strength) first.
std::vector<const Signal*> top_evidence(const Bottleneck& bottleneck);

}  // namespace aaco
