// SPDX-License-Identifier: MIT
#include "kind/model_run/until/until_document.h"

#include <filesystem>

#include "base/files/file.h"
#include "base/json/json.h"

namespace aaco {

namespace {

constexpr const char* kUntilDocument = "metrics/until.json";

}  // namespace

Result<void> keep_until(SessionWriter& session, const UntilFacts& facts) {
  return session.write_json_file(kUntilDocument, Json(facts));
}

Result<std::optional<UntilFacts>> read_until(const OpenSession& session) {
  const std::filesystem::path document = session.path / kUntilDocument;
  std::error_code ignored;
  if (!std::filesystem::exists(document, ignored)) {
    return std::optional<UntilFacts>();
  }
  AACO_ASSIGN(const Json json, read_json(document));
  AACO_ASSIGN(const UntilFacts facts, from_json_value<UntilFacts>(json, document.string()));
  return std::optional(facts);
}

}  // namespace aaco
