// SPDX-License-Identifier: MIT
// record_cost [BATCHES]: what recording takes: an event, which is one read of the time stamp counter and a checksummed
// row in a journal on disk; an iteration as the measuring loop has it, which is two reads and a row; an event of a
// table of events in its journal (one read of the counter, a record of 48 bytes and its seal), and one with two
// arguments; and a range for profilers where none listens. Each batch of 10,000 gives a mean; new pieces of the journal
// are in it. Batches of all take turns. Prints JSON.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/files/temporary_folder.h"
#include "device/ranges/profiler_ranges.h"
#include "engine/recorder.h"
#include "record/journal/event_journal.h"

static constexpr int kBatch = 10'000;

template <class Record>
static double mean_ns(Record record) {
  const int64_t began = aaco::monotonic_ns();
  for (int i = 0; i < kBatch; ++i) {
    record();
  }
  return static_cast<double>(aaco::monotonic_ns() - began) / kBatch;
}

static void print(const char* what, std::vector<double> means, const char* end) {
  std::sort(means.begin(), means.end());
  const auto at = [&](double share) {
    return means[static_cast<size_t>(share * static_cast<double>(means.size() - 1))];
  };
  std::printf("\"%s\": {\"median_ns\": %.2f, \"p99_ns\": %.2f, \"worst_ns\": %.2f}%s", what, at(0.5), at(0.99), at(1),
              end);
}

int main(int argc, char** argv) {
  const int batches = argc > 1 ? std::stoi(argv[1]) : 500;
  const auto folder = aaco::TemporaryFolder::create();
  auto recorder = folder ? aaco::Recorder::create(folder->path(), 0) : folder.error();
  if (!recorder || batches < 1) {
    std::fprintf(stderr, "record_cost: %s\n", recorder ? "BATCHES is a number" : recorder.error().message.c_str());
    return 2;
  }
  auto table = aaco::EventJournalWriter::create(folder->path() / "events.jrn");
  if (!table) {
    std::fprintf(stderr, "record_cost: %s\n", table.error().message.c_str());
    return 6;
  }
  aaco::Track track;
  track.recording = table->add_recording({"cost", "aaco"});
  aaco::TraceEvent event;
  event.track = table->add_track(track);
  event.name = table->intern("kernel");
  const aaco::StringId key = table->intern("bytes");
  std::vector<double> clock, events, iterations, table_events, with_arguments, ranges;
  const aaco::ProfilerRanges& listeners = aaco::ProfilerRanges::of_process();
  bool kept = true;
  uint64_t ticks = 0;
  for (int batch = 0; batch < batches; ++batch) {
    clock.push_back(mean_ns([&] { ticks += static_cast<uint64_t>(aaco::read_ticks()); }));
    events.push_back(mean_ns([&] {
      const aaco::Ticks now = aaco::read_ticks();
      kept = recorder->add(now, now, aaco::JournalPhase::kMeasure) && kept;
    }));
    iterations.push_back(mean_ns([&] {
      const aaco::Ticks start = aaco::read_ticks();
      const aaco::Ticks end = aaco::read_ticks_after();
      kept = recorder->add(start, end, aaco::JournalPhase::kMeasure) && kept;
    }));
    table_events.push_back(mean_ns([&] {
      event.start_ns = static_cast<int64_t>(aaco::read_ticks());
      kept = table->add(event) && kept;
    }));
    with_arguments.push_back(mean_ns([&] {
      event.start_ns = static_cast<int64_t>(aaco::read_ticks());
      const aaco::Argument two[] = {{key, aaco::ArgumentType::kInteger, 1}, {key, aaco::ArgumentType::kInteger, 2}};
      kept = table->add(event, two) && kept;
    }));
    ranges.push_back(mean_ns([&] {
      const aaco::ScopedRange range(listeners, "step");
      asm volatile("" ::: "memory");
    }));
  }
  if (!kept || ticks == 0) {
    std::fprintf(stderr, "record_cost: %s\n", recorder->error().message.c_str());
    return 6;
  }
  std::printf("{\"events\": %d, \"batch\": %d, ", batches * kBatch, kBatch);
  print("clock_read", std::move(clock), ", ");
  print("event", std::move(events), ", ");
  print("iteration", std::move(iterations), ", ");
  print("table_event", std::move(table_events), ", ");
  print("table_event_with_two_arguments", std::move(with_arguments), ", ");
  print("range", std::move(ranges), "}\n");
  return 0;
}
