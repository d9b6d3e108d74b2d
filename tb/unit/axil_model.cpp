// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/unit/axil_model.h"

#include <algorithm>

#include "rtl/adapters/axil/muster_axil.h"

namespace muster::axil {
namespace {

constexpr std::uint32_t kMost = ~0U;
constexpr std::uint32_t kMostLost = 0xffff;

std::uint32_t Bytes(std::uint32_t strobes) {
  std::uint32_t mask = 0;
  for (unsigned b = 0; b < 4; ++b) {
    mask |= ((strobes >> b) & 1U) * (0xffU << (8 * b));
  }
  return mask;
}

std::uint32_t Add(std::uint32_t value, std::uint32_t more) {
  return more > kMost - value ? kMost : value + more;
}

constexpr bool Exists(std::uint32_t address) { return address < 0xc0; }
constexpr bool Writes(std::uint32_t address) {
  return address == MUSTER_AXIL_CONTROL || address == MUSTER_AXIL_IRQ_PENDING ||
         address == MUSTER_AXIL_IRQ_ENABLE || address == MUSTER_AXIL_DEBUG_INDEX;
}

}  // namespace

void Model::Reset() {
  answers_ = {};
  answers_.awready = answers_.wready = answers_.arready = true;
  any_data_ = true;
  address_held_.reset();
  read_held_.reset();
  has_data_ = false;
  read_age_ = 0;
  freeze_ = clear_counters_ = clear_faults_ = take_ = false;
  pending_ = cleared_ = enable_ = index_ = resident_ = lost_ = falling_ = counter_ = 0;
  index_age_ = since_report_ = 9;
  log_.clear();
  taken_.reset();
  entries_ = arrived_ = {};
  warps_ = {};
  sums_ = change_ = completes_ = completed_ = waited_ = {};
}

std::uint32_t Model::DebugWarp() const {
  const unsigned warp = (index_ >> 16) & 63U;
  const WarpState& state = warps_[2][warp];
  if (warp >= sizes_.warps || !state.live || ((resident_ >> state.cta) & 1U) == 0) {
    return 0;
  }
  return (state.waiting ? 0x200U : 0) | 0x100U | state.cta;
}

std::uint32_t Model::Register(std::uint32_t address) const {
  const Fault fault = taken_.value_or(Fault{});
  const unsigned cta = (index_ >> 8) & 31U;
  const auto count = static_cast<std::uint32_t>(log_.size());
  switch (address) {
    case MUSTER_AXIL_ID:
      return 0x4d555354;
    case MUSTER_AXIL_VERSION:
      return MUSTER_AXIL_TEST_VERSION;
    case MUSTER_AXIL_CONFIG:
      return sizes_.issue << 16 | sizes_.ctas << 8 | sizes_.warps;
    case MUSTER_AXIL_FEATURES:
      return sizes_.features;
    case MUSTER_AXIL_CONTROL:
      return freeze_ ? 1 : 0;
    case MUSTER_AXIL_IRQ_PENDING:
      return pending_;
    case MUSTER_AXIL_IRQ_ENABLE:
      return enable_;
    case MUSTER_AXIL_RESIDENT:
      return resident_;
    case MUSTER_AXIL_FAULT_STATUS:
      return (lost_ > 0 ? 0x400U : 0) | (count == kLog ? 0x200U : 0) | (count == 0 ? 0x100U : 0) |
             count;
    case MUSTER_AXIL_FAULT_LOST:
      return lost_;
    case MUSTER_AXIL_FAULT:
      return !taken_ ? 0
                     : 1U << 31 | fault.port << 28 | fault.bar << 24 | fault.warp << 16 |
                           fault.cta << 8 | fault.cause;
    case MUSTER_AXIL_FAULT_LANES:
      return fault.lanes;
    case MUSTER_AXIL_FAULT_ADDRESS:
      return fault.address;
    case MUSTER_AXIL_DEBUG_INDEX:
      return index_;
    case MUSTER_AXIL_DEBUG_ENTRY:
      return ((resident_ >> cta) & 1U) != 0 ? entries_[cta][index_ & 15U] : 0;
    case MUSTER_AXIL_DEBUG_WARP:
      return DebugWarp();
    default:
      break;
  }
  return counter_;
}

std::uint32_t Model::Counter(std::uint32_t address) const {
  if (!sizes_.counters || !Exists(address)) {
    return 0;
  }
  const unsigned bar = (address >> 2) & 15U;
  return address < MUSTER_AXIL_WAITED(0) ? completed_[bar] : waited_[bar];
}

void Model::StepReads(const Requests& requests) {
  if (answers_.rvalid && requests.rready) {
    answers_.rvalid = false;
    any_data_ = true;
    read_held_.reset();
    answers_.arready = true;
    return;
  }
  if (answers_.rvalid) {
    return;
  }
  if (!read_held_) {
    if (requests.arvalid) {
      read_held_ = requests.araddr & ~3U;
      read_age_ = 1;
      answers_.arready = false;
    }
    return;
  }
  take_ = read_age_ == 1 && read_held_ == MUSTER_AXIL_FAULT;
  reads_counter_ = read_age_ == 1;
  if (read_age_ == 4) {
    const bool debug =
        read_held_ == MUSTER_AXIL_DEBUG_ENTRY || read_held_ == MUSTER_AXIL_DEBUG_WARP;
    answers_.rvalid = true;
    answers_.rdata = Register(*read_held_);
    answers_.rresp = Exists(*read_held_) ? kOkay : kSlvErr;
    any_data_ = debug && index_age_ < 3;
    refused += Exists(*read_held_) ? 0 : 1;
    late_reports +=
        read_held_ == MUSTER_AXIL_DEBUG_ENTRY && !any_data_ && since_report_ < 3 ? 1 : 0;
  }
  ++read_age_;
}

void Model::Write(std::uint32_t address, std::uint32_t data, std::uint32_t mask) {
  const std::uint32_t written = data & mask;
  switch (address) {
    case MUSTER_AXIL_CONTROL:
      freeze_ = ((mask & 1U) != 0 ? written & 1U : freeze_) != 0;
      clear_counters_ = (written & 2U) != 0;
      clear_faults_ = (written & 4U) != 0;
      break;
    case MUSTER_AXIL_IRQ_PENDING:
      cleared_ = written;
      break;
    case MUSTER_AXIL_IRQ_ENABLE:
      enable_ = ((enable_ & ~mask) | written) & 3U;
      break;
    case MUSTER_AXIL_DEBUG_INDEX:
      index_ = ((index_ & ~mask) | written) & 0x3f1f0fU;
      index_age_ = 0;
      since_report_ = 9;
      break;
    default:
      break;
  }
}

void Model::StepWrites(const Requests& requests) {
  if (answers_.bvalid) {
    answers_.bvalid = !requests.bready;
  } else if (address_held_ && has_data_) {
    answers_.bvalid = true;
    answers_.bresp = Writes(*address_held_) ? kOkay : kSlvErr;
    refused += Writes(*address_held_) ? 0 : 1;
    Write(*address_held_, data_held_, mask_held_);
    address_held_.reset();
    has_data_ = false;
    answers_.awready = answers_.wready = true;
    return;
  }
  if (requests.awvalid && !address_held_) {
    address_held_ = requests.awaddr & ~3U;
    answers_.awready = false;
  }
  if (requests.wvalid && !has_data_) {
    data_held_ = requests.wdata;
    mask_held_ = Bytes(requests.wstrb);
    has_data_ = true;
    answers_.wready = false;
  }
}

void Model::StepFaults(const std::vector<Fault>& faults) {
  if (take_) {
    taken_.reset();
    if (!log_.empty()) {
      taken_ = log_.front();
      log_.pop_front();
    }
  }
  lost_ = std::min(lost_ + falling_, kMostLost);
  if (clear_faults_) {
    log_.clear();
    lost_ = 0;
  }
  log_.insert(log_.end(), faults.begin(), faults.end());
  pending_ &= ~cleared_;
  pending_ |= (faults.empty() ? 0U : 1U) | (falling_ == 0 ? 0U : 2U);
  for (falling_ = 0; log_.size() > kLog; ++falling_) {
    log_.pop_front();
  }
  lost_in_all += falling_;
}

void Model::StepCounters(const Shown& shown, bool frozen) {
  for (unsigned b = 0; b < kNumBars; ++b) {
    if (clear_counters_) {
      completed_[b] = waited_[b] = 0;
    } else if (!frozen) {
      completed_[b] = Add(completed_[b], completes_[b]);
      waited_[b] = Add(waited_[b], sums_[b]);
    }
    sums_[b] += change_[b];
  }
  change_ = completes_ = {};
  if (shown.report) {
    std::uint32_t& arrived = arrived_[shown.report->cta][shown.report->bar];
    const std::uint32_t now = (shown.report->word >> 12) & 127U;
    change_[shown.report->bar] = now - arrived;
    completes_[shown.report->bar] = (shown.report->word >> 26) == 0 ? 1 : 0;
    arrived = now;
  }
  if (shown.slot) {
    for (unsigned b = 0; b < kNumBars; ++b) {
      change_[b] = 0U - arrived_[shown.slot->cta][b];
      arrived_[shown.slot->cta][b] = 0;
    }
  }
}

void Model::Step(const Requests& requests, const Shown& shown) {
  if (shown.report) {
    entries_[shown.report->cta][shown.report->bar] = shown.report->word;
    const bool indexed =
        shown.report->cta == ((index_ >> 8) & 31U) && shown.report->bar == (index_ & 15U);
    since_report_ = indexed ? 0 : since_report_;
  }
  std::rotate(warps_.begin(), warps_.end() - 1, warps_.end());
  warps_[0] = shown.warps;
  ++index_age_;
  take_ = reads_counter_ = clear_faults_ = clear_counters_ = false;
  cleared_ = 0;
  const bool frozen = freeze_;
  StepReads(requests);
  StepWrites(requests);
  if (reads_counter_) {
    counter_ = clear_counters_ ? 0 : Counter(*read_held_);
  }
  StepCounters(shown, frozen);
  StepFaults(shown.faults);
  if (shown.slot) {
    const std::uint32_t bit = 1U << shown.slot->cta;
    resident_ = shown.slot->taken ? resident_ | bit : resident_ & ~bit;
    entries_[shown.slot->cta] = {};
  }
  ++since_report_;
  answers_.irq = (pending_ & enable_) != 0;
}

}  // namespace muster::axil
