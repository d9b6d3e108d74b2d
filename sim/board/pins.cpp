// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/board/pins.h"

#include <cassert>

#include "sim/port/bits.h"
#include "sim/port/structs.h"

namespace muster::board {
namespace {

// Where the structs of muster_fpga_pkg begin, in bits.
constexpr unsigned kMbPins = sv::cta_pins_t::kWidth;
constexpr unsigned kRemotePins = kMbPins + sv::mb_pins_t::kWidth;
constexpr unsigned kEndOfPins = kRemotePins + sv::mb_remote_pins_t::kWidth;

void EncodeMbarrier(const MbInputs& mb, bool remote, Bytes* pins) {
  if (mb.issue_valid) {
    sv::mb_group_t::Put(mb.issue, pins, kMbPins + sv::mb_pins_t::kGroup.low);
  }
  if (mb.async_valid) {
    sv::mb_async_t::Put(mb.async, pins, kMbPins + sv::mb_pins_t::kAsync.low);
  }
  assert(remote || !mb.remote_valid);
  if (mb.remote_valid) {
    sv::mb_remote_t::Put(mb.remote, pins, kRemotePins + sv::mb_remote_pins_t::kRemote.low);
  }
}

}  // namespace

void EncodePins(const Identity& identity, const Inputs& in, Bytes* pins) {
  using Pins = sv::cta_pins_t;
  pins->resize((identity.remote ? kEndOfPins : identity.mbarrier ? kRemotePins : kMbPins) / 8);
  const auto set = [&](BitField field, std::uint64_t value) { SetBits(pins, 0, field, value); };
  const MbInputs& mb = in.mb;
  set(Pins::kIssueValid, in.issue_valid);
  set(Pins::kLifecycleValid, in.lifecycle_valid);
  set(Pins::kResponseReady, in.response_ready);
  set(Pins::kExitValid, in.exit_valid);
  set(Pins::kMbIssueValid, mb.issue_valid);
  set(Pins::kMbAsyncValid, mb.async_valid);
  set(Pins::kMbRemoteValid, mb.remote_valid);
  set(Pins::kMbResponseReady, mb.response_ready);
  set(Pins::kReadReady, mb.read_ready);
  set(Pins::kRdataValid, mb.rdata_valid);
  set(Pins::kWriteReady, mb.write_ready);
  set(Pins::kYield, mb.yield);
  set(Pins::kFenceAck, in.fence_ack);
  set(Pins::kMbFenceAck, mb.fence_ack);
  set(Pins::kDebugBar, in.debug_bar);
  set(Pins::kDebugCta, in.debug_cta);
  set(Pins::kDebugWarp, in.debug_warp);
  if (in.issue_valid != 0) {
    sv::issue_t::Put(in.issue[0], pins, Pins::kIssue.low);
  }
  if (in.lifecycle_valid) {
    sv::lifecycle_t::Put(in.lifecycle, pins, Pins::kLifecycle.low);
    set(Pins::kWarps, in.lifecycle.warps);
  }
  if (in.exit_valid) {
    sv::exit_t::Put(in.exit, pins, Pins::kExit.low);
  }
  if (identity.mbarrier) {
    EncodeMbarrier(mb, identity.remote, pins);
  }
}

bool DecodeOutputs(const Identity& identity, const Bytes& report, Outputs* out) {
  const unsigned levels =
      sv::cta_levels_t::kWidth + (identity.mbarrier ? sv::mb_levels_t::kWidth : 0);
  const unsigned events = levels + sv::cta_events_t::kWidth;
  const std::size_t size = 8 * report.size();
  const bool has_mb_events = identity.mbarrier && size == events + sv::mb_events_t::kWidth;
  if (size != levels && size != events && !has_mb_events) {
    return false;
  }
  MbOutputs& mb = out->mb;
  sv::cta_levels_t::Get(report, out);
  if (identity.mbarrier) {
    sv::mb_levels_t::Get(report, &mb, sv::cta_levels_t::kWidth);
  }
  if (size != levels) {
    sv::cta_events_t::Get(report, out, levels);
    out->fault[2] = out->fault[1];
  }
  if (has_mb_events) {
    sv::mb_events_t::Get(report, &mb, events);
    mb.held.back() = mb.commit.place = mb.write_place;
    mb.commit.word = mb.write_data;
  }
  return true;
}

}  // namespace muster::board
