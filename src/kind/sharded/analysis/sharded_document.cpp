// SPDX-License-Identifier: MIT
#include "kind/sharded/analysis/sharded_document.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/json/json.h"

namespace aaco {

AACO_JSON_FIELDS(ShardedRank, rank, pid, device, library, losses, step_p50_ns, step_mean_ns, dispatch_p50_ns,
                 allocated_bytes, peak_bytes, interrupted, priority_range, stream_priorities)
AACO_JSON_FIELDS(CollectivePathTaken, collective, path, count)
AACO_JSON_FIELDS(TimelineSlice, rank, stream, name, work, start_ns, end_ns)

void to_json(Json& json, const ShardedDocument& document) {
  json = {{"kind", ShardedDocument::kKind},
          {"version", document.version},
          {"created_utc", document.created_utc},
          {"bundle", document.bundle},
          {"config", *document.config},
          {"model", document.model},
          {"mode", document.mode},
          {"dispatch", document.dispatch},
          {"setting", document.setting},
          {"parameters", document.parameters},
          {"tokens", document.tokens},
          {"steps", document.steps},
          {"warmup", document.warmup},
          {"gates", document.gates},
          {"notes", document.notes},
          {"ranks", document.ranks},
          {"collective_paths", document.collective_paths},
          {"losses", document.losses},
          {"tokens_per_s", document.tokens_per_s},
          {"figures", document.figures},
          {"causes", document.causes},
          {"timeline", document.timeline},
          {"hang", document.hang}};
}

void from_json(const Json& json, ShardedDocument& document) {
  json.at("version").get_to(document.version);
  json.at("created_utc").get_to(document.created_utc);
  json.at("bundle").get_to(document.bundle);
  document.config = JsonValue(json.at("config"));
  json.at("model").get_to(document.model);
  json.at("mode").get_to(document.mode);
  json.at("dispatch").get_to(document.dispatch);
  json.at("setting").get_to(document.setting);
  json.at("parameters").get_to(document.parameters);
  json.at("tokens").get_to(document.tokens);
  json.at("steps").get_to(document.steps);
  json.at("warmup").get_to(document.warmup);
  json.at("gates").get_to(document.gates);
  json.at("notes").get_to(document.notes);
  json.at("ranks").get_to(document.ranks);
  if (json.contains("collective_paths")) {  // older ones have none
    json.at("collective_paths").get_to(document.collective_paths);
  }
  json.at("losses").get_to(document.losses);
  json.at("tokens_per_s").get_to(document.tokens_per_s);
  if (std::ranges::any_of(document.ranks, [](const ShardedRank& rank) { return !rank.step_mean_ns; })) {
    document.tokens_per_s.reset();  // of the median step, in those of earlier versions
  }
  json.at("figures").get_to(document.figures);
  json.at("causes").get_to(document.causes);
  json.at("timeline").get_to(document.timeline);
  if (const auto hang = json.find("hang"); hang != json.end()) {  // not in those of earlier versions
    hang->get_to(document.hang);
  }
}

Result<ShardedDocument> read_sharded_document(const Json& json, std::string_view source) {
  if (document_kind(json) != ShardedDocument::kKind) {
    return Error{ErrorKind::kUsage, fmt::format("{}: not what aaco overlap run wrote", source),
                 "the file is damaged: run it again with aaco overlap run"};
  }
  return from_json_value<ShardedDocument>(json, source);
}

}  // namespace aaco
