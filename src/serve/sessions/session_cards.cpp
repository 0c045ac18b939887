// SPDX-License-Identifier: MIT
#include "serve/sessions/session_cards.h"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <sys/stat.h>
#include <utility>

#include "base/clock.h"
#include "base/json/json.h"
#include "base/text/utf8.h"
#include "kind/recorded_p50.h"
#include "report/trace/values.h"
#include "session/bundle/layout.h"
#include "session/session_info.h"

namespace aaco::serve {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kListAgainNs = 1'000'000'000;
constexpr size_t kMostFiles = 10'000;

std::string state_of(const fs::path& file) {
  struct stat status{};
  return ::stat(file.c_str(), &status) == 0
             ? fmt::format("{}:{}.{}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
             : "";
}

// Regular files below, links left out.
template <class Take>
void for_each_file(const fs::path& bundle, const Take& take) {
  std::error_code error;
  fs::recursive_directory_iterator entry(bundle, fs::directory_options::skip_permission_denied, error);
  for (size_t count = 0; !error && entry != fs::end(entry) && count < kMostFiles; entry.increment(error), ++count) {
    std::error_code of_file;
    if (fs::is_regular_file(entry->symlink_status(of_file))) {
      const auto bytes = entry->file_size(of_file);
      if (!of_file) {
        take(entry->path(), bytes);
      }
    }
  }
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(as_utf8(text)); }

Json tags_json(const SessionInfo& info) {
  Json tags = Json::array();
  for (const std::string& tag : info.tags) {
    tags.push_back(as_utf8(tag));
  }
  return tags;
}

Json card_json(const SessionEntry& entry, const fs::path& root) {
  uint64_t bytes = 0;
  for_each_file(entry.path, [&](const fs::path&, uint64_t size) { bytes += size; });
  const std::optional<double> p50_ms = recorded_p50_ms(entry.path, entry.info.kind);
  return {{"name", as_utf8(entry.id)},
          {"path", as_utf8(entry.path.lexically_relative(root).string())},
          {"kind", entry.info.kind.word()},
          {"subject", text_or_null(subject_of(entry.info))},
          {"device", text_or_null(entry.info.facts.backend)},
          {"state", entry.status},
          {"started_wall_ns", entry.info.t0_wall_ns == 0 ? Json() : Json(std::to_string(entry.info.t0_wall_ns))},
          {"duration_s", nullptr},  // no session says when it ended
          {"bytes", bytes},
          {"headline", p50_ms ? Json("median " + report::duration_text(std::llround(*p50_ms * 1e6))) : Json()},
          {"tags", tags_json(entry.info)}};
}

}  // namespace

Result<const std::vector<SessionEntry>*> SessionCards::entries() {
  const int64_t now_ns = monotonic_ns();
  if (listed_ns_ == 0 || now_ns - listed_ns_ > kListAgainNs) {
    listed_ns_ = 0;
    AACO_TRY(catalog_.refresh());
    listed_ns_ = now_ns;
  }
  return &catalog_.entries();
}

Result<SessionEntry> SessionCards::find(const std::string& name) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    AACO_ASSIGN(const std::vector<SessionEntry>* const all, entries());
    for (const SessionEntry& entry : *all) {
      std::error_code error;
      if (entry.id == name && fs::is_directory(entry.path, error)) {
        return entry;
      }
    }
    listed_ns_ = 0;  // it may be new
  }
  return Error{ErrorKind::kUsage, fmt::format("{}: there is no such session", as_utf8(name)),
               "it may have been removed; the list of sessions has those there are"};
}

const JsonValue& SessionCards::card_of(const SessionEntry& entry) {
  // The file may be newer than the entry: what an entry says of itself is a part of the key.
  const std::string state = fmt::format("{} {} {}", state_of(entry.path / layout::kSession),
                                        session_status_name(entry.status), fmt::join(entry.info.tags, ","));
  Card& card = cards_[entry.path];
  if (card.state != state) {
    card = {state, JsonValue(card_json(entry, root()))};
  }
  return card.json;
}

Result<JsonValue> SessionCards::list() {
  AACO_ASSIGN(const std::vector<SessionEntry>* const all, entries());
  Json sessions = Json::array();
  Json skipped = Json::array();
  std::set<fs::path> there;
  for (auto entry = all->rbegin(); entry != all->rend(); ++entry) {
    there.insert(entry->path);
    if (entry->problem.empty()) {
      sessions.push_back(*card_of(*entry));
    } else {
      skipped.push_back({{"name", as_utf8(entry->id)}, {"why", as_utf8(entry->problem)}});
    }
  }
  std::erase_if(cards_, [&](const auto& card) { return !there.contains(card.first); });
  return JsonValue(Json{{"sessions", std::move(sessions)}, {"skipped", std::move(skipped)}});
}

JsonValue files_of_session(const fs::path& bundle) {
  Json files = Json::array();
  for_each_file(bundle, [&](const fs::path& path, uint64_t bytes) {
    files.push_back({{"path", as_utf8(path.lexically_relative(bundle).string())}, {"bytes", bytes}});
  });
  return {std::move(files)};
}

}  // namespace aaco::serve
