// SPDX-License-Identifier: MIT
// The export of a session: a child writes it into a temporary file, which is removed once it is open.
#include <fmt/format.h>
#include <memory>
#include <utility>

#include "base/files/temporary_folder.h"
#include "base/http/http_stream.h"
#include "base/json/json.h"
#include "base/json/json_text.h"
#include "base/text/utf8.h"
#include "serve/answers/answer_roles.h"
#include "serve/answers/export_answer.h"
#include "serve/server/api.h"
#include "serve/wire/answer.h"
#include "serve/wire/request_path.h"

namespace aaco::serve {

namespace {

constexpr int64_t kExportLimitNs = int64_t{600} * 1'000'000'000;

// What a header and every system take as the name of a file.
std::string file_name(const std::string& session, const PageExport& page_export) {
  std::string name;
  for (const char letter : session) {
    const bool is_plain = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') ||
                          (letter >= 'A' && letter <= 'Z') || letter == '_' || letter == '-';
    name += is_plain ? letter : '_';
  }
  return name + page_export.extension;
}

HttpResponse export_response(const std::string& session, const PageExport& page_export,
                             const std::filesystem::path& file, const Result<std::string>& answer) {
  const Result<Json> counts = answer ? parse_own_json(*answer, "the answer") : answer.error();
  if (!counts) {
    return error_answer(counts.error());
  }
  Result<std::shared_ptr<HttpStream>> stream = file_stream(file);
  if (!stream) {
    return error_answer(stream.error());
  }
  HttpResponse response = text_answer("", page_export.content_type);
  response.stream = *stream;
  response.headers.emplace_back("Content-Disposition",
                                fmt::format("attachment; filename=\"{}\"", file_name(session, page_export)));
  response.headers.emplace_back("Aaco-Left-Out", std::to_string((*counts)["left_out"].get<uint64_t>()));
  return response;
}

}  // namespace

// One at a time: each takes much of a processor and of the temporary folder.
void Api::answer_export(const SessionEntry& session, const std::string& query, const HttpReply& reply) {
  const PageExport* const page_export = find_page_export(query_value(query, "format").value_or(""));
  if (page_export == nullptr) {
    reply(error_answer(400, "the request names no format", "?format=perfetto or ?format=chrome"));
    return;
  }
  if (session.status == SessionStatus::kRunning) {
    reply(
        error_answer(409, fmt::format("{}: is still being recorded", as_utf8(session.id)), "wait until it has ended"));
    return;
  }
  if (exports_) {
    reply(error_answer(503, "another export is being written", "try again in a while"));
    return;
  }
  Result<TemporaryFolder> folder = TemporaryFolder::create();
  if (!folder) {
    reply(error_answer(folder.error()));
    return;
  }
  exports_ = true;
  auto place = std::make_shared<TemporaryFolder>(std::move(folder).value());
  const std::filesystem::path file = place->path() / file_name(session.id, *page_export);
  children_.start({.arguments = answer_command("export", {session.path.string(), page_export->format, file.string()}),
                   .limit_ns = kExportLimitNs,
                   .done = [this, id = session.id, page_export, place = std::move(place), file,
                            reply](const Result<std::string>& answer) mutable {
                     exports_ = false;
                     HttpResponse response = export_response(id, *page_export, file, answer);
                     place.reset();  // the open file stays until it is sent
                     reply(std::move(response));
                   }});
}

}  // namespace aaco::serve
