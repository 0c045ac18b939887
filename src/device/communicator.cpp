// SPDX-License-Identifier: MIT
#include "device/communicator.h"

#include <bit>
#include <cstddef>
#include <cstdlib>

namespace aaco {

const char* name_of(Collective collective) {
  switch (collective) {
    case Collective::kAllReduce:
      return "all_reduce";
    case Collective::kReduceScatter:
      return "reduce_scatter";
    case Collective::kAllGather:
      return "all_gather";
    case Collective::kAllToAll:
      return "all_to_all";
    case Collective::kBroadcast:
      return "broadcast";
    case Collective::kSendNext:
      return "send_next";
  }
  return "?";
}

Result<std::unique_ptr<RegisteredMemory>> Communicator::add_memory(const Buffer& /*memory*/) {
  return Error{ErrorKind::kUnavailable, "collectives " + info().library + " have no symmetric memory",
               "set distributed.collectives=kernel"};
}

double bus_bytes(Collective collective, int64_t count, Dtype dtype, int32_t ranks) {
  const double bytes = static_cast<double>(count) * static_cast<double>(size_of(dtype));
  const double others = ranks - 1;
  switch (collective) {
    case Collective::kAllReduce:
      return 2 * bytes * others / ranks;
    case Collective::kReduceScatter:
    case Collective::kAllGather:
    case Collective::kAllToAll:  // the whole is `ranks` times the count
      return bytes * others;
    case Collective::kBroadcast:
    case Collective::kSendNext:
      return bytes;
  }
  return 0;
}

namespace {

// Rank 0 of ranks that all hold its data, with operations and copies of its stream alone:
//   kAllReduce      receive = ranks * send
//   kReduceScatter  receive = ranks * chunk 0 of send
//   kAllGather      every chunk of receive = send
//   kAllToAll       every chunk of receive = chunk 0 of send, which is what each rank has for rank 0
//   kBroadcast      receive = send (from rank 0), kSendNext likewise (what rank ranks - 1 holds)
// Multiplied in fp32 and rounded once; int32 in integers, and then a sum in place needs a number of ranks that is a
// power of two, else the program ends. What would arrive over the link is moved within the device, so that about
// bus_bytes() are written and as many read; a chunk that would be copied onto itself is read and written in place.
class EmulatedCommunicator : public Communicator {
 public:
  explicit EmulatedCommunicator(int32_t ranks) : info_{ranks, ranks > 1, "emulated on one device"} {}

  const CommunicatorInfo& info() const override { return info_; }
  void enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count, Dtype dtype) override;

 private:
  void all_reduce(const CollectivePart& part, int64_t count, Dtype dtype) const;
  void reduce_scatter(const CollectivePart& part, int64_t count, Dtype dtype) const;
  void scale(Stream& stream, const void* from, void* to, int64_t count, Dtype dtype) const;

  CommunicatorInfo info_;
};

const void* at(const void* base, int64_t element, Dtype dtype) {
  return static_cast<const std::byte*>(base) + element * size_of(dtype);
}
void* at(void* base, int64_t element, Dtype dtype) { return static_cast<std::byte*>(base) + element * size_of(dtype); }

// Reads and writes so many elements; what is there stays.
void pass_over(Stream& stream, void* data, int64_t count, Dtype dtype) {
  if (dtype == Dtype::kI32) {
    stream.launch(BinaryArgs{data, data, data, count, count, 1, BinaryOp::kMax, 1, dtype});
  } else if (dtype != Dtype::kU8) {
    stream.launch(UnaryArgs{data, data, count, UnaryOp::kScaleShift, 1, 0, dtype, dtype});
  }
}

void move(Stream& stream, void* to, const void* from, int64_t count, Dtype dtype) {
  if (to == from) {
    pass_over(stream, to, count, dtype);
  } else {
    stream.copy(to, from, static_cast<size_t>(count * size_of(dtype)));
  }
}

void EmulatedCommunicator::scale(Stream& stream, const void* from, void* to, int64_t count, Dtype dtype) const {
  if (dtype != Dtype::kI32) {
    stream.launch(UnaryArgs{from, to, count, UnaryOp::kScaleShift, static_cast<float>(info_.ranks), 0, dtype, dtype});
    return;
  }
  // Digit by digit: twice what is there, and once `from` where the digit is 1.
  const auto ranks = static_cast<uint32_t>(info_.ranks);
  if (from == to && !std::has_single_bit(ranks)) {
    std::abort();
  }
  const void* sum = from;
  for (int digit = std::bit_width(ranks) - 2; digit >= 0; --digit) {
    stream.launch(BinaryArgs{sum, sum, to, count, count, 1, BinaryOp::kAdd, 1, dtype});
    sum = to;
    if ((ranks >> digit & 1U) != 0) {
      stream.launch(BinaryArgs{sum, from, to, count, count, 1, BinaryOp::kAdd, 1, dtype});
    }
  }
  if (sum != to) {
    move(stream, to, from, count, dtype);
  }
}

void EmulatedCommunicator::all_reduce(const CollectivePart& part, int64_t count, Dtype dtype) const {
  // The sums of the others' slices arrive, and the own slice, summed, is what they get.
  const int64_t own = count / info_.ranks;
  if (own < count) {
    move(*part.stream, at(part.receive, own, dtype), at(part.send, own, dtype), count - own, dtype);
  }
  scale(*part.stream, part.send, part.receive, count, dtype);
}

void EmulatedCommunicator::reduce_scatter(const CollectivePart& part, int64_t count, Dtype dtype) const {
  for (int32_t rank = 1; rank < info_.ranks; ++rank) {
    const void* chunk = at(part.send, rank * count, dtype);
    if (part.receive == part.send) {  // in place: chunk 0 is needed yet
      pass_over(*part.stream, at(part.receive, rank * count, dtype), count, dtype);
    } else {
      move(*part.stream, part.receive, chunk, count, dtype);
    }
  }
  scale(*part.stream, part.send, part.receive, count, dtype);
}

void EmulatedCommunicator::enqueue(Collective collective, std::span<const CollectivePart> parts, int64_t count,
                                   Dtype dtype) {
  const CollectivePart& part = parts.front();
  if (count == 0) {
    return;
  }
  switch (collective) {
    case Collective::kAllReduce:
      return all_reduce(part, count, dtype);
    case Collective::kReduceScatter:
      return reduce_scatter(part, count, dtype);
    case Collective::kAllGather:
    case Collective::kAllToAll:
      for (int32_t rank = 0; rank < info_.ranks; ++rank) {
        move(*part.stream, at(part.receive, rank * count, dtype), part.send, count, dtype);
      }
      return;
    case Collective::kBroadcast:
    case Collective::kSendNext:
      return move(*part.stream, part.receive, part.send, count, dtype);
  }
}

}  // namespace

std::unique_ptr<Communicator> make_emulated_communicator(Device& /*device*/, int32_t ranks) {
  return std::make_unique<EmulatedCommunicator>(ranks);
}

}  // namespace aaco
