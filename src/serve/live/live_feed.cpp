// SPDX-License-Identifier: MIT
#include "serve/live/live_feed.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/utf8.h"

namespace aaco::serve {

namespace {

constexpr int64_t kBeatNs = 10'000'000'000;  // a comment, by which a client that has gone is noticed

std::string event_text(const char* name, const Json& data) {
  return fmt::format("event: {}\ndata: {}\n\n", name, json_text(data));
}

double median_ms(std::vector<IterationPoint> points) {
  const auto middle = points.begin() + static_cast<std::ptrdiff_t>(points.size() / 2);
  std::nth_element(points.begin(), middle, points.end(),
                   [](const IterationPoint& a, const IterationPoint& b) { return a.latency_ms < b.latency_ms; });
  return middle->latency_ms;
}

// Of an observed program, or of workers that record their devices.
void add_events(const RunningFigures& figures, int64_t t0_ns, Json& rows, Json& series) {
  rows.push_back({{"name", "events"}, {"value", figures.events.events}, {"unit", "1"}});
  rows.push_back({{"name", "kernels"}, {"value", figures.events.kernels}, {"unit", "1"}});
  rows.push_back({{"name", "copied"}, {"value", figures.events.copied_bytes}, {"unit", "B"}});
  rows.push_back({{"name", "recorded"}, {"value", figures.events.journal_bytes}, {"unit", "B"}});
  if (figures.rates.empty()) {
    return;
  }
  rows.push_back({{"name", "kernels a second"}, {"value", figures.rates.back().kernels_per_s}, {"unit", "1/s"}});
  Json times = Json::array();
  Json rates = Json::array();
  for (const EventRate& rate : figures.rates) {
    times.push_back(static_cast<double>(rate.at_ns - t0_ns) / 1e9);
    rates.push_back(rate.kernels_per_s);
  }
  series.push_back({{"name", "kernels a second"}, {"unit", "1/s"}, {"t", std::move(times)}, {"y", std::move(rates)}});
}

}  // namespace

std::shared_ptr<HttpStream> LiveFeed::join() {
  if (listeners_.size() >= kMostListeners) {
    listeners_.front()->end();
    listeners_.erase(listeners_.begin());
  }
  listeners_.push_back(std::make_shared<HttpStream>());
  listeners_.back()->push(": aaco\n\n");
  has_new_listener_ = true;
  due_ns_ = 0;
  return listeners_.back();
}

void LiveFeed::send(const std::string& text) {
  sent_ns_ = monotonic_ns();
  std::erase_if(listeners_, [&](const std::shared_ptr<HttpStream>& listener) { return !listener->push(text); });
}

void LiveFeed::send_sessions(const std::vector<SessionEntry>& entries) {
  std::string states;
  for (const SessionEntry& entry : entries) {
    states += fmt::format("{} {}\n", entry.id, session_status_name(entry.status));
  }
  if (states != listed_ || has_new_listener_) {
    listed_ = std::move(states);
    has_new_listener_ = false;
    send(event_text("sessions", {{"sessions", entries.size()}}));
  }
}

void LiveFeed::send_figures(const SessionEntry& entry) {
  const SessionKindTraits& kind = entry.info.kind.traits();
  const RunningFigures figures = followers_.try_emplace(entry.path, entry.path, kind.has_ranks).first->second.look();
  Json times = Json::array();
  Json latencies = Json::array();
  for (const IterationPoint& point : figures.last) {
    times.push_back(static_cast<double>(point.end_ns - entry.info.t0_monotonic_ns) / 1e9);
    latencies.push_back(point.latency_ms);
  }
  Json rows = Json::array();
  if (figures.processes > 0 || figures.event_journals == 0) {
    rows.push_back({{"name", fmt::format("{}s{}", kind.iteration, kind.has_ranks ? " of rank 0" : "")},
                    {"value", figures.iterations},
                    {"unit", "1"}});
  }
  if (!figures.last.empty()) {
    rows.push_back({{"name", fmt::format("{}, median of the last", kind.iteration_time)},
                    {"value", median_ms(figures.last)},
                    {"unit", "ms"}});
  }
  Json series = Json::array();
  if (!figures.last.empty()) {
    series.push_back(
        {{"name", kind.iteration_time}, {"unit", "ms"}, {"t", std::move(times)}, {"y", std::move(latencies)}});
  }
  if (figures.event_journals > 0) {
    add_events(figures, entry.info.t0_monotonic_ns, rows, series);
  }
  const double seconds = static_cast<double>(monotonic_ns() - entry.info.t0_monotonic_ns) / 1e9;
  send(event_text("session", {{"name", as_utf8(entry.id)},
                              {"state", entry.status},
                              {"kind", entry.info.kind.word()},
                              {"progress",
                               {{"seconds", entry.info.t0_monotonic_ns == 0 ? Json() : Json(seconds)},
                                {"iterations", figures.iterations},
                                {"processes", figures.processes}}},
                              {"figures", std::move(rows)},
                              {"series", std::move(series)}}));
}

int64_t LiveFeed::step() {
  std::erase_if(listeners_, [](const std::shared_ptr<HttpStream>& listener) { return !listener->is_open(); });
  if (listeners_.empty()) {
    followers_.clear();
    return INT64_MAX;
  }
  const int64_t now_ns = monotonic_ns();
  if (now_ns < due_ns_) {
    return due_ns_;
  }
  due_ns_ = now_ns + kIntervalNs;
  if (const Result<const std::vector<SessionEntry>*> listed = sessions_.entries()) {
    const std::vector<SessionEntry>& entries = **listed;
    send_sessions(entries);
    // Once more of what has ended since the last look, with its state: a page would show it as running for ever.
    for (const SessionEntry& entry : entries) {
      if (entry.status != SessionStatus::kRunning && followers_.contains(entry.path)) {
        send_figures(entry);
      }
    }
    std::erase_if(followers_, [&](const auto& follower) {
      return std::none_of(entries.begin(), entries.end(), [&](const SessionEntry& entry) {
        return entry.path == follower.first && entry.status == SessionStatus::kRunning;
      });
    });
    for (const SessionEntry& entry : entries) {
      if (entry.status == SessionStatus::kRunning) {
        send_figures(entry);
      }
    }
  }
  if (now_ns - sent_ns_ > kBeatNs) {
    send(": still here\n\n");
  }
  return due_ns_;
}

}  // namespace aaco::serve
