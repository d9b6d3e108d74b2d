// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "tb/lockstep/random_mbarrier.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "sim/isa/bits.h"
#include "sim/isa/config.h"
#include "sim/isa/effects.h"
#include "sim/isa/fault.h"
#include "sim/isa/mbarrier_word.h"
#include "sim/port/token.h"

namespace muster::lockstep {
namespace {

constexpr std::uint64_t kOwnSeed = 0x6d62617272696572;  // differs from the driver's by this
constexpr std::uint64_t kBankSeed = 0x62616e6b;
constexpr unsigned kRestores = 4;  // words in a cycle
constexpr std::uint64_t kNever = ~std::uint64_t{0};

}  // namespace

RandomMbarrier::RandomMbarrier(const Config& config, const Residency& residency, std::uint64_t seed)
    : config_(config),
      residency_(residency),
      exact_(!config.faults),
      random_(seed ^ kOwnSeed),
      bank_(this, seed ^ kBankSeed) {}

// ------------------------------------------------------------------------------------------------
// Pins
// ------------------------------------------------------------------------------------------------

void RandomMbarrier::Begin(std::uint64_t cycle, const MbOutputs& seen, MbInputs* in) {
  cycle_ = cycle;
  if (in->issue_valid && seen.issue_ready) {
    in->issue_valid = false;
    const MbOperation& group = in->issue;
    const MbWord word = DecodeMbWord(At(group.cta, group.addr).word, config_.report);
    const bool current =
        group.asks == MbAsks::kConditional && word.v1 ? word.conditional : word.phase;
    const bool parks = IsTryWait(group.op) && group.whole && group.phase == current;
    if (parks && !race_ && random_.Percent(60) && word.pending == 1 && word.tx == 0) {
      race_.emplace();
      race_->cta = group.cta;
      race_->addr = group.addr;
      race_->lanes = 1;
      race_->operand = 1;
      race_at_ = cycle + random_.Below(7);
    }
  }
  in->async_valid = in->async_valid && !seen.async_ready;
  in->remote_valid = in->remote_valid && !seen.remote_ready;
  if (seen.response_valid && in->response_ready) {
    TakeResponse(seen.response);
  }
  for (std::uint64_t left = seen.wake | seen.expire; left != 0; left &= left - 1) {
    const auto at = static_cast<unsigned>(__builtin_ctzll(left));
    warps_[at].waiting &= ~warps_[at].answered;
    warps_[at].answered = 0;
    Refresh(at);
  }
  bank_.Cycle(seen, in);
}

void RandomMbarrier::Present(MbInputs* in) {
  if (cycle_ >= next_knobs_) {
    SetKnobs();
  }
  in->response_ready = rests_ || random_.Percent(knobs_.response);
  DriveStores(in);
  if (!in->issue_valid && PickIssue(&in->issue)) {
    in->issue_valid = true;
    in->issue.lanes |= LanesBeyond(config_, &random_);
  }
  if (rests_) {
    return;
  }
  in->async_valid = in->async_valid || PickOther(MbSource::kAsync, &in->async);
  if (remote_here_ && !in->remote_valid && PickOther(MbSource::kRemote, &in->remote)) {
    in->remote_valid = true;
    in->remote.lanes |= LanesBeyond(config_, &random_);
  }
}

void RandomMbarrier::SetKnobs() {
  next_knobs_ = cycle_ + random_.Between(100, 1500);
  knobs_.start = random_.Pick(std::array{0U, 2U, 10U, 30U, 100U});
  knobs_.async = random_.Pick(std::array{2U, 10U, 30U, 90U});
  knobs_.remote = random_.Pick(std::array{2U, 10U, 30U, 90U});
  knobs_.focus = random_.Pick(std::array{0U, 0U, 50U, 95U});
  knobs_.cold = random_.Pick(std::array{0U, 5U, 40U});
  knobs_.illegal = exact_ ? 0 : random_.Pick(std::array{0U, 3U, 10U, 30U});
  knobs_.stores = random_.Pick(std::array{0U, 0U, 1U, 5U});
  knobs_.response = random_.Pick(std::array{100U, 100U, 100U, 60U, 20U});
  knobs_.wide = random_.Pick(std::array{5U, 40U, 80U});
  knobs_.gather = random_.Pick(std::array{0U, 0U, 0U, 0U, 80U});
  knobs_.start = knobs_.gather != 0 ? 60 : knobs_.start;
  bank_.timing.latency = random_.Pick(std::array{1U, 1U, 1U, 2U, 4U});
  bank_.timing.more_latency = random_.Pick(std::array{0U, 0U, 0U, 5U});
  bank_.timing.read_stalls = random_.Pick(std::array{0U, 0U, 0U, 30U});
  bank_.timing.write_stalls = random_.Pick(std::array{0U, 0U, 0U, 30U});
  bank_.timing.one_port = random_.OneIn(5);
  if (const std::uint32_t running = residency_.RunningCtas(); running != 0) {
    focus_.cta = static_cast<std::uint8_t>(random_.Bit(running));
    focus_.addr = random_.Pick(hot_[focus_.cta]);
  }
}

bool RandomMbarrier::PickIssue(MbOperation* group) {
  if ((continuing_ == 0 || random_.Percent(20)) && !rests_ && random_.Percent(knobs_.start)) {
    if (const std::uint64_t able = AbleWarps(); able != 0) {
      Plan(random_.Bit(able));
    }
  }
  if (continuing_ == 0) {
    return false;
  }
  // While a group is in drain, the next group of its warp would block all others at the port.
  const std::uint64_t free = continuing_ & ~busy_;
  const unsigned at = random_.Bit(free != 0 && random_.Percent(90) ? free : continuing_);
  Warp& warp = warps_[at];
  *group = warp.rest.front();
  warp.rest.pop_front();
  const bool offered = Offer(*group);
  if (!offered) {
    warp.rest.clear();
  }
  Refresh(at);
  return offered;
}

// Those that may begin an instruction, or some of them that had better.
std::uint64_t RandomMbarrier::AbleWarps() {
  std::uint64_t able = residency_.AbleWarps() & ~continuing_;
  if (!random_.OneIn(4)) {
    able &= ~waiting_;
  }
  std::uint64_t better = able & ~busy_;
  if (knobs_.gather != 0 && parked_ != 0) {  // of one CTA
    const unsigned cta = warps_[random_.Bit(parked_)].place.cta;
    for (std::uint64_t left = better; left != 0; left &= left - 1) {
      const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
      better &= ~(std::uint64_t{residency_.CtaOf(warp) != cta} << warp);
    }
  }
  return better != 0 && random_.Percent(90) ? better : able;
}

void RandomMbarrier::TakeResponse(const MbOutputs::Response& response) {
  Warp& warp = warps_[response.warp];
  const std::uint32_t lanes = warp.answers.front();
  warp.answers.pop_front();
  warp.waiting &= ~lanes;
  unsigned index = 0;
  for (std::uint32_t left = IsMbArrival(response.op) ? lanes : 0; left != 0; left &= left - 1) {
    Token& token = warp.tokens[static_cast<unsigned>(__builtin_ctz(left))];
    token.valid = true;
    token.phase = DecodeMbWord(TokenOf(response, index++)).phase;
  }
  Refresh(response.warp);
}

// The layout of an init, and what a wait asks about.
void RandomMbarrier::PlanLayout(MbOperation* common) {
  if (common->op == MbOp::kInit) {
    common->phase = common->phase || random_.OneIn(2);
    if (common->phase && common->operand > kMaxMbCountV1 && (exact_ || random_.Percent(80))) {
      common->operand = kMaxMbCountV1 - random_.Below(3);
    }
  } else if (common->op == MbOp::kTestWaitParity || common->op == MbOp::kTryWaitParity) {
    common->asks = random_.Percent(35) ? MbAsks::kConditional : MbAsks::kPrimary;
  } else if (common->op == MbOp::kTestWait) {
    common->asks = random_.Percent(35) ? MbAsks::kLayout : MbAsks::kPrimary;
  }
}

// ------------------------------------------------------------------------------------------------
// What is on its way
// ------------------------------------------------------------------------------------------------

// Presents the group, if the stream is to be legal only if it is.
bool RandomMbarrier::Offer(const MbOperation& group) {
  if (exact_ && !Fits(group)) {
    return false;
  }
  Charge(group, 1);
  flying_[group.cta] += Ones(group.lanes);
  if (group.source == MbSource::kWarp) {
    Warp& warp = warps_[group.warp];
    warp.flying += Ones(group.lanes);
    if (HasResponse(group)) {
      warp.waiting |= group.lanes;
    }
    for (std::uint32_t left = group.has_token ? group.lanes : 0; left != 0; left &= left - 1) {
      warp.tokens[static_cast<unsigned>(__builtin_ctz(left))] = {false, false, group.addr};
    }
  }
  return true;
}

void RandomMbarrier::Charge(const MbOperation& group, int sign) {
  if (IsMbWait(group.op)) {
    return;
  }
  const auto lanes = static_cast<int>(Ones(group.lanes)) * sign;
  Cell& cell = cells_[group.cta][group.addr];
  cell.updates += static_cast<unsigned>(lanes);
  const std::int64_t count =
      IsMbArrival(group.op) ? lanes * (ExpectsTx(group.op) ? 1 : std::int64_t{group.operand}) : 0;
  cell.arrivals += count;
  cell.drops += IsDrop(group.op) ? count : 0;
  cell.expects += ExpectsTx(group.op) ? lanes * std::int64_t{group.operand} : 0;
  cell.completes += group.op == MbOp::kCompleteTx ? lanes * std::int64_t{group.operand} : 0;
  cell.copies += static_cast<unsigned>(group.op == MbOp::kCopyArrive ? lanes : 0);
  cell.no_completes += static_cast<unsigned>(IsNoComplete(group.op) ? lanes : 0);
  const bool overwrites = group.op == MbOp::kInit || group.op == MbOp::kInval;
  cell.overwrites += static_cast<unsigned>(overwrites ? lanes : 0);
}

// Whether the group is legal, in whatever order it and what is on its way to the word commit.
bool RandomMbarrier::Fits(const MbOperation& group) const {
  if (IsMbWait(group.op)) {
    return true;
  }
  const bool counts = group.op == MbOp::kInit || (IsMbArrival(group.op) && !ExpectsTx(group.op));
  const bool inits_v1 = group.op == MbOp::kInit && group.phase;
  if (group.operand > (inits_v1 ? kMaxMbCountV1 : kMaxMbCount) || (counts && group.operand == 0)) {
    return false;
  }
  const Cell& cell = At(group.cta, group.addr);
  const MbWord word = DecodeMbWord(cell.word, config_.report);
  if (group.op == MbOp::kReportOn && !word.v1) {
    return false;
  }
  if (group.op == MbOp::kInit || group.op == MbOp::kInval) {
    return cell.updates == 0;
  }
  if (cell.overwrites != 0 || (word.pending == 0 && word.expected == 0 && word.tx == 0)) {
    return false;
  }
  const std::int64_t lanes = Ones(group.lanes);
  const std::int64_t bytes = ChangesTx(group.op) ? lanes * group.operand : 0;
  const std::int64_t count =
      IsMbArrival(group.op) ? lanes * (ExpectsTx(group.op) ? 1 : std::int64_t{group.operand}) : 0;
  if (ExpectsTx(group.op) ? word.tx + cell.expects + bytes > kMaxMbCount
                          : word.tx - cell.completes - bytes < -std::int64_t{kMaxMbCount}) {
    return false;
  }
  // Nothing follows the phase of which all drop out: that word is exhausted.
  const std::int64_t drops = cell.drops + (IsDrop(group.op) ? count : 0);
  const bool alone = cell.updates == 0 && (count != 0 || lanes == 1);
  if (drops > word.expected || (drops == word.expected && !alone)) {
    return false;
  }
  // A tx-count would hold up arrivals of several phases.
  if (ChangesTx(group.op) && cell.arrivals > word.pending) {
    return false;
  }
  if (group.op == MbOp::kCopyArrive) {
    const std::int64_t most = word.v1 ? kMaxMbCountV1 : kMaxMbCount;
    return std::max(word.pending, word.expected) + cell.copies + lanes <= most;
  }
  const bool strict = cell.no_completes != 0 || IsNoComplete(group.op);
  const bool completes = !strict && count == lanes && !IsDrop(group.op) && bytes == 0 &&
                         cell.updates == 0 && word.tx == 0 && word.pending != 0 &&
                         word.expected != 0;
  return count == 0 || completes || cell.arrivals + count + (strict ? 1 : 0) <= word.pending;
}

void RandomMbarrier::OnEvent(std::uint64_t /*cycle*/, const MbEvent& event,
                             const MbEffects& effects) {
  for (const MbAnswer& answer : effects.answers) {
    warps_[answer.warp].parked = 0;
    warps_[answer.warp].answered = answer.lanes;
    Refresh(answer.warp);
  }
  if (event.kind == MbEvent::Kind::kStep) {
    Commit(event.operation, effects);
  }
}

void RandomMbarrier::Commit(const MbOperation& operation, const MbEffects& effects) {
  Charge(operation, -1);
  flying_[operation.cta] -= Ones(operation.lanes);
  if (effects.written && (operation.op == MbOp::kInit || operation.op == MbOp::kInval)) {
    cells_[operation.cta][operation.addr].object = operation.op == MbOp::kInit;
  }
  if (operation.source != MbSource::kWarp) {
    return;
  }
  Warp& warp = warps_[operation.warp];
  warp.flying -= Ones(operation.lanes);
  if (effects.fault[static_cast<unsigned>(__builtin_ctz(operation.lanes))] != FaultCause::kNone) {
    if (HasResponse(operation)) {
      warp.waiting &= ~operation.lanes;
    }
  } else if (effects.parked != 0) {
    warp.parked = effects.parked;
    warp.place = {operation.cta, operation.addr};
    warp.phase = operation.phase;
    // No other operation uses a cold word: this wait ends at the unit's own limit.
    const auto& hot = hot_[operation.cta];
    warp.patient = config_.mb_limit && !operation.has_hint &&
                   std::find(hot.begin(), hot.end(), operation.addr) == hot.end();
    const bool helped = !config_.mb_limit || (!operation.has_hint && !warp.patient);
    warp.help =
        helped ? cycle_ + random_.Between(20, 300) + (knobs_.gather != 0 ? 300 : 0) : kNever;
  } else if (HasResponse(operation)) {
    warp.answers.push_back(operation.lanes);
  }
  Refresh(operation.warp);
}

void RandomMbarrier::Refresh(unsigned warp) {
  const Warp& of = warps_[warp];
  const auto set = [warp](std::uint64_t* bits, bool to) {
    *bits = (*bits & ~Bit(warp)) | std::uint64_t{to} << warp;
  };
  set(&busy_, of.flying != 0);
  set(&continuing_, !of.rest.empty());
  set(&parked_, of.parked != 0);
  set(&waiting_, of.waiting != 0);
  set(&patient_, of.parked != 0 && of.patient);
  set(&engaged_, of.flying != 0 || !of.rest.empty() || of.waiting != 0);
}

// ------------------------------------------------------------------------------------------------
// Memory
// ------------------------------------------------------------------------------------------------

const RandomMbarrier::Cell& RandomMbarrier::At(unsigned cta, std::uint32_t addr) const {
  static const Cell fresh;
  const auto found = cells_[cta].find(addr);
  return found == cells_[cta].end() ? fresh : found->second;
}

std::uint64_t RandomMbarrier::Load(MbPlace place) { return At(place.cta, place.addr).word; }

void RandomMbarrier::Store(MbPlace place, std::uint64_t word) {
  cells_[place.cta][place.addr].word = word;
}

void RandomMbarrier::DriveStores(MbInputs* in) {
  for (unsigned cta = 0; cta < config_.num_ctas; ++cta) {
    for (unsigned i = 0; i < kRestores && !restoring_[cta].empty(); ++i) {
      CarryOut(restoring_[cta].front(), in);
      restoring_[cta].pop_front();
    }
  }
  if (!store_ && !rests_ && random_.Percent(knobs_.stores)) {
    PickStore();
  }
  if (!store_) {
    return;
  }
  const MbPlace place = store_->place;
  if ((residency_.OpenCtas() >> place.cta & 1) == 0) {
    store_.reset();
    return;
  }
  // In a stream that must stay legal, what is on its way to the word must find what it counts on.
  if (exact_ && At(place.cta, place.addr).updates != 0) {
    store_->word = Load(place);
  }
  if (bank_.MayStore(place)) {
    CarryOut(*store_, in);
    store_.reset();
  }
}

void RandomMbarrier::CarryOut(const MbInputs::Store& store, MbInputs* in) {
  Cell& cell = cells_[store.place.cta][store.place.addr];
  cell.word = store.word;
  cell.object = store.restores;
  in->stores.push_back(store);
}

bool RandomMbarrier::Write(const std::vector<MbInputs::Store>& stores, MbInputs* in) {
  for (const MbInputs::Store& store : stores) {
    if (!bank_.MayStore(store.place)) {
      return false;
    }
  }
  for (const MbInputs::Store& store : stores) {
    CarryOut(store, in);
  }
  return true;
}

bool RandomMbarrier::Suggest(MbOperation* operation) {
  if (rests_ || !PickOther(MbSource::kRemote, operation)) {
    return false;
  }
  Charge(*operation, -1);  // it is on its way when the unit has accepted it
  flying_[operation->cta] -= Ones(operation->lanes);
  return true;
}

void RandomMbarrier::PickStore() {
  const std::uint32_t running = residency_.RunningCtas();
  if (running == 0) {
    return;
  }
  store_.emplace();
  store_->place.cta = static_cast<std::uint8_t>(random_.Bit(running));
  store_->place.addr = PickAddr(store_->place.cta);
  store_->word = AnyWord();
}

void RandomMbarrier::Launched(unsigned cta) {
  for (std::uint32_t& addr : hot_[cta]) {
    addr = 8 * random_.Below(config_.smem_bytes / 8);
  }
  if (random_.OneIn(4)) {
    hot_[cta][0] = config_.smem_bytes - 8;
    hot_[cta][1] = 0;
  }
}

void RandomMbarrier::Left(unsigned cta, std::uint64_t warps) {
  cells_[cta].clear();
  restoring_[cta].clear();
  if (race_ && race_->cta == cta) {
    race_.reset();
  }
  for (std::uint64_t left = warps; left != 0; left &= left - 1) {
    const auto warp = static_cast<unsigned>(__builtin_ctzll(left));
    // Responses that have not been taken yet still come; no warp waits for them now.
    std::deque<std::uint32_t> answers(warps_[warp].answers.size(), 0);
    warps_[warp] = Warp();
    warps_[warp].answers.swap(answers);
    Refresh(warp);
  }
}

std::vector<MbInputs::Store> RandomMbarrier::Save(unsigned cta) const {
  std::vector<MbInputs::Store> words;
  for (const auto& [addr, cell] : cells_[cta]) {
    if (cell.word != 0 || cell.object) {
      words.push_back({{static_cast<std::uint8_t>(cta), addr}, cell.word, cell.object});
    }
  }
  return words;
}

void RandomMbarrier::Restore(unsigned cta, const std::vector<MbInputs::Store>& words) {
  restoring_[cta].assign(words.begin(), words.end());
  for (MbInputs::Store& store : restoring_[cta]) {
    store.place.cta = static_cast<std::uint8_t>(cta);
  }
  // It goes on at the words that it had.
  for (std::uint32_t& addr : hot_[cta]) {
    if (!words.empty() && random_.Percent(80)) {
      addr = words[random_.Below(static_cast<unsigned>(words.size()))].place.addr;
    }
  }
}

bool RandomMbarrier::Restoring(unsigned cta) const { return !restoring_[cta].empty(); }

}  // namespace muster::lockstep
