// SPDX-License-Identifier: MIT
// The sessions of a folder, as a page lists them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json/json_value.h"
#include "base/result.h"
#include "session/catalog/catalog.h"

namespace aaco::serve {

// Listed again at most once a second. Each session's figures are read again when its session.json is another.
class SessionCards {
 public:
  explicit SessionCards(std::filesystem::path root) : catalog_(std::move(root)) {}

  const std::filesystem::path& root() const { return catalog_.root(); }
  // Never null, and valid until the next call of any function here. Errors: as list_sessions().
  Result<const std::vector<SessionEntry>*> entries();
  // By the name of its folder, never by a path. Errors: kUsage where there is none.
  Result<SessionEntry> find(const std::string& name);
  // {"sessions": [...], "skipped": [...]}, the newest first.
  Result<JsonValue> list();

 private:
  struct Card {
    std::string state;  // of session.json
    JsonValue json;
  };
  const JsonValue& card_of(const SessionEntry& entry);

  SessionCatalog catalog_;
  int64_t listed_ns_ = 0;
  std::map<std::filesystem::path, Card> cards_;
};

// Files of a bundle with their sizes, as JSON.
JsonValue files_of_session(const std::filesystem::path& bundle);

}  // namespace aaco::serve
