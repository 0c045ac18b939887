// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprofv3_arrays.h"

#include <algorithm>
#include <iterator>

namespace aaco {

namespace {

constexpr ColumnMapping kColumns[] = {
    {"start_timestamp", ColumnRole::kStart},
    {"end_timestamp", ColumnRole::kEnd},
    {"correlation_id.internal", ColumnRole::kCorrelation},
    {"correlation_id.external", ColumnRole::kExternalId},
    {"thread_id", ColumnRole::kThread},
    {"stream_id.handle", ColumnRole::kStream},
    {"dispatch_info.queue_id.handle", ColumnRole::kQueue},
    {"queue_id.handle", ColumnRole::kQueue},
    {"array", ColumnRole::kCategory},  // these are not the file's
    {"pid", ColumnRole::kProcess},
    {"device", ColumnRole::kDevice},
};

// Its times, where it has any, are those of the dispatch, which has a record of its own.
constexpr ColumnMapping kCounterColumns[] = {
    {"dispatch_data.correlation_id.internal", ColumnRole::kCorrelation},
    {"dispatch_data.correlation_id.external", ColumnRole::kExternalId},
    {"dispatch_data.dispatch_info.queue_id.handle", ColumnRole::kQueue},
    {"array", ColumnRole::kCategory},
    {"pid", ColumnRole::kProcess},
    {"device", ColumnRole::kDevice},
};

constexpr ColumnMapping kSampleColumns[] = {
    {"record.timestamp", ColumnRole::kStart},
    {"timestamp", ColumnRole::kStart},
    {"record.corr_id.internal", ColumnRole::kCorrelation},         // as it is written
    {"record.correlation_id.internal", ColumnRole::kCorrelation},  // as its schema has it
    {"correlation_id.internal", ColumnRole::kCorrelation},
    {"record.corr_id.external", ColumnRole::kExternalId},
    {"record.correlation_id.external", ColumnRole::kExternalId},
    {"instruction", ColumnRole::kName},  // not the file's, as the next two
    {"array", ColumnRole::kCategory},
    {"pid", ColumnRole::kProcess},
};

TableKind kind_of(std::string_view array, EventKind kind) {
  TableKind table;
  table.id = array;
  table.columns = kColumns;
  table.kind = kind;
  return table;
}

TableKind samples(std::string_view array) {
  TableKind table;
  table.id = array;
  table.columns = kSampleColumns;
  table.shape = EventShape::kInstant;
  table.name = "pc sample";
  return table;
}

TableKind counters() {
  TableKind table = kind_of("counter_collection", EventKind::kKernel);
  table.columns = kCounterColumns;
  return table;
}

}  // namespace

const TableKind& rocprofv3_array(std::string_view array) {
  static const TableKind kKinds[] = {
      kind_of("kernel_dispatch", EventKind::kKernel),
      kind_of("memory_copy", EventKind::kCopy),
      kind_of("memory_copies", EventKind::kCopy),
      kind_of("hip_api", EventKind::kHostCall),
      kind_of("hsa_api", EventKind::kHostCall),
      kind_of("rccl_api", EventKind::kHostCall),
      kind_of("rocdecode_api", EventKind::kHostCall),
      kind_of("rocjpeg_api", EventKind::kHostCall),
      kind_of("hipfile_api", EventKind::kHostCall),
      kind_of("marker_api", EventKind::kHostRange),
      kind_of("memory_allocation", EventKind::kHostCall),
      kind_of("memory_allocations", EventKind::kHostCall),
      kind_of("scratch_memory", EventKind::kOther),
      counters(),
      samples("pc_sample_host_trap"),
      samples("pc_sample_stochastic"),
      kind_of("", EventKind::kOther),
  };
  return *std::find_if(std::begin(kKinds), std::end(kKinds) - 1,
                       [&](const TableKind& kind) { return kind.id == array; });
}

}  // namespace aaco
