// SPDX-License-Identifier: MIT
// What a sharded training is asked for: every key of the configuration files of `aaco overlap`, typed. The defaults are
// those of configs/overlap/default.yaml; kind/sharded/config reads the files and refuses what cannot be trained,
// so that whoever trains from this may take each value as it stands. Keys have the names of the files:
// `model.num_layers`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_fwd.h"

namespace aaco::sharded {

enum class ModelKind { kRanking, kLlama };                                         // model.kind: "ranking", "llama"
enum class TrainingPrecision { kFp32, kTf32, kBf16 };                              // training.mixed_precision
enum class ParallelMode { kFsdp, kDdp };                                           // distributed.mode
enum class ShardingStrategy { kFullShard, kShardGradOp, kHybridShard, kNoShard };  // fsdp.sharding_strategy
enum class BackwardPrefetch { kPre, kPost, kNone };                                // fsdp.backward_prefetch
enum class ReduceType { kFp32, kBf16 };                              // of gradients on the link: fsdp.reduce_dtype
enum class CompileBackend { kInductor, kAotEager, kCudagraphs };     // compile.backend
enum class CompileMode { kDefault, kReduceOverhead, kMaxAutotune };  // compile.mode
enum class CaptureChoice { kAuto, kAlways, kNever };                 // compile.capture
enum class CollectiveLibrary { kAuto, kNccl, kRccl, kCpu };          // distributed.backend
enum class CollectivePath { kKernel, kSymmetric, kCopyEngine };      // distributed.collectives

// The words of the files: "ranking", "bf16", "full_shard". parse_word() leaves the value where there is no such word.
const char* word_of(ModelKind value);
bool parse_word(std::string_view word, ModelKind& value);
std::vector<std::string> words_like(ModelKind);
const char* word_of(TrainingPrecision value);
bool parse_word(std::string_view word, TrainingPrecision& value);
std::vector<std::string> words_like(TrainingPrecision);
const char* word_of(ParallelMode value);
bool parse_word(std::string_view word, ParallelMode& value);
std::vector<std::string> words_like(ParallelMode);
const char* word_of(ShardingStrategy value);
bool parse_word(std::string_view word, ShardingStrategy& value);
std::vector<std::string> words_like(ShardingStrategy);
const char* word_of(BackwardPrefetch value);
bool parse_word(std::string_view word, BackwardPrefetch& value);
std::vector<std::string> words_like(BackwardPrefetch);
const char* word_of(ReduceType value);
bool parse_word(std::string_view word, ReduceType& value);
std::vector<std::string> words_like(ReduceType);
const char* word_of(CompileBackend value);
bool parse_word(std::string_view word, CompileBackend& value);
std::vector<std::string> words_like(CompileBackend);
const char* word_of(CompileMode value);
bool parse_word(std::string_view word, CompileMode& value);
std::vector<std::string> words_like(CompileMode);
const char* word_of(CaptureChoice value);
bool parse_word(std::string_view word, CaptureChoice& value);
std::vector<std::string> words_like(CaptureChoice);
const char* word_of(CollectiveLibrary value);
bool parse_word(std::string_view word, CollectiveLibrary& value);
std::vector<std::string> words_like(CollectiveLibrary);
const char* word_of(CollectivePath value);
bool parse_word(std::string_view word, CollectivePath& value);
std::vector<std::string> words_like(CollectivePath);

struct ModelConfig {
  ModelKind kind = ModelKind::kRanking;
  int64_t vocab_size = 60000;
  int64_t embedding_dim = 192;      // ranking: of a category's row
  int64_t num_dense_features = 16;  // ranking
  int64_t dense_dim = 128;          // ranking: columns of a dense feature
  int64_t model_dim = 768;          // columns of the residual path
  int64_t num_heads = 12;
  int64_t num_kv_heads = 12;  // llama; ranking has as many as heads
  int64_t num_layers = 8;
  int64_t mlp_hidden_dim = 2048;
  double dropout = 0.1;  // ranking: probability that an element is dropped
  bool tie_head = true;  // llama: the head is the embedding

  int64_t head_dim() const { return model_dim / num_heads; }
};

struct TrainingConfig {
  int64_t epochs = 1;
  int64_t batch_size = 8;                  // of a rank and a micro-step: sequences
  int64_t gradient_accumulation = 1;       // micro-steps of a step; gradients are averaged over them
  std::optional<int64_t> max_steps = 200;  // of the optimiser; none: as many as the epochs have
  double grad_clip_norm = 1.0;             // of the whole model's gradient; 0: no clipping
  TrainingPrecision mixed_precision = TrainingPrecision::kBf16;
  int64_t log_interval = 5;              // steps
  std::string output_dir = "artifacts";  // JSONL files and checkpoints
  bool inject_allreduce_copies = false;
  int64_t allreduce_stress_level = 1;  // 1 to 10 cycles a step
  int64_t unmeasured_steps = 5;        // the first ones load libraries and choose algorithms: in no figure
  int64_t checkpoint_interval = 0;     // steps; 0: none
  std::string resume;                  // folder of a checkpoint; "": from the beginning
};

struct OptimizerConfig {  // AdamW
  double lr = 3e-4;
  double weight_decay = 0.01;
  std::array<double, 2> betas{0.9, 0.98};
  double eps = 1e-8;
};

struct SchedulerConfig {  // the rate grows linearly from 0, then falls linearly to 0
  int64_t warmup_steps = 100;
  int64_t total_steps = 2000;  // 0: it does not fall
};

struct DatasetConfig {  // synthetic; vocabulary, dense sizes are the model's (files must agree)
  int64_t num_samples = 10000;
  int64_t sequence_length = 64;
  int64_t sparse_features = 32;  // ranking: categories of a token, their rows averaged
  uint64_t seed = 42;
};

struct FsdpConfig {
  ShardingStrategy sharding_strategy = ShardingStrategy::kFullShard;
  BackwardPrefetch backward_prefetch = BackwardPrefetch::kPre;
  bool forward_prefetch = true;
  int64_t prefetch_depth = 1;         // blocks gathered ahead, 1 to 3
  bool limit_all_gathers = true;      // at most prefetch_depth + 1 gathered blocks at once; else each when it may be
  bool reshard_after_forward = true;  // full_shard and hybrid_shard; shard_grad_op: false
  ReduceType reduce_dtype = ReduceType::kFp32;
  bool sync_module_states = true;  // every rank begins with rank 0's weights, sent; else all make them by one seed
  int64_t hybrid_shard_ranks = 0;  // of a shard group; 0: the ranks of a node
};

struct DistributedConfig {
  ParallelMode mode = ParallelMode::kFsdp;
  double bucket_cap_mb = 25;         // ddp: of gradients that are reduced together
  bool one_communicator = false;     // all-gather and reduce-scatter on one: what the field does by mistake, to compare
  int64_t timeout_s = 600;           // of a collective that does not end
  bool overlap_grad_reduce = true;   // gradients are reduced beside the backward pass; else all behind it
  bool overlap_param_gather = true;  // blocks are gathered beside what computes; else each when it is needed
  CollectiveLibrary backend = CollectiveLibrary::kAuto;
  CollectivePath collectives = CollectivePath::kKernel;
  bool require_collectives = false;  // another path than asked for is an error
  bool nonblocking = false;          // no call of the library waits for other ranks without a limit
  int64_t collective_blocks = 0;     // thread blocks of a collective's kernel, at most; 0: the library's choice
};

struct CompileConfig {
  bool enabled = false;
  CompileBackend backend = CompileBackend::kInductor;
  CompileMode mode = CompileMode::kMaxAutotune;
  bool fullgraph = false;  // what cannot be done is an error; else it is left out, and that is recorded
  CaptureChoice capture = CaptureChoice::kAuto;  // of the step as graphs; auto: choose_capture()

  bool is_fused() const { return enabled && backend == CompileBackend::kInductor; }
  // The step as captured graphs.
  bool is_captured() const {
    return capture == CaptureChoice::kAuto ? asks_for_graphs() : capture == CaptureChoice::kAlways;
  }
  bool asks_for_graphs() const {
    return enabled && (backend == CompileBackend::kCudagraphs || mode != CompileMode::kDefault);
  }
};

struct StreamPriorities {  // streams of these go before the compute stream's work, where the device has priorities
  bool all_gather = false;
  bool reduce_scatter = false;
  bool all_reduce = false;
};

// "allgather", "reducescatter", "allreduce". set_priority() is false for another word.
std::vector<std::string> priority_words(const StreamPriorities& priorities);
bool set_priority(std::string_view word, StreamPriorities& priorities);

struct StreamsConfig {
  StreamPriorities high_priority;
};

struct DataloaderConfig {
  int64_t num_workers = 4;  // threads that make batches ahead; 0: each is made between two steps
  bool pin_memory = true;
};

struct ProfilingConfig {  // device records: of `active` steps behind `wait + warmup` ones, `repeat` times
  bool enabled = true;
  int64_t wait = 1;
  int64_t warmup = 1;
  int64_t active = 2;
  int64_t repeat = 1;
  bool chrome_trace = false;  // write trace_filename per rank beside the session
  std::string trace_filename = "trace.json";
  bool tensorboard = false;  // the same trace where TensorBoard's profiler plugin looks for it
};

struct ShardedRunConfig {
  std::string logging_level = "INFO";  // DEBUG, INFO, WARNING or ERROR
  TrainingConfig training;
  OptimizerConfig optimizer;
  SchedulerConfig scheduler;
  DatasetConfig dataset;
  ModelConfig model;
  FsdpConfig fsdp;
  DistributedConfig distributed;
  CompileConfig compile;
  StreamsConfig streams;
  DataloaderConfig dataloader;
  ProfilingConfig profiling;
};

// One object per section, keys and words as in the files; what a file may leave out, JSON may too. from_json throws
// what nlohmann-json throws: use from_json_value().
void to_json(Json& json, const ShardedRunConfig& config);
void from_json(const Json& json, ShardedRunConfig& config);

// Which rank a process is, and how it finds rank 0: from a launcher's variables, or all of one node.
struct RankPlace {
  int32_t rank = 0;
  int32_t ranks = 1;
  int32_t local_rank = 0;  // of this node
  int32_t local_ranks = 1;
  std::string address;         // of rank 0's node; "": this node
  int32_t port = 0;            // 0: none was said
  bool port_is_taken = false;  // a launcher's agent owns the port: bind another
};

}  // namespace aaco::sharded
