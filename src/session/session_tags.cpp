// SPDX-License-Identifier: MIT
#include "session/session_tags.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <thread>
#include <utility>

#include "base/clock.h"
#include "base/files/file.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "base/text/visible.h"
#include "session/bundle/bundle_lock.h"
#include "session/bundle/layout.h"
#include "session/bundle/manifest.h"
#include "session/session.h"
#include "session/session_info.h"

namespace aaco {

namespace {

namespace fs = std::filesystem;

constexpr int64_t kLongestWaitNs = 1'000'000'000;
constexpr std::chrono::milliseconds kBetweenTries{5};

Error refused_tag(const std::string& text, const std::string& why) {
  return {ErrorKind::kUsage,
          fmt::format("tag \"{}\": {}", shorten(without_invisible(printable(text)), kLongestTag), why),
          fmt::format("a tag is 1 to {} visible characters without a comma, and no blank at its ends", kLongestTag)};
}

// Tab and newline may stand in a text that is shown, and not in a tag.
bool has_unprintable(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = character_bytes(text);
    if (bytes == 0 || text[0] == '\n' || text[0] == '\t') {
      return true;
    }
    text.remove_prefix(bytes);
  }
  return false;
}

// Of a closed session the manifest first forgets session.json, and names it again when it is written: a file that the
// manifest does not list passes, one that differs does not.
Result<void> write_session_json(const fs::path& bundle, const Json& json) {
  const std::string text = indented_json_text(json);
  AACO_ASSIGN(std::optional<Manifest> manifest, read_manifest(bundle));
  if (!manifest) {
    return write_file_atomically(bundle / layout::kSession, text);
  }
  manifest->erase(layout::kSession);
  AACO_TRY(write_manifest(bundle, *manifest));
  AACO_TRY(write_file_atomically(bundle / layout::kSession, text));
  (*manifest)[layout::kSession] = {static_cast<int64_t>(text.size()), sha256_of(text)};
  return write_manifest(bundle, *manifest);
}

// What differs from its checksum must not get a new one.
Result<void> expect_as_closed(const fs::path& bundle) {
  AACO_ASSIGN(const std::optional<Manifest> manifest, read_manifest(bundle));
  const auto listed = manifest ? manifest->find(layout::kSession) : Manifest::const_iterator();
  if (!manifest || listed == manifest->end()) {
    return {};
  }
  AACO_ASSIGN(const ManifestFile now, describe_file(bundle / layout::kSession));
  if (now.bytes == listed->second.bytes && now.sha256 == listed->second.sha256) {
    return {};
  }
  return Error{ErrorKind::kUsage,
               fmt::format("{}: changed since the session was closed (its checksum in manifest.json differs)",
                           (bundle / layout::kSession).string()),
               "the file is damaged or was edited: restore it from a copy"};
}

}  // namespace

Result<std::string> checked_tag(const std::string& text) {
  if (text.empty()) {
    return refused_tag(text, "empty");
  }
  if (has_unprintable(text)) {
    return refused_tag(text, "holds a character that is not printable");
  }
  if (const std::optional<uint32_t> invisible = invisible_character(text)) {
    return refused_tag(text, fmt::format("holds a character that cannot be seen (U+{:04X})", *invisible));
  }
  if (text.find(',') != std::string::npos) {
    return refused_tag(text, "holds a comma");
  }
  if (has_space_at_end(text)) {
    return refused_tag(text, "begins or ends with a blank");
  }
  if (const size_t length = length_of(text); length > kLongestTag) {
    return refused_tag(text, fmt::format("{} characters are too many", length));
  }
  return text;
}

Result<std::vector<std::string>> checked_tags(std::vector<std::string> tags) {
  for (const std::string& tag : tags) {
    AACO_TRY(checked_tag(tag));
  }
  std::ranges::sort(tags);
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  if (tags.size() > kMostTags) {
    return Error{ErrorKind::kUsage, fmt::format("{} tags are too many", tags.size()),
                 fmt::format("a session has at most {}", kMostTags)};
  }
  return tags;
}

const std::vector<std::string>* TagsOfNewSessions::current_ = nullptr;

TagsOfNewSessions::TagsOfNewSessions(const std::vector<std::string>& tags) { current_ = &tags; }

TagsOfNewSessions::~TagsOfNewSessions() { current_ = nullptr; }

Result<std::vector<std::string>> TagsOfNewSessions::now() {
  return current_ == nullptr ? Result<std::vector<std::string>>(std::vector<std::string>()) : checked_tags(*current_);
}

Result<std::vector<std::string>> change_tags(const fs::path& bundle, const std::vector<std::string>& added,
                                             const std::vector<std::string>& removed) {
  AACO_ASSIGN(const std::vector<std::string> new_tags, checked_tags(added));
  std::optional<BundleLock> lock = BundleLock::to_remove(bundle);  // nobody else writes it, or removes it
  for (const int64_t start_ns = monotonic_ns(); !lock && monotonic_ns() - start_ns < kLongestWaitNs;) {
    std::this_thread::sleep_for(kBetweenTries);  // another change of tags takes milliseconds
    lock = BundleLock::to_remove(bundle);
  }
  AACO_ASSIGN(const SessionInfo info, read_session_info(bundle));
  if (!lock || effective_status(info) == SessionStatus::kRunning) {
    return Error{ErrorKind::kResource, fmt::format("{}: another process records it, or writes in it", bundle.string()),
                 "change its tags when that has ended"};
  }
  AACO_TRY(expect_as_closed(bundle));
  std::vector<std::string> tags = info.tags;
  std::erase_if(tags, [&](const std::string& tag) { return std::ranges::find(removed, tag) != removed.end(); });
  tags.insert(tags.end(), new_tags.begin(), new_tags.end());
  std::ranges::sort(tags);
  tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
  if (tags.size() > kMostTags && tags.size() > info.tags.size()) {
    return checked_tags(tags).error();
  }
  if (tags == info.tags) {
    return tags;
  }
  // As it is, but for its tags: a later version's fields stay.
  AACO_ASSIGN(Json json, read_json(bundle / layout::kSession));
  json["tags"] = tags;
  AACO_TRY(write_session_json(bundle, json));
  return tags;
}

}  // namespace aaco
