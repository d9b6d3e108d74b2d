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
  shown_ = 0;
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
  auto place = kept_.end();  // seldom another
  const auto front = kept_.begin() + static_cast<std::ptrdiff_t>(shown_);
  if (place != front && at < (place - 1)->at) {
    place = std::upper_bound(front, place, at,
                             [](const auto& time, const Entry& entry) { return time < entry.at; });
  }
  const bool earliest = place == front;
  kept_.insert(place, {at, what});
  if (earliest) {
    due_.notify(at - sc_core::sc_time_stamp());
  }
}

void Publisher::ShowDue() {
  const sc_core::sc_time now = sc_core::sc_time_stamp();
  while (shown_ != kept_.size() && kept_[shown_].at <= now) {
    const Entry entry = kept_[shown_++];  // a copy: whoever is told may transport, or reset
    std::visit([this](const auto& what) { Show(what); }, entry.what);
  }
  kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(shown_));
  shown_ = 0;
  if (!kept_.empty()) {
    due_.notify(kept_.front().at - sc_core::sc_time_stamp());
  }
}

void Publisher::Show(const Released& released) {
  const std::uint64_t now = sc_core::sc_delta_count();
  ForEachBit(released.warps, [&](unsigned slot) {
    Warp& warp = warps_[slot];
    --warp.releases_due;
    warp.release = released.release;
    warp.released.Give(now);
  });
}

void Publisher::Show(const Answered& answered) {
  Warp& warp = warps_[answered.warp];
  --warp.answers_due;
  warp.answer = answered.answer;
  warp.answered.Give(sc_core::sc_delta_count());
}

const sc_core::sc_event& Publisher::Notice::Ask() const {
  if (!asked_ && given_in_ == sc_core::sc_delta_count()) {
    event_.notify(sc_core::SC_ZERO_TIME);
  }
  asked_ = true;
  return event_;
}

void Publisher::Notice::Give(std::uint64_t now) {
  if (asked_) {
    event_.notify(sc_core::SC_ZERO_TIME);
  } else {
    given_in_ = now;
  }
}

}  // namespace muster::tlm
