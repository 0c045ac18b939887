// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <utility>

#include "cli/doctor/check.h"

#include "observe/telemetry/collector.h"

namespace aaco::doctor {

namespace {

constexpr const char* kName = "kernel plane";

// The source is opened as a run would open it, and closed again.
Result<PlaneSource> allowed_source() {
  CollectorOptions options;
  options.stacks = false;  // they are allowed where the source is
  AACO_ASSIGN(const auto collector, find_collector("kernel")->make(std::move(options)));
  AACO_TRY(collector->start());
  collector->stop();
  return collector->plane().source.value_or(PlaneSource());
}

}  // namespace

Finding kernel_plane_finding(const Result<PlaneSource>& source) {
  if (!source) {
    return missing("permissions", kName, source.error().message, source.error().hint);
  }
  const std::string detail =
      source->not_seen.empty() ? source->name : fmt::format("{}; does not see: {}", source->name, source->not_seen);
  return source->better.empty() ? finding_of("permissions", kName, detail)
                                : missing("permissions", kName, detail, source->better);
}

void check_kernel_plane(const Context& context, std::vector<Finding>& findings) {
  if (context.host.root() == "/") {  // it is this kernel that allows a source, wherever files are looked for
    findings.push_back(kernel_plane_finding(allowed_source()));
  }
}

}  // namespace aaco::doctor
