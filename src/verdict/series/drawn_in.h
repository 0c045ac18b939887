// SPDX-License-Identifier: MIT
// A series whose spikes are drawn in towards the values around them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace aaco {

// Values further than `sigmas` sigma from the median of the values up to `reach` places away are moved to that
// distance. Such a median keeps the edges of steps that last longer than `reach`. Sigma is the larger of what the
// distances and what the steps between neighbours say (median absolute deviations). At most a tenth of the values is
// moved.
std::vector<double> drawn_in(std::span<const double> values, size_t reach, double sigmas);

// Sigma of the noise by steps between neighbours: 1.4826 / sqrt(2) of their median size. A few changes of level do not
// matter to it. 0 where most neighbours are equal.
double neighbour_sigma(std::span<const double> values);

// Correlation of successive noise values, from differences at distances 1 and 2, of which steps spoil only a few:
// their variances are 2 v (1 - r) and 2 v (1 - r r). In [0, 1].
double neighbour_correlation(std::span<const double> values);

}  // namespace aaco
