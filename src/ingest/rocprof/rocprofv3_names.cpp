// SPDX-License-Identifier: MIT
#include "ingest/rocprof/rocprofv3_names.h"

#include <fmt/format.h>

namespace aaco {

namespace {

constexpr int64_t kGpu = 2;  // an agent's type

std::string_view text_in(JsonRow& row, std::string_view column) {
  const Cell* cell = row.find(column);
  return cell == nullptr || cell->type != Cell::Type::kText ? std::string_view() : cell->text;
}

}  // namespace

std::optional<int64_t> integer_in(JsonRow& row, std::string_view column) {
  const Cell* cell = row.find(column);
  return cell == nullptr || cell->type != Cell::Type::kInteger ? std::nullopt : std::optional(cell->integer);
}

void Rocprofv3Names::add_agent(JsonRow& agent) {
  const auto handle = integer_in(agent, "id.handle");
  auto number = integer_in(agent, "logical_node_id");
  number = number ? number : integer_in(agent, "node_id");
  if (handle && number) {
    agents_[*handle] = {*number, integer_in(agent, "type") == kGpu};
  }
}

void Rocprofv3Names::add_counter(JsonRow& counter) {
  const auto handle = integer_in(counter, "id.handle");
  const std::string_view name = text_in(counter, "name");
  if (handle && !name.empty()) {
    counters_[*handle] = name;
  }
}

void Rocprofv3Names::add_symbol(JsonRow& symbol) {
  const auto id = integer_in(symbol, "kernel_id");
  for (const std::string_view column : {"formatted_kernel_name", "demangled_kernel_name", "kernel_name"}) {
    const std::string_view name = text_in(symbol, column);
    if (id && !name.empty()) {
      kernels_[*id] = table_.strings.intern(name);
      return;
    }
  }
}

void Rocprofv3Names::add_marker(JsonRow& marker) {
  const auto key = integer_in(marker, "key");
  const Cell* value = marker.find("value");
  if (key && value != nullptr && value->type == Cell::Type::kText) {
    markers_[*key] = table_.strings.intern(value->text);
  }
}

void Rocprofv3Names::add_operations(Source source, JsonRow& kind) {
  std::vector<StringId>& names = operations_[{source, kinds_[source]++}];
  simdjson::dom::array operations;
  if (kind.object()["operations"].get(operations) != simdjson::SUCCESS) {
    return;
  }
  for (const simdjson::dom::element operation : operations) {
    std::string_view name;
    names.push_back(operation.get(name) == simdjson::SUCCESS ? table_.strings.intern(name) : kEmptyString);
  }
}

std::optional<Rocprofv3Names::Agent> Rocprofv3Names::agent(int64_t handle) const {
  const auto agent = agents_.find(handle);
  return agent == agents_.end() ? std::nullopt : std::optional(agent->second);
}

std::string Rocprofv3Names::counter(int64_t handle) const {
  const auto counter = counters_.find(handle);
  return counter == counters_.end() ? fmt::format("counter {}", handle) : counter->second;
}

std::optional<std::string_view> Rocprofv3Names::text_at(const std::vector<StringId>& list, int64_t index) const {
  return index >= 0 && static_cast<uint64_t>(index) < list.size()
             ? std::optional(table_.strings[list[static_cast<size_t>(index)]])
             : std::nullopt;
}

void Rocprofv3Names::wait(size_t event, Source source, int64_t id, int64_t operation, int64_t marker) {
  waiting_.push_back({event, source, id, operation, marker});
}

const StringId* Rocprofv3Names::find(const UnresolvedName& waiting) const {
  if (waiting.source == Source::kKernel) {
    const auto kernel = kernels_.find(waiting.id);
    return kernel == kernels_.end() ? nullptr : &kernel->second;
  }
  if (waiting.source == Source::kMarker) {
    if (const auto marker = markers_.find(waiting.marker); marker != markers_.end()) {
      return &marker->second;
    }
  }
  const Source table = waiting.source == Source::kMarker ? Source::kBufferOperation : waiting.source;
  const auto position = operations_.find({table, waiting.id});
  const auto operation = static_cast<size_t>(waiting.operation);
  const bool known = position != operations_.end() && waiting.operation >= 0 && operation < position->second.size();
  return known ? &position->second[operation] : nullptr;
}

void Rocprofv3Names::resolve(const std::string& file) {
  for (const UnresolvedName& waiting : waiting_) {
    if (const StringId* name = find(waiting)) {
      table_.name[waiting.event] = *name;
      continue;
    }
    const std::string number = waiting.source == Source::kKernel
                                   ? fmt::format("kernel {}", waiting.id)
                                   : fmt::format("operation {} of kind {}", waiting.operation, waiting.id);
    table_.name[waiting.event] = table_.strings.intern(number);
    table_.losses.add(Loss::kUnknownName, [&] { return fmt::format("{}: {}", file, number); });
  }
  waiting_ = {};
}

}  // namespace aaco
