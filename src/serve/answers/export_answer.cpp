// SPDX-License-Identifier: MIT
#include "serve/answers/export_answer.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <span>

#include "base/json/json.h"
#include "export/export_format.h"
#include "kind/trace/session_planes.h"
#include "kind/trace/trace_memory.h"

namespace aaco::serve {

namespace {

constexpr std::array<PageExport, 2> kPageExports{
    {{"chrome", ".json", "application/json"}, {"perfetto", ".pftrace", "application/octet-stream"}}};

}  // namespace

const PageExport* find_page_export(std::string_view format) {
  const auto* const known = std::find_if(kPageExports.begin(), kPageExports.end(),
                                         [&](const PageExport& page_export) { return page_export.format == format; });
  return known == kPageExports.end() ? nullptr : known;
}

JsonValue page_exports() {
  Json formats = Json::array();
  for (const PageExport& page_export : kPageExports) {
    formats.push_back(page_export.format);
  }
  return {std::move(formats)};
}

Result<JsonValue> export_answer(const std::string& session, const std::string& format,
                                const std::filesystem::path& file) {
  imports::limit_to_machine();
  const std::span<const ExportFormat> formats = all_export_formats();
  const auto writer =
      std::find_if(formats.begin(), formats.end(), [&](const auto& known) { return known.id == format; });
  if (find_page_export(format) == nullptr || writer == formats.end()) {
    return Error{ErrorKind::kUsage, fmt::format("{}: no format for a viewer", format), "perfetto or chrome"};
  }
  AACO_ASSIGN(const imports::LoadedTrace trace, imports::load_trace_with_planes({{session}, ""}));
  AACO_ASSIGN(const ExportCounts counts, writer->write(trace.events, file));
  return JsonValue(Json{{"events", counts.events}, {"left_out", trace.events.size() - counts.events}});
}

}  // namespace aaco::serve
