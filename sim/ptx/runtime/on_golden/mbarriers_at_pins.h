// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Plays the unit's shared-memory scope at its pins with the golden model alone: a group at a time,
// lane by lane where it is no wait. A turn wakes and a response comes two cycles after the commit.
#ifndef MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_MBARRIERS_AT_PINS_H_
#define MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_MBARRIERS_AT_PINS_H_

#include <array>
#include <cstdint>
#include <deque>
#include <optional>

#include "sim/golden/mbarrier.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/port/driver.h"

namespace muster::ptx {

class GoldenMbarriers {
 public:
  GoldenMbarriers(const Config& config, const golden::Model& core)
      : config_(config), words_(core, config.smem_bytes, config.report) {}

  void Settle(std::uint64_t cycle, const MbInputs& in, lockstep::Driver* driver, MbOutputs* out) {
    if (const auto event = std::exchange(committed_, std::nullopt)) {
      driver->OnMbEvent(cycle - 1, event->event, event->effects);
    }
    for (const MbInputs::Store& store : in.stores) {
      Tell(cycle, EventOf(store), driver);
    }
    for (const MbOperation& operation : in.announced) {
      MbEvent event;
      event.operation = operation;
      Tell(cycle, event, driver);
    }
    Expire(cycle, driver, out);
    out->wake = std::exchange(wake_[cycle % kLatency], 0);
    out->wake_report = wake_report_[cycle % kLatency];
    out->response_valid = !responses_.empty() && responses_.front().due <= cycle;
    if (out->response_valid) {
      out->response = responses_.front().response;
      if (in.response_ready) {
        responses_.pop_front();
      }
    }
    bool committing = in.write_ready;
    for (Flight& flight : flights_) {
      const std::uint64_t bit = std::uint64_t{1} << flight.operation.warp;
      const bool of_warp = flight.valid && flight.operation.source == MbSource::kWarp;
      out->busy |= of_warp ? bit : 0;
      out->fence_req |= of_warp && !flight.drained ? bit : 0;
      if (flight.valid && flight.drained && committing) {
        Commit(cycle, &flight, out);
        committing = false;
      }
      flight.drained = flight.drained || (in.fence_ack & bit) != 0;
    }
    out->issue_ready = Accept(in.issue_valid, in.issue, in.fence_ack, &flights_[0]);
    out->async_ready = Accept(in.async_valid, in.async, ~std::uint64_t{0}, &flights_[1]);
    out->remote_ready = Accept(in.remote_valid, in.remote, ~std::uint64_t{0}, &flights_[2]);
  }

  // The CTA leaves its slot.
  void Leave(std::uint64_t cycle, const Operation& operation, lockstep::Driver* driver) {
    MbEvent event;
    event.kind = MbEvent::Kind::kLeave;
    event.how = operation.kind;
    event.operation.cta = operation.cta;
    Tell(cycle, event, driver);
  }

 private:
  static constexpr unsigned kLatency = 2;

  struct Flight {
    bool valid = false;
    bool drained = false;
    MbOperation operation;  // the lanes that are left
  };
  struct Response {
    std::uint64_t due = 0;
    MbOutputs::Response response;
  };
  struct Committed {
    MbEvent event;
    MbEffects effects;
  };

  void Tell(std::uint64_t cycle, const MbEvent& event, lockstep::Driver* driver) {
    driver->OnMbEvent(cycle, event, words_.Do(event));
  }

  void Expire(std::uint64_t cycle, lockstep::Driver* driver, MbOutputs* out) {
    for (std::uint64_t left = config_.mb_limit ? words_.Parked() : 0; left != 0; left &= left - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
      if (cycle < limits_[warp]) {
        continue;
      }
      MbEvent event;
      event.kind = MbEvent::Kind::kExpire;
      event.operation.warp = static_cast<std::uint8_t>(warp);
      Tell(cycle, event, driver);
      out->expire |= std::uint64_t{1} << warp;
    }
  }

  bool Accept(bool valid, const MbOperation& operation, std::uint64_t ack, Flight* flight) const {
    if (!valid || flight->valid) {
      return false;
    }
    *flight = {true, !config_.drain || !operation.releasing || ((ack >> operation.warp) & 1U) != 0,
               operation};
    return true;
  }

  // The lanes of a wait together; of anything else the next one.
  void Commit(std::uint64_t cycle, Flight* flight, MbOutputs* out) {
    MbOperation operation = flight->operation;
    operation.lanes = IsMbWait(operation.op) ? operation.lanes : operation.lanes & -operation.lanes;
    flight->operation.lanes &= ~operation.lanes;
    operation.behind |= IsMbArrival(operation.op) ? flight->operation.lanes : 0;
    flight->valid = flight->operation.lanes != 0;
    committed_.emplace();
    committed_->event.operation = operation;
    const MbEffects& effects = committed_->effects = words_.Step(operation);
    const auto lane = static_cast<unsigned>(__builtin_ctz(operation.lanes));
    out->commit_valid = true;
    out->commit.source = operation.source;
    out->commit.warp = operation.warp;
    out->commit.lanes = operation.lanes;
    out->commit.place = {operation.cta, operation.addr};
    out->commit.parked = effects.parked != 0;
    out->write_valid = effects.written;
    out->write_place = out->commit.place;
    out->write_data = effects.word;
    for (const MbAnswer& answer : effects.answers) {
      wake_[cycle % kLatency] |= std::uint64_t{1} << answer.warp;
      wake_report_[cycle % kLatency] = answer.report;
    }
    if (effects.parked != 0) {
      const std::uint64_t limit = operation.has_hint ? operation.operand : config_.wait_limit_ns;
      limits_[operation.warp] = cycle + limit * 1000 / config_.clock_period_ps + 1;
    } else if (operation.source == MbSource::kWarp && HasResponse(operation) &&
               effects.fault[lane] == FaultCause::kNone) {
      responses_.push_back({cycle + kLatency,
                            {operation.warp, operation.op, effects.complete != 0, operation.lanes,
                             operation.operand & kMaxMbCount,
                             IsMbWait(operation.op) ? effects.word : effects.token[lane]}});
    }
  }

  const Config config_;
  golden::Mbarriers words_;
  std::array<Flight, 3> flights_;  // of warps, copy engines and other CTAs
  std::optional<Committed> committed_;
  std::deque<Response> responses_;
  std::array<std::uint64_t, kLatency> wake_{};
  std::array<MbReport, kLatency> wake_report_{};
  std::array<std::uint64_t, kMaxWarps> limits_{};
};

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_RUNTIME_ON_GOLDEN_MBARRIERS_AT_PINS_H_
