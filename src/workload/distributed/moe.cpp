// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "workload/distributed/moe_check.h"
#include "workload/layers/collectives.h"
#include "workload/layers/linear.h"
#include "workload/layers/stream_roles.h"
#include "workload/workload_list.h"

namespace aaco::workloads {

namespace {

constexpr std::array<const char*, 2> kModes{"sparse", "dense"};

constexpr Parameter kParameters[]{
    {"experts", "8", "of all ranks together"},
    {"hidden", "1024", "columns of a token"},
    {"intermediate", "4096", "columns inside an expert"},
    {"top_k", "2", "experts that a token goes to"},
    {"batch", "4", "sequences of a rank"},
    {"seq", "512", "tokens of a sequence"},
    {"skew", "0",
     "the first expert's head start in the router's scores, whose deviation is about 1; the last one's "
     "is as much behind"},
    {"capacity", "0", "tokens that an expert takes at most, as a multiple of its share; 0: all that come"},
    {"mode", "sparse", "sparse: experts compute their own tokens; dense: all tokens, and what is not theirs is left"},
    kDtypeParameter};
constexpr Parameter kTestParameters[]{
    {"hidden", "16", ""}, {"intermediate", "24", ""}, {"batch", "2", ""}, {"seq", "10", ""}};
constexpr Parameter kCpuParameters[]{
    {"hidden", "256", ""}, {"intermediate", "1024", ""}, {"batch", "2", ""}, {"seq", "64", ""}};

enum Role : size_t { kRouter, kExperts };

struct Sizes {
  int64_t experts = 0;
  int64_t here = 0;  // experts of a rank
  int64_t hidden = 0;
  int64_t intermediate = 0;
  int64_t choices = 0;
  int64_t tokens = 0;
  double skew = 0;
  int64_t capacity = 0;  // places of an expert; 0: as many as it has tokens
  bool dense = false;
  Precision precision;

  int64_t pairs() const { return tokens * choices; }
  int64_t places() const { return dense ? experts * tokens : capacity > 0 ? experts * capacity : pairs(); }
  // Behind the places each expert has a row to spare: one that gets no token computes that one.
  int64_t place_rows() const { return places() + (capacity == 0 && !dense ? experts : 0); }
};

struct Rank {
  Linear router;
  ExpertWeights experts;
  MoeLayout layout;
  Tensor scores;       // the choices' logits
  Tensor offsets;      // int32 [experts + 1]
  Tensor host_counts;  // counts, as the host sees them
  Tensor sent;         // by place: what goes to the experts
  Tensor arrived;      // what the experts here are given; alone, the same
  Tensor inside;
  Tensor expert_rows;  // by the experts here
  Tensor returned;     // of this rank's tokens, by place; alone, the same
  Tensor first_row;    // dense: of every token; and the number of tokens
  Tensor rows;
};

Result<Sizes> sizes_of(const WorkloadBuilder& builder) {
  const Parameters& given = builder.parameters();
  Sizes sizes;
  AACO_ASSIGN(sizes.experts, given.integer("experts", 1, 4096));
  AACO_ASSIGN(sizes.hidden, given.integer("hidden", 1, 1 << 16));
  AACO_ASSIGN(sizes.intermediate, given.integer("intermediate", 1, 1 << 18));
  AACO_ASSIGN(sizes.choices, given.integer("top_k", 1, std::min<int64_t>(64, sizes.experts)));
  AACO_ASSIGN(const int64_t batch, given.integer("batch", 1, 1 << 14));
  AACO_ASSIGN(const int64_t seq, given.integer("seq", 1, 1 << 14));
  AACO_ASSIGN(sizes.skew, given.real("skew", 0, 100));
  AACO_ASSIGN(const double factor, given.real("capacity", 0, 1e6));
  AACO_ASSIGN(const size_t mode, given.choice("mode", kModes));
  AACO_ASSIGN(sizes.precision, given.precision());
  sizes.tokens = batch * seq;
  sizes.dense = mode == 1;
  const int64_t ranks = sizes.dense ? 1 : builder.world();
  if (sizes.experts % ranks != 0) {
    return Error{ErrorKind::kUsage, fmt::format("experts={} cannot be shared by {} ranks", sizes.experts, ranks),
                 "choose a multiple with --param experts="};
  }
  sizes.here = sizes.experts / ranks;
  const double share = static_cast<double>(sizes.pairs()) / static_cast<double>(sizes.experts);
  if (factor > 0 && !sizes.dense) {
    sizes.capacity = std::clamp<int64_t>(std::llround(std::ceil(factor * share)), 1, sizes.tokens);
  } else if (ranks > 1) {
    sizes.capacity = sizes.tokens;
  }
  return sizes;
}

// Scores deviate by about 1 (sum of `hidden` products of deviation 3 / sqrt(hidden) / 3), so that `skew` is in terms of
// that.
Linear make_router(const Sizes& sizes, WeightBucket& bucket) {
  Linear router = take_linear(bucket, sizes.hidden, sizes.experts);
  for (int64_t expert = 0; router.bias.value.data != nullptr && expert < sizes.experts; ++expert) {
    const double place = sizes.experts > 1 ? static_cast<double>(expert) / static_cast<double>(sizes.experts - 1) : 0;
    bucket.fill(router.bias.part(expert, {1}), sizes.skew * (1 - 2 * place));
  }
  return router;
}

ExpertWeights make_experts(WorkloadBuilder& builder, const Sizes& sizes, int32_t number) {
  const Dtype dtype = sizes.precision.dtype;
  const double up = 1 / std::sqrt(static_cast<double>(sizes.hidden));
  const double down = 1 / std::sqrt(static_cast<double>(sizes.intermediate));
  ExpertWeights experts;
  experts.up = builder.random(dtype, {sizes.here, sizes.hidden, sizes.intermediate}, -up, up, number);
  experts.up_bias = builder.random(dtype, {sizes.here, sizes.intermediate}, -up, up, number);
  experts.down = builder.random(dtype, {sizes.here, sizes.intermediate, sizes.hidden}, -down, down, number);
  experts.down_bias = builder.random(dtype, {sizes.here, sizes.hidden}, -down, down, number);
  return experts;
}

// Dense: place of (token, choice) is chosen * tokens + token; setup counts the tokens by routing all to one expert.
void add_row_numbers(WorkloadBuilder& builder, const Sizes& sizes, Rank& rank, int32_t number) {
  const Tensor to_one = builder.tensor(Dtype::kI32, {sizes.tokens}, number);
  const Tensor rest = builder.tensor(Dtype::kI32, {sizes.tokens + 3}, number);
  rank.first_row = builder.tensor(Dtype::kI32, {sizes.tokens}, number);
  rank.rows = builder.filled(Dtype::kI32, {1}, static_cast<double>(sizes.tokens), number);
  RouteArgs count;
  count.experts_of = to_one.as<int32_t>();
  count.counts = rest.as<int32_t>();
  count.offsets = count.counts + 1;
  count.place_of = count.counts + 3;
  count.token_of = rank.first_row.as<int32_t>();
  count.tokens = static_cast<int32_t>(sizes.tokens);
  count.choices = 1;
  count.experts = 1;
  builder.setup().op(builder.stream(number, 0), count);
}

Rank make_rank(WorkloadBuilder& builder, const Sizes& sizes, const Linear& router, int32_t number) {
  const Dtype dtype = sizes.precision.dtype;
  const auto matrix = [&](int64_t rows, int64_t cols) { return builder.tensor(dtype, {rows, cols}, number); };
  const auto ids = [&](int64_t count) { return builder.tensor(Dtype::kI32, {count}, number); };
  Rank rank;
  rank.router = router;
  rank.experts = make_experts(builder, sizes, number);
  MoeLayout& layout = rank.layout;
  layout.tokens = builder.random(dtype, {sizes.tokens, sizes.hidden}, -1, 1, number);
  layout.logits = matrix(sizes.tokens, sizes.experts);
  layout.chosen = builder.tensor(Dtype::kI32, {sizes.tokens, sizes.choices}, number);
  layout.weights = matrix(sizes.tokens, sizes.choices);
  layout.out = matrix(sizes.tokens, sizes.hidden);
  layout.counts = ids(sizes.experts);
  layout.place_of = ids(sizes.pairs());
  layout.token_of = ids(sizes.places());
  layout.capacity = sizes.capacity;
  layout.experts_here = sizes.here;
  layout.emulated = sizes.here < sizes.experts && builder.world() > builder.ranks();
  layout.precision = sizes.precision;
  rank.scores = matrix(sizes.tokens, sizes.choices);
  rank.offsets = ids(sizes.experts + 1);
  const bool apart = sizes.here < sizes.experts;
  rank.sent = sizes.dense ? layout.tokens : matrix(sizes.place_rows(), sizes.hidden);
  rank.arrived = apart ? matrix(sizes.place_rows(), sizes.hidden) : rank.sent;
  rank.inside = matrix(sizes.place_rows(), sizes.intermediate);
  rank.expert_rows = matrix(sizes.place_rows(), sizes.hidden);
  rank.returned = apart ? matrix(sizes.place_rows(), sizes.hidden) : rank.expert_rows;
  if (sizes.dense) {
    add_row_numbers(builder, sizes, rank, number);
  } else if (sizes.capacity == 0) {
    rank.host_counts = builder.pinned(Dtype::kI32, {sizes.experts});
  }
  return rank;
}

// From the tokens' scores to the experts and weights of each, and its places.
void add_router(Program& program, int32_t stream, const Sizes& sizes, const Rank& rank) {
  const MoeLayout& layout = rank.layout;
  linear_forward(program, stream, rank.router, layout.tokens, layout.logits, sizes.precision);
  program.op(stream, TopKArgs{layout.logits.data, rank.scores.data, layout.chosen.as<int32_t>(), sizes.tokens,
                              sizes.experts, sizes.choices, sizes.precision.dtype});
  // The softmax over the chosen ones: that over all, made to sum to 1 again.
  program.op(stream,
             SoftmaxArgs{rank.scores.data, layout.weights.data, sizes.tokens, sizes.choices, 1, sizes.precision.dtype});
  auto* place_of = layout.place_of.as<int32_t>();
  if (sizes.dense) {
    program.op(stream, BinaryArgs{layout.chosen.data, rank.rows.data, place_of, sizes.pairs(), 1, 1, BinaryOp::kMul, 1,
                                  Dtype::kI32});
    program.op(stream, BinaryArgs{place_of, rank.first_row.data, place_of, sizes.pairs(), sizes.tokens, sizes.choices,
                                  BinaryOp::kAdd, 1, Dtype::kI32});
    return;
  }
  program.op(stream, RouteArgs{layout.chosen.as<int32_t>(), layout.counts.as<int32_t>(), rank.offsets.as<int32_t>(),
                               layout.token_of.as<int32_t>(), place_of, static_cast<int32_t>(sizes.tokens),
                               static_cast<int32_t>(sizes.choices), static_cast<int32_t>(sizes.experts),
                               static_cast<int32_t>(sizes.capacity)});
}

GatherArgs gather_of(const Sizes& sizes, const Rank& rank, int64_t place, int64_t count) {
  return {rank.layout.tokens.data,
          rank.layout.token_of.view(place, {count}).as<int32_t>(),
          rank.sent.view(place * sizes.hidden, {count, sizes.hidden}).data,
          count,
          sizes.hidden,
          sizes.tokens,
          sizes.precision.dtype};
}

// An expert's products over `count` places from `place` on.
struct ExpertCall {
  GemmArgs up;
  GemmArgs down;
};

ExpertCall call_of(const Sizes& sizes, const Rank& rank, int64_t expert, int64_t place, int64_t count) {
  const int64_t matrix = sizes.hidden * sizes.intermediate;
  const ExpertWeights& experts = rank.experts;
  const Tensor in = sizes.dense ? rank.arrived : rank.arrived.view(place * sizes.hidden, {count, sizes.hidden});
  const Tensor inside = rank.inside.view(place * sizes.intermediate, {count, sizes.intermediate});
  const Tensor out = rank.expert_rows.view(place * sizes.hidden, {count, sizes.hidden});
  ExpertCall call;
  call.up = matmul(in, experts.up.view(expert * matrix, {sizes.hidden, sizes.intermediate}), inside, sizes.precision);
  call.up.bias = experts.up_bias.view(expert * sizes.intermediate, {1}).data;
  call.up.epilogue = Epilogue::kBiasGelu;
  call.down =
      matmul(inside, experts.down.view(expert * matrix, {sizes.intermediate, sizes.hidden}), out, sizes.precision);
  call.down.bias = experts.down_bias.view(expert * sizes.hidden, {1}).data;
  call.down.epilogue = Epilogue::kBias;
  return call;
}

// The operations of one expert whose number of tokens the router decides.
struct RoutedExpert {
  GatherArgs* gather = nullptr;
  GemmArgs* up = nullptr;
  GemmArgs* down = nullptr;
};

// An expert without a token computes the row to spare, from the token at place 0: no kernel is launched for nothing.
void set_count(const Sizes& sizes, const Rank& rank, int64_t expert, int64_t place, int64_t count,
               const RoutedExpert& routed) {
  const int64_t row = count > 0 ? place : sizes.places() + expert;
  const int64_t rows = std::max<int64_t>(1, count);
  *routed.gather = gather_of(sizes, rank, row, rows);
  if (count == 0) {
    routed.gather->ids = rank.layout.token_of.as<int32_t>();
  }
  const ExpertCall call = call_of(sizes, rank, expert, row, rows);
  *routed.up = call.up;
  *routed.down = call.down;
}

// The host reads how many tokens each expert has, and sizes its products by that.
void add_routed_experts(WorkloadBuilder& builder, const Sizes& sizes, const Rank& rank, const StreamRoles& roles,
                        int32_t number) {
  Program& program = builder.iteration();
  const int32_t router = builder.stream(number, roles.at(kRouter, 0));
  const auto routed = std::make_shared<std::vector<RoutedExpert>>(static_cast<size_t>(sizes.experts));
  program.copy(router, rank.host_counts.data, rank.layout.counts.data, static_cast<size_t>(rank.host_counts.bytes()));
  program.host_step(router, [=]() -> Result<void> {
    int64_t place = 0;
    for (int64_t expert = 0; expert < sizes.experts; ++expert) {
      const int64_t count = rank.host_counts.as<int32_t>()[expert];
      if (count < 0 || place + count > sizes.pairs()) {
        return Error{ErrorKind::kInvalid, fmt::format("moe: the router gave expert {} {} tokens", expert, count),
                     "the device computes something else than asked for: check its health, then report it"};
      }
      set_count(sizes, rank, expert, place, count, (*routed)[static_cast<size_t>(expert)]);
      place += count;
    }
    return {};
  });
  for (int64_t expert = 0; expert < sizes.experts; ++expert) {
    const int32_t stream = builder.stream(number, roles.at(kExperts, expert));
    program.after(stream, router);
    RoutedExpert& routed_expert = (*routed)[static_cast<size_t>(expert)];
    routed_expert.gather = program.op(stream, GatherArgs{});
    routed_expert.up = program.op(stream, GemmArgs{});
    routed_expert.down = program.op(stream, GemmArgs{});
    // Until the first iteration has told: as if all had the same.
    const int64_t first = expert * sizes.pairs() / sizes.experts;
    set_count(sizes, rank, expert, first, (expert + 1) * sizes.pairs() / sizes.experts - first, routed_expert);
    program.after(router, stream);
  }
}

// Every expert has as many places; those of the ranks' experts lie one behind the other, by the rank they come from.
void add_padded_experts(WorkloadBuilder& builder, const Sizes& sizes, const std::vector<Rank>& ranks,
                        const StreamRoles& roles) {
  Program& program = builder.iteration();
  const int64_t places = sizes.dense ? sizes.tokens : sizes.capacity;
  const auto exchange = [&](Tensor Rank::* from, Tensor Rank::* to) {
    CollectiveBuffers buffers;
    for (const Rank& rank : ranks) {
      buffers.send.push_back(rank.*from);
      buffers.receive.push_back(rank.*to);
    }
    add_collective(builder, program, Collective::kAllToAll, roles.at(kRouter, 0), buffers,
                   sizes.here * places * sizes.hidden);
  };
  for (int32_t r = 0; !sizes.dense && r < builder.ranks(); ++r) {
    program.op(builder.stream(r, roles.at(kRouter, 0)),
               gather_of(sizes, ranks[static_cast<size_t>(r)], 0, sizes.places()));
  }
  if (sizes.here < sizes.experts) {
    exchange(&Rank::sent, &Rank::arrived);
  }
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    const int32_t router = builder.stream(r, roles.at(kRouter, 0));
    const int32_t arrived = program.record(router);
    for (int64_t block = 0; block < sizes.experts; ++block) {
      const int32_t stream = builder.stream(r, roles.at(kExperts, block));
      program.wait(stream, arrived);
      const ExpertCall call = call_of(sizes, ranks[static_cast<size_t>(r)], block % sizes.here, block * places, places);
      program.op(stream, call.up);
      program.op(stream, call.down);
    }
    for (int32_t i = 0; i < roles.count(kExperts); ++i) {
      program.after(router, builder.stream(r, roles.at(kExperts, i)));
    }
  }
  if (sizes.here < sizes.experts) {
    exchange(&Rank::expert_rows, &Rank::returned);
  }
}

void add_outputs(WorkloadBuilder& builder, const Sizes& sizes, std::vector<Rank>& ranks) {
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    builder.output("out", ranks[static_cast<size_t>(r)].layout.out, r);
    builder.output("chosen experts", ranks[static_cast<size_t>(r)].layout.chosen, r);
  }
  MoeLayout layout = ranks.front().layout;
  for (const Rank& rank : ranks) {
    layout.experts.push_back(rank.experts);
  }
  if (sizes.dense) {
    layout.place_of = Tensor{};
  } else {
    builder.output("tokens by expert", layout.counts);
  }
  builder.check([layout](DeviceReader& reader, int64_t) { return check_routing(reader, layout); });
  builder.check([layout](DeviceReader& reader, int64_t) { return check_outputs(reader, layout); });
  if (sizes.here < sizes.experts && sizes.capacity == sizes.tokens) {
    builder.note(
        "no token is dropped: ranks exchange, and experts compute, room for all tokens; capacity=1.25 is less");
  }
}

Result<void> build(WorkloadBuilder& builder) {
  AACO_ASSIGN(const Sizes sizes, sizes_of(builder));
  const StreamRoles roles(builder.streams(), {1, static_cast<int32_t>(sizes.experts)});
  std::vector<WeightBucket> routers;
  std::vector<Rank> ranks;
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    Linear router;
    routers.push_back(WeightBucket::make(builder, sizes.precision, 3 / std::sqrt(static_cast<double>(sizes.hidden)), r,
                                         [&](WeightBucket& bucket) { router = make_router(sizes, bucket); }));
    ranks.push_back(make_rank(builder, sizes, router, r));
  }
  std::vector<const WeightBucket*> by_rank;
  for (const WeightBucket& router : routers) {
    by_rank.push_back(&router);
  }
  share_weights(builder, by_rank);
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    add_router(builder.iteration(), builder.stream(r, roles.at(kRouter, 0)), sizes, ranks[static_cast<size_t>(r)]);
  }
  if (sizes.dense || sizes.capacity > 0) {
    add_padded_experts(builder, sizes, ranks, roles);
  } else {
    add_routed_experts(builder, sizes, ranks.front(), roles, 0);
  }
  for (int32_t r = 0; r < builder.ranks(); ++r) {
    const Rank& rank = ranks[static_cast<size_t>(r)];
    builder.iteration().op(builder.stream(r, roles.at(kRouter, 0)),
                           CombineArgs{rank.returned.data, rank.layout.place_of.as<int32_t>(), rank.layout.weights.data,
                                       rank.layout.out.data, sizes.tokens, sizes.hidden, sizes.places(),
                                       static_cast<int32_t>(sizes.choices), sizes.precision.dtype});
  }
  add_outputs(builder, sizes, ranks);
  builder.units(static_cast<double>(sizes.tokens * builder.ranks()));
  return {};
}

}  // namespace

const WorkloadInfo moe{
    .id = "moe",
    .alias = "",
    .priority = "P1",
    .category = "distributed",
    .unit = "tokens",
    .summary = "A mixture of experts: each token goes to two of eight, each expert on a stream of its own",
    .about =
        "The router chooses experts, tokens are gathered by expert, every expert computes those that came to it, and "
        "the results are combined. With skew some experts get most tokens, and the others' streams wait. How many came "
        "is known on the device only: the host reads it in the middle of the iteration (no graph can hold that), or "
        "capacity fixes it and what is beyond is dropped. Several ranks share the experts and exchange tokens by two "
        "all-to-alls of fixed size: experts then compute room for all tokens, whatever came, unless capacity says "
        "less. On "
        "one device it is alone; --ranks N emulates the exchange with N - 1 others, whose tokens are taken to be the "
        "same, so that it computes N times as much with an Nth of the experts. experts + 1 streams have something to "
        "do. mode=dense lets every expert compute all "
        "tokens, for comparison.",
    .recommended_streams = 16,
    .switch_sensitivity = "critical",
    .parameters = kParameters,
    .test_parameters = kTestParameters,
    .cpu_parameters = kCpuParameters,
    .build = build,
    .emulated_ranks = 1};

}  // namespace aaco::workloads
