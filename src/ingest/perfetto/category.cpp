// SPDX-License-Identifier: MIT
#include "ingest/perfetto/category.h"

#include <algorithm>
#include <iterator>

#include "ingest/kineto/kineto_category.h"

namespace aaco::perfetto {

namespace {

struct CategoryKind {
  std::string_view category;  // of rocprofv3; rocprof-sys puts "rocm_" before it
  EventKind kind;
};

constexpr CategoryKind kCategories[] = {
    {"kernel_dispatch", EventKind::kKernel},
    {"memory_copy", EventKind::kCopy},
    {"hip_api", EventKind::kHostCall},
    {"hsa_api", EventKind::kHostCall},
    {"rccl_api", EventKind::kHostCall},
    {"rocdecode_api", EventKind::kHostCall},
    {"rocjpeg_api", EventKind::kHostCall},
    {"hipfile_api", EventKind::kHostCall},
    {"memory_allocation", EventKind::kHostCall},
    {"marker_api", EventKind::kHostRange},
    {"scratch_memory", EventKind::kOther},
    {"counter_collection", EventKind::kOther},
    {"host", EventKind::kHostRange},
    {"user", EventKind::kHostRange},
    {"python", EventKind::kHostRange},
};

}  // namespace

std::optional<EventKind> kind_of_perfetto_category(std::string_view category) {
  constexpr std::string_view kRocm = "rocm_";
  const std::string_view bare = category.starts_with(kRocm) ? category.substr(kRocm.size()) : category;
  const auto* const position = std::find_if(std::begin(kCategories), std::end(kCategories),
                                            [&](const CategoryKind& known) { return known.category == bare; });
  return position == std::end(kCategories) ? kind_of_category(category) : std::optional(position->kind);
}

}  // namespace aaco::perfetto
