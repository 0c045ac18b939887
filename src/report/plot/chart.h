// SPDX-License-Identifier: MIT
// What a plot shows, without how it is drawn: series, axes with units, intervals, annotations. svg.h draws it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace aaco::plot {

// How the numbers of an axis are written. kDuration: values are ns. kSi: an SI prefix before the unit. kPercent: values
// are fractions.
enum class Quantity { kNumber, kDuration, kSi, kPercent };

// NOLINTBEGIN(readability-redundant-member-init): GCC wants them where members are initialised by name
struct Axis {
  std::string title = {};
  Quantity quantity = Quantity::kNumber;
  std::string unit = {};
  bool logarithmic = false;  // values that are not positive are left out
  bool from_zero = false;
  bool quiet = false;              // no labels: a plot below has the same axis
  bool whole_numbers = false;      // ticks at integers only
  std::vector<double> ticks = {};  // ticks of a logarithmic axis; chosen where empty
  // From the data where absent. Beyond them points become triangles at the edge, and an ECDF ends there.
  std::optional<double> min = {}, max = {};
  std::vector<std::string> categories = {};  // not empty: positions 0, 1, ... have these names, the first on top
};

enum class Mark {
  kLine,         // x, y; low and high shade a band around it
  kPoints,       // x, y; low and high are whiskers in y
  kBars,         // horizontal: from `start` (0 where empty) to x, in row y; low and high are whiskers in x
  kSpans,        // as kBars, without gaps between rows and merged where thinner than a pixel
  kHistogram,    // x: samples, binned when drawn, all histograms of a chart into the same bins
  kEcdf,         // x: samples
  kStackedArea,  // x, y; each lies on the one before, which must have the same x
};

inline constexpr int kColours = 8;       // of the palette
inline constexpr int kMuted = kColours;  // a grey, for "other"

struct Series {
  std::string name = {};  // empty: not in the legend
  Mark mark = Mark::kLine;
  int colour = 0;  // 0 to 8, see above
  std::vector<double> x = {}, y = {};
  std::vector<double> low = {}, high = {};
  std::vector<double> start = {};
  double thickness = 0.64;               // of a bar, in rows
  std::vector<std::string> labels = {};  // tooltip of each bar or span, and the text in a span
  std::vector<std::string> values = {};  // text at the end of each bar, beside each point
  bool cuts_names = false;               // a name that is longer than its span is cut; otherwise left out
};

struct Annotation {
  enum class Kind { kVerticalBand, kVerticalLine, kHorizontalBand, kHorizontalLine };
  Kind kind = Kind::kVerticalLine;
  double from = 0;
  double to = 0;  // bands only
  std::string text = {};
  int colour = kMuted;
  bool shaded = true;  // a band that is not only carries its name
  bool named = true;   // false: the text shows as a tooltip only
};

struct Chart {
  std::string id = {};  // file name and anchor: lower-case letters, digits and hyphens
  std::string title = {};
  std::string caption = {};  // what to look for, or how it was made
  Axis x = {}, y = {};
  std::vector<Series> series = {};
  std::vector<Annotation> annotations = {};
  double width = 1040;
  double height = 260;       // of the plot area and all around it; follows the rows of a categorical axis
  double row = 0;            // height of a row of a categorical axis; 0: by what is drawn
  double left = 0;           // least left margin, so that plots below each other align
  std::string no_data = {};  // drawn where no series has a point: why
};

// NOLINTEND(readability-redundant-member-init)

bool has_data(const Chart& chart);

}  // namespace aaco::plot
