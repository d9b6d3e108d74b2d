// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/board/pins.h"

#include <cassert>

#include "sim/isa/bits.h"
#include "sim/isa/fault.h"

namespace muster::board {
namespace {

// Where the operations begin.
constexpr std::size_t kIssue = 6;
constexpr std::size_t kLifecycle = 18;
constexpr std::size_t kExit = 26;
constexpr std::size_t kGroup = 32;
constexpr std::size_t kAsync = 47;
constexpr std::size_t kRemote = 57;
constexpr std::size_t kEnd = 71;

// Fields one after the other, low bits first.
class Writer {
 public:
  Writer(Bytes* bytes, std::size_t at) : bytes_(*bytes), bit_(8 * at) {}

  Writer& Put(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i, ++bit_) {
      const auto mask = static_cast<std::uint8_t>(1U << bit_ % 8);
      std::uint8_t& byte = bytes_[bit_ / 8];
      byte = static_cast<std::uint8_t>((value >> i & 1) != 0 ? byte | mask : byte & ~mask);
    }
    return *this;
  }
  template <typename Enum>
  Writer& PutCode(Enum code, unsigned width) {
    return Put(static_cast<std::uint64_t>(code), width);
  }

 private:
  Bytes& bytes_;
  std::size_t bit_;
};

class Reader {
 public:
  explicit Reader(const Bytes& bytes) : bytes_(bytes) {}

  template <typename Number = std::uint64_t>
  Number Get(unsigned width) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i, ++bit_) {
      value |= std::uint64_t{static_cast<std::uint8_t>(bytes_[bit_ / 8] >> bit_ % 8 & 1)} << i;
    }
    return static_cast<Number>(value);
  }
  bool Bit() { return Get(1) != 0; }
  MbPlace Place() {
    MbPlace place;
    place.addr = Get<std::uint32_t>(32);
    place.cta = Get<std::uint8_t>(5);
    return place;
  }
  // To the next whole byte.
  void Align() { bit_ = (bit_ + 7) / 8 * 8; }
  std::size_t bytes_left() const { return bytes_.size() - (bit_ + 7) / 8; }

 private:
  const Bytes& bytes_;
  std::size_t bit_ = 0;
};

void EncodeMbarrier(const MbInputs& mb, bool remote, Bytes* pins) {
  if (mb.issue_valid) {
    const MbOperation& group = mb.issue;
    Writer(pins, kGroup)
        .Put(group.releasing, 1)
        .Put(group.whole, 1)
        .Put(group.has_hint, 1)
        .Put(group.has_token, 1)
        .Put(group.phase, 1)
        .Put(group.operand, 32)
        .Put(group.lanes, 32)
        .Put(group.warp, 6)
        .Put(group.addr, 32)
        .Put(group.cta, 5)
        .PutCode(group.op, 4);
  }
  if (mb.async_valid) {
    Writer(pins, kAsync)
        .Put(mb.async.operand, 32)
        .Put(mb.async.addr, 32)
        .Put(mb.async.cta, 5)
        .PutCode(mb.async.op, 4);
  }
  assert(remote || !mb.remote_valid);
  if (mb.remote_valid) {
    Writer(pins, kRemote)
        .Put(mb.remote.has_token, 1)
        .Put(mb.remote.operand, 32)
        .Put(mb.remote.lanes, 32)
        .Put(mb.remote.addr, 32)
        .Put(mb.remote.cta, 5)
        .PutCode(mb.remote.op, 4);
  }
}

Outputs::Fault DecodeFault(Reader* reader) {
  Outputs::Fault fault;
  fault.bar = reader->Get<std::uint8_t>(4);
  fault.lanes = reader->Get<std::uint32_t>(32);
  fault.warp = reader->Get<std::uint8_t>(6);
  fault.cta = reader->Get<std::uint8_t>(5);
  fault.cause = reader->Get<FaultCause>(5);
  reader->Align();
  return fault;
}

void DecodeLevels(Reader* reader, Outputs* out) {
  out->issue_ready = reader->Get<std::uint8_t>(1);
  out->lifecycle_ready = reader->Bit();
  out->exit_ready = reader->Bit();
  out->commit_valid = reader->Get<std::uint8_t>(1);
  out->commit_lifecycle = reader->Bit();
  out->commit_exit = reader->Bit();
  out->response_valid = reader->Bit();
  out->entry_valid = reader->Bit();
  out->fault_valid = reader->Get<std::uint8_t>(3);
  reader->Align();
  out->busy = reader->Get(8);
  out->fence_req = reader->Get(8);
  out->released = reader->Get(8);
  out->debug_word = reader->Get<std::uint32_t>(32);
  out->debug_warp_cta = reader->Get<std::uint8_t>(5);
  out->debug_live = reader->Bit();
  out->debug_waiting = reader->Bit();
  reader->Align();
}

void DecodeEvents(Reader* reader, Outputs* out) {
  out->commit_warp[0] = reader->Get<std::uint8_t>(6);
  reader->Align();
  out->release_value = reader->Get<std::uint16_t>(12);
  out->release_kind = reader->Get<BarKind>(3);
  out->release_bar = reader->Get<std::uint8_t>(4);
  out->release_cta = reader->Get<std::uint8_t>(5);
  out->response_pred = reader->Bit();
  out->response_data = reader->Get<std::uint32_t>(32);
  out->response_warp = reader->Get<std::uint8_t>(6);
  reader->Align();
  out->fault[0] = DecodeFault(reader);
  out->fault[1] = DecodeFault(reader);
  out->fault[2] = out->fault[1];
  out->entry_word = reader->Get<std::uint32_t>(32);
  out->entry_bar = reader->Get<std::uint8_t>(4);
  out->entry_cta = reader->Get<std::uint8_t>(5);
  reader->Align();
}

void DecodeMbLevels(Reader* reader, MbOutputs* mb) {
  mb->issue_ready = reader->Bit();
  mb->async_ready = reader->Bit();
  mb->remote_ready = reader->Bit();
  mb->held_valid = reader->Get<std::uint8_t>(kMbHeld);
  mb->read_valid = reader->Bit();
  mb->write_valid = reader->Bit();
  mb->response_valid = reader->Bit();
  mb->fault_valid = reader->Bit();
  mb->commit_valid = reader->Bit();
  reader->Align();
  mb->busy = reader->Get(8);
  mb->fence_req = reader->Get(8);
  mb->wake = reader->Get(8);
  mb->expire = reader->Get(8);
}

void DecodeMbEvents(Reader* reader, MbOutputs* mb) {
  mb->write_data = reader->Get(64);
  mb->write_place = reader->Place();
  mb->read_place = reader->Place();
  mb->held = {reader->Place(), reader->Place(), mb->write_place};
  reader->Align();
  mb->response.token = reader->Get(64);
  mb->response.complete = reader->Bit();
  mb->response.operand = reader->Get<std::uint32_t>(20);
  mb->response.op = reader->Get<MbOp>(4);
  mb->response.lanes = reader->Get<std::uint32_t>(32);
  mb->response.warp = reader->Get<std::uint8_t>(6);
  reader->Align();
  mb->fault.place = reader->Place();
  mb->fault.lanes = reader->Get<std::uint32_t>(32);
  mb->fault.warp = reader->Get<std::uint8_t>(6);
  mb->fault.source = reader->Get<MbSource>(2);
  mb->fault.cause = reader->Get<FaultCause>(5);
  reader->Align();
  mb->commit.warp = reader->Get<std::uint8_t>(6);
  reader->Align();
  mb->commit.lanes = reader->Get<std::uint32_t>(32);
  mb->commit.parked = reader->Bit();
  mb->commit.completed = reader->Bit();
  mb->commit.written = reader->Bit();
  mb->commit.source = reader->Get<MbSource>(2);
  reader->Align();
  mb->commit.place = mb->write_place;
  mb->commit.word = mb->write_data;
}

}  // namespace

void EncodePins(const Identity& identity, const Inputs& in, Bytes* pins) {
  pins->resize(identity.remote ? kEnd : identity.mbarrier ? kRemote : kGroup);
  const MbInputs& mb = in.mb;
  Writer(pins, 0)
      .Put(in.issue_valid, 1)
      .Put(in.lifecycle_valid, 1)
      .Put(in.response_ready, 1)
      .Put(in.exit_valid, 1);
  Writer(pins, 1)
      .Put(mb.issue_valid, 1)
      .Put(mb.async_valid, 1)
      .Put(mb.remote_valid, 1)
      .Put(mb.response_ready, 1)
      .Put(mb.read_ready, 1)
      .Put(mb.rdata_valid, 1)
      .Put(mb.write_ready, 1)
      .Put(mb.yield, 1);
  Writer(pins, 2)
      .Put(in.fence_ack, 8)
      .Put(mb.fence_ack, 8)
      .Put(in.debug_bar, 4)
      .Put(in.debug_cta, 5)
      .Put(in.debug_warp, 6);
  if (in.issue_valid != 0) {
    const Operation& operation = in.issue[0];
    Writer(pins, kIssue)
        .Put(operation.operand, 32)
        .Put(operation.lanes, 32)
        .Put(operation.count, 12)
        .Put(operation.bar, 4)
        .Put(operation.warp, 6)
        .Put(operation.cta, 5)
        .PutCode(operation.kind, 4);
  }
  if (in.lifecycle_valid) {
    const Operation& operation = in.lifecycle;
    Writer(pins, kLifecycle)
        .Put(operation.warps, 8)
        .Put(operation.lanes, 32)
        .Put(operation.warp, 6)
        .Put(operation.size, 7)
        .Put(operation.cta, 5)
        .Put(static_cast<unsigned>(operation.kind) - static_cast<unsigned>(OpKind::kLaunch), 3);
  }
  if (in.exit_valid) {
    Writer(pins, kExit).Put(in.exit.lanes, 32).Put(in.exit.warp, 6).Put(in.exit.cta, 5);
  }
  if (identity.mbarrier) {
    EncodeMbarrier(mb, identity.remote, pins);
  }
}

bool DecodeOutputs(const Identity& identity, const Bytes& report, Outputs* out) {
  constexpr std::size_t kLevels = 10;
  constexpr std::size_t kMbLevels = 6;
  constexpr std::size_t kEvents = 29;
  constexpr std::size_t kMbEvents = 60;
  const std::size_t levels = kLevels + (identity.mbarrier ? kMbLevels : 0);
  const std::size_t size = report.size();
  const bool events = size == levels + kEvents || size == levels + kEvents + kMbEvents;
  const bool mb_events = identity.mbarrier && size == levels + kEvents + kMbEvents;
  if (size != levels && !events) {
    return false;
  }
  Reader reader(report);
  DecodeLevels(&reader, out);
  if (identity.mbarrier) {
    DecodeMbLevels(&reader, &out->mb);
  }
  if (events) {
    DecodeEvents(&reader, out);
  }
  if (mb_events) {
    DecodeMbEvents(&reader, &out->mb);
  }
  return reader.bytes_left() == 0;
}

}  // namespace muster::board
