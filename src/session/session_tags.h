// SPDX-License-Identifier: MIT
// Words that a user gives sessions, by which they are listed and searched later.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace aaco {

inline constexpr size_t kLongestTag = 64;  // characters
inline constexpr size_t kMostTags = 64;    // of a session

// `text` as it is. Errors: kUsage where it is empty or longer than kLongestTag, holds a comma or a character that is
// not printable (base/text/characters.h), or has a blank at an end.
Result<std::string> checked_tag(const std::string& text);

// Sorted, and each tag once. Errors: as checked_tag(); kUsage for more than kMostTags.
Result<std::vector<std::string>> checked_tags(std::vector<std::string> tags);

// While it lives, each session that this process creates gets `tags`, as they are at that moment; they must outlive it.
class TagsOfNewSessions {
 public:
  explicit TagsOfNewSessions(const std::vector<std::string>& tags);
  TagsOfNewSessions(const TagsOfNewSessions&) = delete;
  TagsOfNewSessions& operator=(const TagsOfNewSessions&) = delete;
  ~TagsOfNewSessions();

  // Empty where none lives. Errors: as checked_tags().
  static Result<std::vector<std::string>> now();

 private:
  static const std::vector<std::string>* current_;
};

// Adds and removes tags of a session that is not being recorded, and returns those that it has then. A tag that is
// there already, or is not there to be removed, changes nothing. session.json alone is written anew, and its checksum
// in manifest.json: whenever this is killed, the session opens and passes its check. Errors: as checked_tags() of what
// is added, read_session_info(), and of writing; kUsage for a session that is damaged, kResource for one that a process
// records or reports.
Result<std::vector<std::string>> change_tags(const std::filesystem::path& bundle, const std::vector<std::string>& added,
                                             const std::vector<std::string>& removed);

}  // namespace aaco
