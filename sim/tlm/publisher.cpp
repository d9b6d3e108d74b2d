// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/tlm/publisher.h"

#include <algorithm>
#include <cstddef>

#include "sim/isa/bits.h"

namespace muster::tlm {
namespace {

constexpr std::size_t kUsuallyKept = 1024;  // of an initiator that runs some hundred cycles ahead

}  // namespace

Publisher::Publisher(const sc_core::sc_module_name& name, unsigned num_warps,
                     const golden::Model& model, const golden::Mbarriers& mbarriers)
    : sc_core::sc_module(name),
      faults("faults"),
      model_(model),
      mbarriers_(mbarriers),
      warps_(num_warps) {
  kept_.reserve(kUsuallyKept);
  SC_HAS_PROCESS(Publisher);
  SC_METHOD(ShowDue);
  sensitive << due_;
  dont_initialize();
}

void Publisher::Wake(const sc_core::sc_time& at, golden::WarpSet warps, const Release& release) {
  ForEachBit(warps, [this](unsigned warp) { ++warps_[warp].releases_due; });
  Keep(at, Released{warps, release});
}

void Publisher::Give(const sc_core::sc_time& at, const MbAnswer& answer) {
  ++warps_[answer.warp].answers_due;
  Keep(at, Answered{answer.warp, {answer.lanes, answer.complete}});
}

void Publisher::Report(const sc_core::sc_time& at, const Fault& fault) { Keep(at, fault); }

void Publisher::Reset() {
  kept_.clear();
  due_.cancel();
  for (Warp& warp : warps_) {
    warp.release = Release();
    warp.answer = Answer();
    warp.releases_due = 0;
    warp.answers_due = 0;
  }
}

bool Publisher::waits(unsigned warp) const {
  return (model_.Waiting() & Bit(warp)) != 0 || warps_[warp].releases_due != 0;
}

bool Publisher::parked(unsigned warp) const {
  return (mbarriers_.Parked() & Bit(warp)) != 0 || warps_[warp].answers_due != 0;
}

void Publisher::Keep(const sc_core::sc_time& at,
                     const std::variant<Released, Answered, Fault>& what) {
  const std::uint64_t number = next_number_++;
  kept_.push_back({at, number, what});
  std::push_heap(kept_.begin(), kept_.end(), IsLater);
  if (kept_.front().number == number) {
    due_.notify(at - sc_core::sc_time_stamp());
  }
}

void Publisher::ShowDue() {
  while (!kept_.empty() && kept_.front().at <= sc_core::sc_time_stamp()) {
    std::pop_heap(kept_.begin(), kept_.end(), IsLater);
    const Entry entry = kept_.back();
    kept_.pop_back();
    std::visit([this](const auto& what) { Show(what); }, entry.what);
  }
  if (!kept_.empty()) {
    due_.notify(kept_.front().at - sc_core::sc_time_stamp());
  }
}

// A delta cycle later, so that who is about to wait in this one is woken too.
void Publisher::Show(const Released& released) {
  ForEachBit(released.warps, [&](unsigned slot) {
    Warp& warp = warps_[slot];
    --warp.releases_due;
    warp.release = released.release;
    warp.released.notify(sc_core::SC_ZERO_TIME);
  });
}

void Publisher::Show(const Answered& answered) {
  Warp& warp = warps_[answered.warp];
  --warp.answers_due;
  warp.answer = answered.answer;
  warp.answered.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace muster::tlm
