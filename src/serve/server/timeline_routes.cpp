// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/utf8.h"
#include "serve/answers/answer_roles.h"
#include "serve/arrow/arrow_stream.h"
#include "serve/server/api.h"
#include "serve/timeline/timeline_queries.h"
#include "serve/timeline/viewport.h"
#include "serve/wire/answer.h"
#include "serve/wire/request_path.h"
#include "session/bundle/layout.h"

namespace aaco::serve {

namespace {

constexpr int64_t kMostMatches = 10'000;
constexpr int64_t kDefaultMatches = 200;
constexpr int64_t kMostGaps = 1'000;
constexpr int64_t kDefaultGaps = 20;
// Of one event. Flows have a limit of their own: a call that started many kernels still shows its arguments.
constexpr size_t kMostFlows = 200;
constexpr size_t kMostArguments = 1'000;
constexpr int64_t kBuildLimitNs = int64_t{600} * 1'000'000'000;
constexpr int64_t kFarthestNs = int64_t{1} << 62;

std::string text_of(int64_t ns) { return std::to_string(ns); }

Json tracks_json(const TimelineIndex& index) {
  const TimelineOutline& outline = index.outline();
  Json categories = Json::array();
  for (size_t id = 0; id < outline.categories.size(); ++id) {
    categories.push_back({{"id", id}, {"name", outline.categories[id]}});
  }
  Json tracks = Json::array();
  for (size_t id = 0; id < index.tracks(); ++id) {
    const TimelineTrack& track = index.track(id);
    const bool counts = track.type == TrackType::kCounter;
    tracks.push_back({{"id", id},
                      {"parent", -1},
                      {"group", as_utf8(track.group)},
                      {"name", as_utf8(track.name)},
                      {"type", word_of(track.type)},
                      {"idle", track.is_idle},
                      {"lanes", counts ? 1 : track.lanes.size()},
                      {"events", track.events()},
                      {"unit", track.unit.empty() ? Json() : Json(track.unit)},
                      {"min", counts ? Json(track.min) : Json()},
                      {"max", counts ? Json(track.max) : Json()}});
  }
  return {{"start_ns", text_of(outline.start_ns)},
          {"end_ns", text_of(outline.end_ns)},
          {"origin_wall_ns", outline.origin_wall_ns ? Json(text_of(*outline.origin_wall_ns)) : Json()},
          {"events", outline.table_events},
          {"not_drawn", outline.left_out},
          {"growing", outline.source == kGrowingSource},
          {"categories", std::move(categories)},
          {"tracks", std::move(tracks)}};
}

Json event_json(const TimelineIndex& index, const TimelineEvent& event) {
  return {{"event", event.slice.row},
          {"name", as_utf8(index.name_of(event.slice.label))},
          {"track", event.track},
          {"start_ns", text_of(event.slice.start_ns)},
          {"duration_ns", text_of(event.slice.duration_ns)}};
}

// "1,2,5"; all where the query names none. None where one is no track.
std::optional<std::vector<size_t>> tracks_of(const TimelineIndex& index, std::string_view query) {
  std::vector<size_t> tracks;
  const std::optional<std::string> text = query_value(query, "tracks");
  if (!text || text->empty()) {
    for (size_t track = 0; track < index.tracks(); ++track) {
      tracks.push_back(track);
    }
    return tracks;
  }
  const char* at = text->data();
  const char* const end = at + text->size();
  size_t named = 0;
  while (at < end) {
    size_t track = 0;
    const auto [next, error] = std::from_chars(at, end, track);
    if (error != std::errc() || track >= index.tracks() || (next != end && *next != ',') || ++named > index.tracks()) {
      return std::nullopt;
    }
    if (std::ranges::find(tracks, track) == tracks.end()) {  // one that is named twice counts once
      tracks.push_back(track);
    }
    at = next + 1;
  }
  return tracks;
}

struct Selection {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  std::vector<size_t> tracks;
};

// All of the timeline where the query does not say. None where it makes no sense.
std::optional<Selection> selection_of(const TimelineIndex& index, const std::string& query) {
  const bool has_from = query_value(query, "from").has_value();
  const bool has_to = query_value(query, "to").has_value();
  const std::optional<int64_t> from_ns =
      has_from ? query_number(query, "from", -kFarthestNs, kFarthestNs) : std::optional(index.outline().start_ns);
  const std::optional<int64_t> to_ns =
      has_to ? query_number(query, "to", -kFarthestNs, kFarthestNs) : std::optional(index.outline().end_ns + 1);
  const std::optional<std::vector<size_t>> tracks = tracks_of(index, query);
  if (!from_ns || !to_ns || !tracks || *from_ns >= *to_ns) {
    return std::nullopt;
  }
  return Selection{*from_ns, *to_ns, *tracks};
}

HttpResponse bad_selection() {
  return error_answer(400, "the request names no window of time, or a track that is not there",
                      "?from=NS&to=NS&width=PIXELS&tracks=1,2");
}

HttpResponse view_answer(const TimelineIndex& index, const std::string& query) {
  const std::optional<Selection> selection = selection_of(index, query);
  const std::optional<int64_t> width = query_number(query, "width", 1, kMostPixels);
  if (!selection || !width) {
    return bad_selection();
  }
  const int64_t start_ns = monotonic_ns();
  ViewBoxes boxes;
  for (const size_t track : selection->tracks) {
    add_view(index, track, {selection->from_ns, selection->to_ns, static_cast<uint32_t>(*width)}, boxes);
  }
  const int64_t drawn_ns = monotonic_ns();
  HttpResponse response = text_answer(view_stream(index, boxes), kArrowStreamType);
  response.headers.emplace_back("Server-Timing", fmt::format("boxes;dur={:.4f}, stream;dur={:.4f}",
                                                             static_cast<double>(drawn_ns - start_ns) / 1e6,
                                                             static_cast<double>(monotonic_ns() - drawn_ns) / 1e6));
  return response;
}

HttpResponse search_answer(const TimelineIndex& index, const std::string& query) {
  const std::optional<std::string> text = query_value(query, "q");
  if (!text || text->empty()) {
    return error_answer(400, "nothing to search for", "?q=TEXT&limit=200");
  }
  const int64_t limit = query_number(query, "limit", 0, kMostMatches).value_or(kDefaultMatches);
  const SearchResult result = search_names(index, *text, static_cast<size_t>(limit));
  Json matches = Json::array();
  for (const TimelineEvent& event : result.matches) {
    matches.push_back(event_json(index, event));
  }
  return json_answer(
      {{"matches", std::move(matches)}, {"total", result.total}, {"truncated", result.total > result.matches.size()}});
}

HttpResponse statistics_answer(const TimelineIndex& index, const std::string& query) {
  const std::optional<Selection> selection = selection_of(index, query);
  if (!selection) {
    return bad_selection();
  }
  const SelectionStatistics statistics =
      selection_statistics(index, selection->tracks, selection->from_ns, selection->to_ns);
  Json rows = Json::array();
  for (const NameTotal& total : statistics.names) {
    rows.push_back({{"name", as_utf8(index.name_of(total.label))},
                    {"category", index.category_of(total.label)},
                    {"count", total.count},
                    {"total_ns", total.total_ns},
                    {"mean_ns", static_cast<double>(total.total_ns) / static_cast<double>(total.count)},
                    {"longest_ns", total.longest_ns}});
  }
  const auto length_ns = static_cast<double>(selection->to_ns - selection->from_ns);
  Json busy = Json::array();
  for (const TrackBusy& track : statistics.tracks) {
    busy.push_back({{"track", track.track},
                    {"busy_ns", track.busy_ns},
                    {"share", static_cast<double>(track.busy_ns) / length_ns}});
  }
  return json_answer({{"rows", std::move(rows)}, {"busy", std::move(busy)}});
}

HttpResponse gaps_answer(const TimelineIndex& index, const std::string& query) {
  const int64_t limit = query_number(query, "limit", 0, kMostGaps).value_or(kDefaultGaps);
  Json gaps = Json::array();
  for (const TimelineEvent& gap : worst_gaps(index, static_cast<size_t>(limit))) {
    gaps.push_back({{"track", gap.track},
                    {"event", gap.slice.row},
                    {"start_ns", text_of(gap.slice.start_ns)},
                    {"duration_ns", text_of(gap.slice.duration_ns)},
                    {"cause", index.name_of(gap.slice.label)},
                    {"detail", index.track(gap.track).group}});
  }
  return json_answer({{"gaps", std::move(gaps)}});
}

// The event's arguments, and the slices that share its correlation id in its recording and rank: a call and what it
// started. Profilers write 0 where an event has no correlation. One flow more than is told says that there are more.
std::string event_statement(uint32_t row, bool has_arguments) {
  std::string text = fmt::format(
      "SELECT * FROM (SELECT 'flow' AS what, CAST(NULL AS VARCHAR) AS key, CAST(NULL AS VARCHAR) AS value, "
      "e.event AS other, e.track AS track, e.start_ns AS start_ns "
      "FROM (SELECT s.correlation, r.recording, r.rank FROM events s JOIN tracks r ON s.track = r.track "
      "WHERE s.event = {0}) own "
      "JOIN events e ON e.correlation = own.correlation JOIN tracks t ON t.track = e.track "
      "AND t.recording = own.recording AND t.rank IS NOT DISTINCT FROM own.rank "
      "WHERE own.correlation <> 0 AND e.event <> {0} AND e.shape = 'slice' ORDER BY e.start_ns, e.event LIMIT {1})",
      row, kMostFlows + 1);
  if (has_arguments) {
    text += fmt::format(
        " UNION ALL SELECT * FROM (SELECT type AS what, key, "
        "coalesce(text, CAST(integer AS VARCHAR), CAST(real AS VARCHAR)) AS value, "
        "CAST(NULL AS BIGINT) AS other, CAST(NULL AS BIGINT) AS track, CAST(NULL AS BIGINT) AS start_ns "
        "FROM arguments WHERE event = {} LIMIT {})",
        row, kMostArguments);
  }
  return text;
}

// The track of the API that has a track of the table.
Json track_of_table(const TimelineIndex& index, const Json& table_track) {
  for (size_t track = 0; track < index.tracks(); ++track) {
    if (index.track(track).type == TrackType::kSlices && !index.track(track).is_idle &&
        Json(index.track(track).table_track) == table_track) {
      return track;
    }
  }
  return {};
}

// `type`: as the table arguments has it. Integers beyond 2^53 stay texts.
Json argument_json(const std::string& type, const Json& value) {
  if (type == "true" || type == "false") {
    return type == "true";
  }
  if (!value.is_string() || type == "null") {
    return {};
  }
  const Result<Json> number = parse_json(value.get<std::string>(), "argument");
  const bool is_exact = number && number->is_number() && std::abs(number->get<double>()) <= 9007199254740992.0;
  return (type == "integer" || type == "real") && is_exact ? *number : value;
}

void add_details(const TimelineIndex& index, const Json& answer, Json& event) {
  for (const Json& row : answer.at("rows")) {
    const std::string what = row.at(0).get<std::string>();
    if (what != "flow") {
      event["arguments"][row.at(1).get<std::string>()] = argument_json(what, row.at(2));
    } else if (event["flows"].size() == kMostFlows) {
      event["flows_truncated"] = true;
    } else {
      const Json& start = row.at(5);
      event["flows"].push_back({{"to", row.at(3)},
                                {"track", track_of_table(index, row.at(4))},
                                {"start_ns", start.is_number() ? Json(text_of(start.get<int64_t>())) : start}});
    }
  }
}

}  // namespace

void Api::with_index(const SessionEntry& session, bool newest, const HttpReply& reply, const IndexUser& use) {
  if (session.status == SessionStatus::kRunning) {
    growing_.find(session.path, newest, [reply, use](const Result<std::shared_ptr<const TimelineIndex>>& index) {
      if (index) {
        use(*index);
      } else {
        reply(error_answer(index.error()));
      }
    });
    return;
  }
  const std::string source = timeline_source(session.path);
  if (const std::shared_ptr<const TimelineIndex> index = timelines_.find(session.path, source)) {
    use(index);
    return;
  }
  auto& waiting = builds_[session.path];
  waiting.emplace_back(reply, use);
  if (waiting.size() > 1) {
    return;
  }
  // What was asked for is the session as it is now: a journal that grows meanwhile is for the next request.
  const std::string file = timeline_file(session.path).string();
  children_.start({.arguments = answer_command("timeline", {session.path.string(), file, source}),
                   .limit_ns = kBuildLimitNs,
                   .done = [this, path = session.path, source](const Result<std::string>& built) {
                     const auto users = std::move(builds_[path]);
                     builds_.erase(path);
                     const auto index = built ? timelines_.find(path, source) : nullptr;
                     for (const auto& [answer, take] : users) {
                       if (index) {
                         take(index);
                       } else {
                         answer(built ? error_answer(409, "its timeline was removed while it was made", "ask again")
                                      : error_answer(built.error()));
                       }
                     }
                   }});
}

void Api::handle_timeline(const Steps& steps, const HttpRequest& request, const HttpReply& reply) {
  const Result<SessionEntry> session = sessions_.find(steps[1]);
  if (!session) {
    reply(error_answer(404, session.error().message, session.error().hint));
    return;
  }
  const std::string& what = steps[2];
  using Answer = HttpResponse (*)(const TimelineIndex&, const std::string&);
  const std::pair<const char*, Answer> answers[] = {
      {"tracks", [](const TimelineIndex& index, const std::string&) { return json_answer(tracks_json(index)); }},
      {"view", view_answer},
      {"search", search_answer},
      {"statistics", statistics_answer},
      {"gaps", gaps_answer}};
  for (const auto& [name, answer] : answers) {
    if (what == name && steps.size() == 3) {
      with_index(*session, what == "tracks", reply,
                 [answer, query = request.query, reply](const auto& index) { reply(answer(*index, query)); });
      return;
    }
  }
  if (what == "critical-path" && steps.size() == 3) {
    answer_path(*session, reply);
    return;
  }
  if (what == "export" && steps.size() == 3) {
    answer_export(*session, request.query, reply);
    return;
  }
  if (what == "event" && steps.size() == 4) {
    with_index(*session, false, reply, [this, session = *session, row = steps[3], reply](const auto& index) {
      answer_event(session, *index, row, reply);
    });
    return;
  }
  reply(error_answer(404, fmt::format("{}: there is nothing", as_utf8(request.path)),
                     "docs/serve.md lists what there is"));
}

// Its tracks and rows are those of the index, which has to be there first.
void Api::answer_path(const SessionEntry& session, const HttpReply& reply) {
  if (session.status == SessionStatus::kRunning) {
    reply(
        error_answer(409, "a session that is being recorded has no critical path yet", "ask again when it has ended"));
    return;
  }
  with_index(session, false, reply, [this, session, reply](const auto& index) {
    compute("critical-path", {session.path.string(), timeline_file(session.path).string()},
            fmt::format("critical-path {} {}", session.path.string(), index->outline().source), reply);
  });
}

void Api::answer_event(const SessionEntry& session, const TimelineIndex& index, const std::string& row,
                       const HttpReply& reply) {
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(row.data(), row.data() + row.size(), number);
  const std::optional<TimelineEvent> event =
      error == std::errc() && end == row.data() + row.size() ? event_of_row(index, number) : std::nullopt;
  if (!event) {
    reply(error_answer(404, "there is no such event", "rows come from /view and /search"));
    return;
  }
  Json json = event_json(index, *event);
  json["category"] = index.category_of(event->slice.label);
  json["arguments"] = Json::object();
  json["flows"] = Json::array();
  json["flows_truncated"] = false;
  json["idle_cause"] = index.track(event->track).is_idle ? Json{{"cause", index.name_of(event->slice.label)}} : Json();
  if (number >= index.outline().stored_events) {
    reply(json_answer(json));
    return;
  }
  std::error_code no_file;
  const bool has_arguments = std::filesystem::exists(session.path / layout::kTraceArguments, no_file);
  const std::vector<std::string> arguments{session.path.string(), std::to_string(kMostFlows + 1 + kMostArguments),
                                           event_statement(number, has_arguments)};
  children_.start({.arguments = answer_command("sql", arguments),
                   .question = ready_question("sql", arguments),
                   .done = [this, session, json, reply](const Result<std::string>& answer) mutable {
                     const std::shared_ptr<const TimelineIndex> current = timelines_.find(session.path);
                     const Result<Json> rows = answer ? parse_own_json(*answer, "the answer") : answer.error();
                     if (!current || !rows) {
                       reply(rows ? error_answer(409, "the session changed", "ask again") : error_answer(rows.error()));
                       return;
                     }
                     add_details(*current, *rows, json);
                     reply(json_answer(json));
                   }});
}

}  // namespace aaco::serve
