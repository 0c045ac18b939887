// SPDX-License-Identifier: MIT
#include "kind/observation/captured_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <string>

#include "analysis/timeline/lookup/event_arguments.h"
#include "base/text/characters.h"
#include "record/device/device_rows.h"
#include "report/trace/values.h"
#include "report/values.h"

namespace aaco {

std::vector<CapturedPlace> captured_places(const EventTable& events) {
  std::map<StringId, CapturedPlace> places;
  for (size_t event = 0; event < events.size(); ++event) {
    if (events.kind[event] != EventKind::kKernel) {
      continue;
    }
    if (const std::optional<StringId> path = text_argument(events, event, device_row::kCapturedIn)) {
      CapturedPlace& place = places[*path];
      place.path = *path;
      ++place.kernels;
      place.total_ns += events.duration_ns[event];
    }
  }
  std::vector<CapturedPlace> longest;
  for (const auto& [text, place] : places) {
    longest.push_back(place);
  }
  std::stable_sort(longest.begin(), longest.end(),
                   [](const CapturedPlace& a, const CapturedPlace& b) { return a.total_ns > b.total_ns; });
  return longest;
}

namespace report {

namespace {

constexpr size_t kTopPlaces = 8;

GraphWork sum_of(const ObservationDocument& document) {
  GraphWork sum;
  for (const ProcessRecording& process : document.processes) {
    const GraphWork& work = process.graph_work;
    sum.named += work.named;
    sum.outside += work.outside;
    sum.unseen += work.unseen;
    sum.ambiguous += work.ambiguous;
    sum.captures += work.captures;
    sum.unwatched_captures += work.unwatched_captures;
    sum.compiled_captures += work.compiled_captures;
    sum.modules_ns += work.modules_ns;
    sum.operators_ns += work.operators_ns;
  }
  return sum;
}

std::string counted(uint64_t count, const char* what) {
  return fmt::format(" {} {}", format_count(static_cast<int64_t>(count)), what);
}

std::string naming_text(const GraphWork& work) {
  std::string text = fmt::format("{} of {} kernels, copies and sets named by where they were captured",
                                 format_count(static_cast<int64_t>(work.named)),
                                 format_count(static_cast<int64_t>(work.named + work.unnamed())));
  const auto add = [&](uint64_t count, const char* why) { text += count > 0 ? ";" + counted(count, why) : ""; };
  add(work.outside, "captured within no range");
  add(work.unseen, "captured before that was watched");
  add(work.ambiguous, "claimed by two captures");
  return text;
}

}  // namespace

void add_captured_places(const ObservationDocument& document, const EventTable& events, Section& section) {
  const GraphWork work = sum_of(document);
  if (work.named + work.unnamed() == 0 && work.captures == 0) {
    return;
  }
  FactList facts{{{"graphs", naming_text(work)}}};
  if (work.captures > 0) {
    facts.facts.push_back(
        {"hooks", fmt::format("{} for modules and {} for operators in {} captures; nothing outside them",
                              duration_text(static_cast<int64_t>(work.modules_ns)),
                              duration_text(static_cast<int64_t>(work.operators_ns)),
                              format_count(static_cast<int64_t>(work.captures)))});
  }
  section.blocks.emplace_back(std::move(facts));
  if (work.unwatched_captures > 0) {
    section.blocks.emplace_back(
        Paragraph{fmt::format("{} of {} captures were not watched, since another profiler was subscribed to CUPTI",
                              format_count(static_cast<int64_t>(work.unwatched_captures)),
                              format_count(static_cast<int64_t>(work.captures))),
                  Tone::kWarning});
  }
  if (work.compiled_captures > 0) {
    section.blocks.emplace_back(Paragraph{
        fmt::format("{} of {} captures were of code that torch.compile made: it calls no modules, so that its kernels "
                    "have no module's name",
                    format_count(static_cast<int64_t>(work.compiled_captures)),
                    format_count(static_cast<int64_t>(work.captures))),
        Tone::kNeutral});
  }
  const std::vector<CapturedPlace> places = captured_places(events);
  int64_t sum_ns = 0;
  for (const CapturedPlace& place : places) {
    sum_ns += place.total_ns;
  }
  TableBlock table{
      .id = "captured_places",
      .columns = {{"captured in", false, "", kLongestName}, {"kernels", true}, {"total", true}, {"share", true}}};
  for (size_t i = 0; i < std::min(kTopPlaces, places.size()); ++i) {
    const CapturedPlace& place = places[i];
    table.rows.push_back(
        {text_cell(printable(std::string(events.strings[place.path]))), count_cell(static_cast<int64_t>(place.kernels)),
         duration_cell(static_cast<double>(place.total_ns)),
         percent_cell(sum_ns > 0 ? std::optional(static_cast<double>(place.total_ns) / static_cast<double>(sum_ns))
                                 : std::nullopt)});
  }
  if (!table.rows.empty()) {
    section.blocks.emplace_back(std::move(table));
  }
}

}  // namespace report

}  // namespace aaco
