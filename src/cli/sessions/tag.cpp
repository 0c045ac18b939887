// SPDX-License-Identifier: MIT
#include "cli/sessions/tag.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/characters.h"
#include "session/bundle/layout.h"
#include "session/catalog/catalog.h"
#include "session/session.h"
#include "session/session_tags.h"

namespace aaco {

namespace {

struct TagFlags {
  std::string folder = "sessions";
  std::string session = layout::kLatest;
  std::vector<std::string> added;
  std::vector<std::string> removed;
};

Result<std::vector<std::string>> tags_after(const std::filesystem::path& path, const TagFlags& flags) {
  if (!flags.added.empty() || !flags.removed.empty()) {
    return change_tags(path, flags.added, flags.removed);
  }
  AACO_ASSIGN(const SessionInfo info, read_session_info(path));
  return info.tags;
}

Result<int> tag(const TagFlags& flags, bool json) {
  AACO_ASSIGN(const std::filesystem::path path, find_session(flags.folder, flags.session));
  AACO_ASSIGN(const std::vector<std::string> tags, tags_after(path, flags));
  if (json) {
    fmt::print("{}", indented_json_text(Json{{"path", path.string()}, {"tags", tags}}));
  } else {
    fmt::print("{}: {}\n", printable(path.string()),
               tags.empty() ? "no tags" : printable(fmt::format("{}", fmt::join(tags, ", "))));
  }
  return 0;
}

}  // namespace

void add_sessions_tag(cli::Command sessions, Invocation& invocation) {
  cli::Command command = sessions.add_subcommand("tag", "Show, add and remove the tags of one session");
  const auto flags = std::make_shared<TagFlags>();
  add_sessions_folder(command, flags->folder);
  command.add_option("SESSION", flags->session, "id, unique beginning of an id, folder, or \"latest\"")
      .capture_default_str()
      .type_name("ID|DIR");
  add_tag_flag(command, "--add", flags->added, "Tag to add; may be given again");
  // What another program wrote into session.json is removed as it is.
  command.add_option("--remove", flags->removed, "Tag to remove; may be given again")
      .type_name("TAG")
      .named_each_time();
  add_json_flag(command, invocation);
  set_examples(command,
               "  aaco sessions tag latest --add nightly\n"
               "  aaco sessions tag 20260101_1200 --add good --remove nightly");
  command.callback([flags, &invocation] { invocation.finish(tag(*flags, invocation.json)); });
}

}  // namespace aaco
