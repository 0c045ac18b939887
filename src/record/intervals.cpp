// SPDX-License-Identifier: MIT
#include "record/intervals.h"

#include <algorithm>

namespace aaco {

namespace {

bool starts_before(const Span& a, const Span& b) { return a.start_ns < b.start_ns; }

}  // namespace

void append(SpanSet& set, const Span& span) {
  if (span.start_ns >= span.end_ns) {
    return;
  }
  if (!set.empty() && span.start_ns <= set.back().end_ns) {
    set.back().end_ns = std::max(set.back().end_ns, span.end_ns);
  } else {
    set.push_back(span);
  }
}

SpanSet union_of(std::span<const Span> spans) {
  std::vector<Span> ordered(spans.begin(), spans.end());
  std::sort(ordered.begin(), ordered.end(), starts_before);
  SpanSet set;
  for (const Span& span : ordered) {
    append(set, span);
  }
  return set;
}

SpanSet intersect(const SpanSet& a, const SpanSet& b) {
  SpanSet set;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    append(set, {std::max(a[i].start_ns, b[j].start_ns), std::min(a[i].end_ns, b[j].end_ns)});
    if (a[i].end_ns < b[j].end_ns) {
      ++i;
    } else {
      ++j;
    }
  }
  return set;
}

int64_t length_ns(const SpanSet& set) {
  int64_t total = 0;
  for (const Span& span : set) {
    total += span.end_ns - span.start_ns;
  }
  return total;
}

}  // namespace aaco
