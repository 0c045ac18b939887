// SPDX-License-Identifier: MIT
// read_traces REPEATS FILE...: bytes a second, of the text as it is uncompressed, for each file: getting the bytes
// alone (inflated where need be), every value of it by simdjson's parser (plain JSON only), reading it into an event
// table, and that with all analyses. In turns, each REPEATS times, the first cold. One JSON object a line: all of them,
// and the fastest by wall clock and by processor time, which a busy machine stretches less.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <simdjson.h>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "analysis/timeline/trace_summary.h"
#include "base/clock.h"
#include "ingest/bytes/byte_source.h"
#include "ingest/trace_format.h"

namespace {

[[noreturn]] void fail(const std::string& why) {
  fmt::print(stderr, "read_traces: {}\n", why);
  std::exit(2);
}

// All of a file in pieces, to `take(piece)`; how many bytes.
template <class Take>
uint64_t each_piece(const std::filesystem::path& path, const Take& take) {
  auto source = aaco::open_bytes(path);
  std::vector<char> piece(size_t{1} << 20);
  uint64_t bytes = 0;
  for (size_t count = source ? 1 : 0; count > 0; bytes += count) {
    const auto read = (*source)->read(piece);
    count = read ? *read : 0;
    take(std::string_view(piece.data(), count));
  }
  return bytes;
}

uint64_t bytes_of(const std::filesystem::path& path) {
  return each_piece(path, [](std::string_view) {});
}

// Looks at each value as the type that it is of.
size_t walk(simdjson::ondemand::value value) {
  size_t values = 1;
  switch (simdjson::ondemand::json_type(value.type())) {
    case simdjson::ondemand::json_type::object:
      for (auto field : value.get_object()) {
        values += std::string_view(field.unescaped_key()).size() > 0 ? walk(field.value()) : 0;
      }
      break;
    case simdjson::ondemand::json_type::array:
      for (auto element : value.get_array()) {
        values += walk(element.value());
      }
      break;
    case simdjson::ondemand::json_type::string:
      values += std::string_view(value.get_string()).empty() ? 0 : 1;
      break;
    case simdjson::ondemand::json_type::number:
      values += double(value.get_double()) < 0 ? 0 : 1;
      break;
    default:
      break;
  }
  return values;
}

void walk_all(const std::filesystem::path& path) {
  simdjson::ondemand::parser parser;
  std::string text;
  each_piece(path, [&](std::string_view piece) { text += piece; });
  text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
  simdjson::ondemand::document document = parser.iterate(text);
  size_t values = 0;
  if (document.type() == simdjson::ondemand::json_type::array) {
    for (auto element : document.get_array()) {
      values += walk(element.value());
    }
  } else {
    for (auto field : document.get_object()) {
      values += walk(field.value());
    }
  }
  if (values == 0) {
    fail("no values in " + path.string());
  }
}

size_t read(const std::filesystem::path& path, bool analyse) {
  const auto trace = aaco::read_trace({&path, 1});
  if (!trace || trace->events.size() == 0) {
    fail(trace ? path.string() + ": no events" : trace.error().message);
  }
  if (analyse && aaco::summarise_trace(trace->events).losses.entries().size() > 1000) {
    fail("losses");
  }
  return trace->events.size();
}

struct Work {
  const char* what;
  std::function<void()> run;
  std::vector<double> gb_per_s;
  double best_cpu = 0;
};

void measure(const std::filesystem::path& path, int repeats) {
  const auto bytes = static_cast<double>(bytes_of(path));
  size_t events = 0;
  std::vector<Work> all = {{"bytes", [&] { bytes_of(path); }, {}},
                           {"read", [&] { events = read(path, false); }, {}},
                           {"read and analyse", [&] { read(path, true); }, {}}};
  if (path.extension() == ".json") {
    all.push_back({"simdjson, every value", [&] { walk_all(path); }, {}});
  }
  for (int round = 0; round < repeats; ++round) {
    for (Work& work : all) {
      const int64_t began_ns = aaco::monotonic_ns();
      const std::clock_t cpu_began = std::clock();
      work.run();
      const double cpu_s = static_cast<double>(std::clock() - cpu_began) / CLOCKS_PER_SEC;
      work.gb_per_s.push_back(bytes / static_cast<double>(aaco::monotonic_ns() - began_ns));
      work.best_cpu = std::max(work.best_cpu, bytes / cpu_s / 1e9);
    }
  }
  struct rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  for (const Work& work : all) {
    fmt::print(
        "{{\"file\": \"{}\", \"what\": \"{}\", \"bytes\": {:.0f}, \"events\": {}, \"gb_per_s\": {:.3f}, "
        "\"gb_per_cpu_s\": {:.3f}, \"all\": [{:.3f}], \"peak_rss_of_all\": {}}}\n",
        path.filename().string(), work.what, bytes, events,
        *std::max_element(work.gb_per_s.begin(), work.gb_per_s.end()), work.best_cpu, fmt::join(work.gb_per_s, ", "),
        usage.ru_maxrss * 1024);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fail("REPEATS FILE...");
  }
  for (int i = 2; i < argc; ++i) {
    measure(argv[i], std::max(std::stoi(argv[1]), 1));
  }
  return 0;
}
