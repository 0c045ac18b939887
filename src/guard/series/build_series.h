// SPDX-License-Identifier: MIT
// What `aaco guard series` looks at: the builds of a subject in order, each with the values of its processes.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "guard/store/series.h"

namespace aaco {

struct SeriesBuild {
  std::string label;  // a commit, a build's number, or a recording's id
  std::vector<double> values;
};

struct BuildSeries {
  std::string title;  // "resnet50 median (cpu, machine)", or the file
  std::string unit;   // "" where it is not known
  std::vector<SeriesBuild> builds;
  std::vector<std::string> warnings;  // of what is read all the same
};

// Columns `build` and `value` of a CSV file with a header, in any place; builds in the order in which they come first.
// Errors: kUsage where it cannot be read, has no such columns or no row, or a row has other columns than the header or
// no number that can have been measured. Values that are not positive are read, with a warning.
Result<BuildSeries> read_builds(const std::filesystem::path& file);

// Valid recordings of the store. Recordings of one commit that follow each other are one build.
BuildSeries builds_of(const Series& series);

}  // namespace aaco
