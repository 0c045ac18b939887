// SPDX-License-Identifier: MIT
#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/format.h"
#include "kind/sharded/report/sharded_sections.h"
#include "report/values.h"

namespace aaco::report {

namespace {

constexpr size_t kDone = 1;  // of a rank's collectives on a communicator, before the first that was not seen to end
constexpr size_t kOpen = 2;  // and from that on; the document has more

// Where each of a rank's communicators is: what it did last, what it is in, what is next.
std::vector<const HungCollective*> shown_of(const HungRank& rank) {
  std::map<int64_t, std::vector<const HungCollective*>> by_communicator;
  for (const HungCollective& one : rank.collectives) {
    by_communicator[one.communicator].push_back(&one);
  }
  std::vector<const HungCollective*> shown;
  for (const auto& [communicator, all] : by_communicator) {
    const auto open = static_cast<size_t>(
        std::find_if(all.begin(), all.end(), [](const HungCollective* one) { return !one->done_ns; }) - all.begin());
    const size_t end = std::min(all.size(), open + kOpen);
    for (size_t i = open - std::min(kDone, open); i < end; ++i) {
      shown.push_back(all[i]);
    }
  }
  return shown;
}

// The first call that is of this program, and says where.
std::string place_in(const std::vector<std::string>& stack) {
  const auto own = std::find_if(stack.begin(), stack.end(),
                                [](const std::string& call) { return call.find(".cpp:") != std::string::npos; });
  return own == stack.end() ? stack.front() : *own;
}

Cell before_cell(const ShardedHang& hang, const std::optional<int64_t>& ns, const char* why_not) {
  return ns ? duration_cell(static_cast<double>(hang.found_ns - *ns)) : missing_cell(why_not);
}

TableBlock collectives_table(const ShardedHang& hang) {
  TableBlock table{
      .id = "hang_collectives",
      .title = "Last collectives",
      .columns = {{"rank"},
                  {"step"},
                  {"communicator"},
                  {"number"},
                  {"collective"},
                  {"bytes", true},
                  {"enqueued", true},
                  {"started", true},
                  {"done", true}},
      .note = fmt::format("Times are before the hang was found; start and end were seen within {} of them.",
                          format_duration_ns(static_cast<double>(hang.resolution_ns)))};
  for (const HungRank& rank : hang.ranks) {
    for (const HungCollective* const one : shown_of(rank)) {
      table.rows.push_back(
          {count_cell(rank.rank), count_cell(one->step), count_cell(one->communicator), count_cell(one->number),
           text_cell(one->text()), number_cell(static_cast<double>(one->bytes), "bytes"),
           before_cell(hang, one->enqueued_ns, "not known"), before_cell(hang, one->started_ns, "not seen"),
           before_cell(hang, one->done_ns, "not seen")});
    }
  }
  return table;
}

}  // namespace

Section sharded_hang_section(const ShardedHang& hang) {
  Section section{"hang", "Hang", {{hang.kind, Tone::kBad}}, {}};
  section.blocks.emplace_back(Paragraph{hang.text, Tone::kBad});
  TableBlock ranks{.id = "hang_ranks",
                   .title = "Ranks",
                   .columns = {{"rank"}, {"process"}, {"step begun", true}, {"steps done", true}, {"host stack"}}};
  for (const HungRank& rank : hang.ranks) {
    ranks.rows.push_back({count_cell(rank.rank), text_cell(std::to_string(rank.pid)), count_cell(rank.steps_begun),
                          count_cell(rank.steps_done),
                          rank.stack.empty() ? missing_cell(rank.no_stack) : text_cell(place_in(rank.stack))});
  }
  section.blocks.emplace_back(std::move(ranks));
  section.blocks.emplace_back(collectives_table(hang));
  for (const HungRank& rank : hang.ranks) {
    if (rank.rank == hang.rank && !rank.stack.empty()) {
      section.blocks.emplace_back(Bullets{fmt::format("Host stack of rank {}", rank.rank), rank.stack});
    }
  }
  return section;
}

}  // namespace aaco::report
