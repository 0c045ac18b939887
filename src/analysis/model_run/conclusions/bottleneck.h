// SPDX-License-Identifier: MIT
// From signals to a class. A class's score is the weighted sum of the strengths of its signals with data over the
// weights of all of its signals, so that what was not measured never counts for it.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "analysis/model_run/results.h"

namespace aaco {

// Those that have signals; of a run on processors kCopyBound has none. Ties go to the earlier.
inline constexpr std::array kBottleneckClasses{BottleneckClass::kLaunchBound, BottleneckClass::kCpuBound,
                                               BottleneckClass::kMemoryBound, BottleneckClass::kComputeBound,
                                               BottleneckClass::kThrottling,  BottleneckClass::kQuotaBound,
                                               BottleneckClass::kCopyBound};

// Below any of these the class is undetermined: share of the leading class's signals (by weight) that had data, its
// score, its lead over the runner-up.
inline constexpr double kFewestCoverage = 0.50;
inline constexpr double kLeastScore = 0.40;
inline constexpr double kLeastLead = 0.15;

// A signal of at least this weight is the one that its class is about. With its strength below the second the class is
// undetermined too: what else speaks for a class must not name it alone. Of the runs whose limit is known
// (bench/results) all but one of those that are named rightly have 0.28 and more there; that one has 0.24.
inline constexpr double kMainWeight = 0.40;
inline constexpr double kLeastMainStrength = 0.25;

// Of the classes that `signals` are of, at least two.
Bottleneck classify(std::vector<Signal> signals);

// For people: "cpu-bound" is read as busy with arithmetic, and means the opposite: "kept off the processors
// (cpu-bound)"; "quota-bound" is "stopped by a CPU quota (quota-bound)". Other classes are called as they are.
std::string bottleneck_words(BottleneckClass bottleneck_class);

// The signals that speak for the leading class, strongest contribution (weight times strength) first.
std::vector<const Signal*> top_evidence(const Bottleneck& bottleneck);

}  // namespace aaco
