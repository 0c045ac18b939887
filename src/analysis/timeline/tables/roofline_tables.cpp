// SPDX-License-Identifier: MIT
// Operators against the roofs, backward against forward, and what is suspect among that.
#include "analysis/timeline/tables/analysis_tables.h"
#include "analysis/timeline/tables/table_maker.h"

namespace aaco {

namespace {

struct RoofRow {
  const RankRoofline& rank;
  const OperatorRoof& op;
};

std::optional<std::string> given(const std::string& text) { return text.empty() ? std::nullopt : std::optional(text); }

std::optional<int64_t> flag(const std::optional<bool>& value) {
  return value ? std::optional<int64_t>(*value ? 1 : 0) : std::nullopt;
}

std::optional<int64_t> of_product(const RoofRow& row, int64_t MatrixProduct::* member) {
  return row.op.work.product ? std::optional((*row.op.work.product).*member) : std::nullopt;
}

std::optional<int64_t> time_at(const RoofRow& row, bool on_host) {
  return row.rank.on_host == on_host ? std::optional(row.op.time_ns) : std::nullopt;
}

void add_product(TableMaker<RoofRow>& table) {
  table
      .integers("batch", "1", "of a matrix product",
                [](const RoofRow& row) { return of_product(row, &MatrixProduct::batch); })
      .integers("m", "1", "rows of the result", [](const RoofRow& row) { return of_product(row, &MatrixProduct::m); })
      .integers("n", "1", "its columns", [](const RoofRow& row) { return of_product(row, &MatrixProduct::n); })
      .integers("k", "1", "length of the sums", [](const RoofRow& row) { return of_product(row, &MatrixProduct::k); })
      .integers("transposed_a", "", "1 where the first operand lies in memory by columns",
                [](const RoofRow& row) {
                  return row.op.work.product ? flag(row.op.work.product->transposed_a) : std::nullopt;
                })
      .integers("transposed_b", "", "the same of the second", [](const RoofRow& row) {
        return row.op.work.product ? flag(row.op.work.product->transposed_b) : std::nullopt;
      });
}

}  // namespace

Table operator_rooflines_table(const EventTable& events, const TraceSummary& summary) {
  TableMaker<RoofRow> table("operator_rooflines");
  table.integers("recording", "", "index of the recording", [](const RoofRow& row) { return row.rank.recording; })
      .integers("rank", "", "of the job", [](const RoofRow& row) { return known_id(row.rank.rank); })
      .texts("device", "as the trace names it", [](const RoofRow& row) { return given(row.rank.device); })
      .texts("accelerator", "whose roofs it is held against",
             [](const RoofRow& row) {
               return row.rank.accelerator ? std::optional(row.rank.accelerator->name) : std::nullopt;
             })
      .texts("name", "", [&](const RoofRow& row) { return known_text(events, row.op.name); })
      .texts("family", "", [](const RoofRow& row) { return std::string(word_of(row.op.work.family)); })
      .texts("input_shapes", "as the trace writes them",
             [&](const RoofRow& row) { return known_text(events, row.op.shapes); })
      .texts("output_shapes", "of nodes of ONNX Runtime",
             [&](const RoofRow& row) { return known_text(events, row.op.outputs); })
      .texts("input_types", "", [&](const RoofRow& row) { return known_text(events, row.op.types); })
      .texts("precision", "of the roof", [](const RoofRow& row) { return given(row.op.precision); })
      .integers("count", "1", "calls that launched something; without a device all calls",
                [](const RoofRow& row) { return to_integer(row.op.count); })
      .integers("device_ns", "ns", "sum over the calls of the union of what each launched",
                [](const RoofRow& row) { return time_at(row, false); })
      .integers("host_self_ns", "ns", "without a device: of its thread, and in no operator within it",
                [](const RoofRow& row) { return time_at(row, true); })
      .reals("flops", "FLOP", "of one call", [](const RoofRow& row) { return row.op.work.flops; })
      .reals("bytes", "B", "of one call, each tensor once", [](const RoofRow& row) { return row.op.work.bytes; })
      .reals("flops_per_s", "FLOP/s", "", [](const RoofRow& row) { return row.op.flops_per_s(); })
      .reals("bytes_per_s", "B/s", "", [](const RoofRow& row) { return row.op.bytes_per_s(); })
      .reals("roof_ns", "ns", "least time of one call", [](const RoofRow& row) { return row.op.roof_ns; })
      .reals("roof_fraction", "1", "least time over time", [](const RoofRow& row) { return row.op.fraction(); })
      .texts("bound", "", [](const RoofRow& row) { return std::string(word_of(row.op.bound)); })
      .texts("no_data", "why there is no roof", [](const RoofRow& row) { return given(row.op.missing); })
      .texts("kernel", "the one that took longest", [&](const RoofRow& row) {
        return row.op.kernels.empty() ? std::nullopt : known_text(events, row.op.kernels.front().name);
      });
  add_product(table);
  for (const RankRoofline& rank : summary.rooflines) {
    for (const OperatorRoof& op : rank.operators) {
      table.add({rank, op});
    }
  }
  return table.finish();
}

Table backward_ratios_table(const EventTable&, const TraceSummary& summary) {
  using Ratio = BackwardRatio;
  TableMaker<Ratio> table("backward_ratios");
  table.integers("recording", "", "index of the recording", [](const Ratio& ratio) { return ratio.recording; })
      .integers("rank", "", "of the job", [](const Ratio& ratio) { return known_id(ratio.rank); })
      .texts("family", "", [](const Ratio& ratio) { return std::string(word_of(ratio.family)); })
      .reals("forward_flops", "FLOP", "", [](const Ratio& ratio) { return ratio.forward_flops; })
      .reals("backward_flops", "FLOP", "", [](const Ratio& ratio) { return ratio.backward_flops; })
      .reals("recomputed_flops", "FLOP", "forward, in backward",
             [](const Ratio& ratio) { return ratio.recomputed_flops; })
      .integers("forward_ns", "ns", "device time", [](const Ratio& ratio) { return ratio.forward_ns; })
      .integers("backward_ns", "ns", "device time", [](const Ratio& ratio) { return ratio.backward_ns; })
      .integers("unknown_backward_ns", "ns", "of operators of unknown FLOPs in backward",
                [](const Ratio& ratio) { return ratio.unknown_ns; });
  for (const Ratio& ratio : summary.backward_ratios) {
    table.add(ratio);
  }
  return table.finish();
}

Table suspects_table(const EventTable&, const TraceSummary& summary) {
  TableMaker<Suspect> table("suspects");
  table.integers("recording", "", "index of the recording", [](const Suspect& suspect) { return suspect.recording; })
      .integers("rank", "", "of the job", [](const Suspect& suspect) { return known_id(suspect.rank); })
      .texts("kind", "", [](const Suspect& suspect) { return suspect.kind; })
      .texts("subject", "", [](const Suspect& suspect) { return suspect.subject; })
      .reals("value", "1", "times its roof; backward over forward",
             [](const Suspect& suspect) { return suspect.value; })
      .texts("evidence", "", [](const Suspect& suspect) { return suspect.evidence; })
      .texts("explanation", "a harmless cause that the trace allows",
             [](const Suspect& suspect) { return given(suspect.explanation); });
  for (const Suspect& suspect : summary.suspects) {
    table.add(suspect);
  }
  return table.finish();
}

}  // namespace aaco
