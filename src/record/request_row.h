// SPDX-License-Identifier: MIT
// One request of a run under load (aaco run --load): when it was due, and when it was served.
#pragma once

#include <cstdint>
#include <optional>

#include "record/table.h"

namespace aaco {

struct RequestRow {
  int64_t process = 0;
  int64_t request = 0;
  int64_t t_arrival_ns = 0;
  int64_t t_start_ns = 0;
  std::optional<int64_t> t_first_token_ns;
  int64_t t_end_ns = 0;
  std::optional<int64_t> tokens;
};

template <>
struct RowSchema<RequestRow> {
  static constexpr const char* kName = "requests";
  static constexpr const char* kMeaning =
      "requests of a run under load (--load), one row each, in the order of arrival";
  template <class R = RequestRow>
  static auto columns() {
    return std::tuple{
        row_column("process", &R::process, "1", "index of the process that served it"),
        row_column("request", &R::request, "1", "index within the process, from 0"),
        row_column("t_arrival_ns", &R::t_arrival_ns, "ns",
                   "when it was due by the schedule, which waits for no answer; session time"),
        row_column("t_start_ns", &R::t_start_ns, "ns", "when the model began it, session time"),
        row_column("t_first_token_ns", &R::t_first_token_ns, "ns",
                   "end of the prompt's run, session time; null without --tokens"),
        row_column("t_end_ns", &R::t_end_ns, "ns", "end of its last inference, session time"),
        row_column("tokens", &R::tokens, "1", "generated in each row of the batch; null without --tokens")};
  }
};

}  // namespace aaco
