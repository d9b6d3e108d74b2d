// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Chooses the operations of warps, copy engines and other CTAs on mbarriers. Most are legal, and
// are chosen by the contents of the word so that phases complete.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "sim/isa/bits.h"
#include "sim/isa/mbarrier_word.h"
#include "tb/lockstep/random_mbarrier.h"

namespace muster::lockstep {
namespace {

constexpr std::array kMbArrivals = {MbOp::kArrive,           MbOp::kArriveExpectTx,
                                    MbOp::kArriveDrop,       MbOp::kArriveDropExpectTx,
                                    MbOp::kArriveNoComplete, MbOp::kArriveDropNoComplete};
constexpr std::array kCounted = {MbOp::kArrive, MbOp::kArriveDrop, MbOp::kArriveNoComplete,
                                 MbOp::kArriveDropNoComplete};
constexpr std::array kBytes = {MbOp::kArriveExpectTx, MbOp::kArriveDropExpectTx, MbOp::kExpectTx,
                               MbOp::kCompleteTx};
constexpr std::array kFromAfar = {MbOp::kArrive,     MbOp::kArriveExpectTx,
                                  MbOp::kArriveDrop, MbOp::kExpectTx,
                                  MbOp::kCompleteTx, MbOp::kArriveDropExpectTx};
constexpr unsigned kNumUnitOps = 15;  // those that the unit sees
bool IsExhausted(const MbWord& word) {
  return word.pending == 0 && word.expected == 0 && word.tx == 0;
}
bool PhaseOf(const MbWord& word, MbAsks asks) {
  return asks == MbAsks::kConditional && word.v1 ? word.conditional : word.phase;
}
std::uint32_t Size(std::int64_t tx) { return static_cast<std::uint32_t>(std::abs(tx)); }

template <typename Visit>
void ForEachLane(std::uint32_t lanes, Visit visit) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    visit(static_cast<unsigned>(__builtin_ctz(left)));
  }
}

}  // namespace

// ------------------------------------------------------------------------------------------------
// One operation
// ------------------------------------------------------------------------------------------------

std::uint32_t RandomMbarrier::PickAddr(unsigned cta) {
  if (focus_.cta == cta && random_.Percent(knobs_.focus)) {
    return focus_.addr;
  }
  return random_.Percent(knobs_.cold) ? 8 * random_.Below(config_.smem_bytes / 8)
                                      : random_.Pick(hot_[cta]);
}

std::uint32_t RandomMbarrier::PickLanes(std::uint32_t among) {
  std::uint32_t lanes = among;
  if (!config_.lanes) {
    lanes = random_.Percent(50) ? among & random_.Word() & random_.Word() & random_.Word() : 0;
  } else if (!random_.Percent(knobs_.wide)) {
    lanes = random_.Percent(50) ? among & random_.Word() : 0;
  }
  return lanes != 0 ? lanes : std::uint32_t{1} << random_.Bit(among);
}

MbOp RandomMbarrier::PickOp(const Cell& cell) {
  const MbWord word = DecodeMbWord(cell.word, config_.report);
  if (IsExhausted(word) && cell.overwrites == 0 && random_.Percent(75)) {
    return MbOp::kInit;
  }
  if (word.pending == 0 && word.tx != 0 && random_.Percent(50)) {
    return word.tx > 0 ? MbOp::kCompleteTx : MbOp::kExpectTx;
  }
  struct Weight {
    unsigned weight;
    MbOp op;
  };
  static constexpr std::array kWeights = {Weight{26, MbOp::kArrive},
                                          Weight{6, MbOp::kArriveExpectTx},
                                          Weight{4, MbOp::kArriveDrop},
                                          Weight{2, MbOp::kArriveDropExpectTx},
                                          Weight{3, MbOp::kArriveNoComplete},
                                          Weight{2, MbOp::kArriveDropNoComplete},
                                          Weight{5, MbOp::kExpectTx},
                                          Weight{5, MbOp::kCompleteTx},
                                          Weight{5, MbOp::kTestWait},
                                          Weight{5, MbOp::kTestWaitParity},
                                          Weight{10, MbOp::kTryWait},
                                          Weight{18, MbOp::kTryWaitParity},
                                          Weight{4, MbOp::kCopyArrive},
                                          Weight{4, MbOp::kInit},
                                          Weight{1, MbOp::kInval}};
  unsigned left = random_.Below(100);
  MbOp op = MbOp::kArrive;
  for (const Weight& entry : kWeights) {
    if (left < entry.weight) {
      op = entry.op;
      break;
    }
    left -= entry.weight;
  }
  return op;
}

std::uint32_t RandomMbarrier::PickHint() {
  switch (random_.Below(8)) {
    case 0:
      return 0;
    case 1:
    case 2:
      return random_.Between(1, 12);
    case 3:
      return random_.Between(500, 3000);
    default:
      return random_.Between(10, 300);
  }
}

// For each of so many lanes; waits are no business of this.
std::uint32_t RandomMbarrier::PickOperand(MbOp op, const Cell& cell, unsigned lanes) {
  const MbWord word = DecodeMbWord(cell.word, config_.report);
  const bool complete = random_.Percent(50);
  if (op == MbOp::kInit) {
    switch (random_.Below(8)) {
      case 0:
        return kMaxMbCount - random_.Below(3);
      case 1:
        return config_.warp_size * random_.Between(1, 4);
      case 2:
        return random_.Between(1, 200);
      case 3:
      case 4:
        return random_.Between(2, 6);
      default:
        return 1;
    }
  }
  if (ChangesTx(op)) {
    const std::int64_t missing = ExpectsTx(op) ? -word.tx : word.tx;
    if (missing > 0 && complete) {
      return std::max(1U, static_cast<std::uint32_t>(missing) / lanes);
    }
    return random_.OneIn(20)
               ? kMaxMbCount / lanes - random_.Below(2)
               : random_.Pick(std::array{0U, 1U, 16U, 128U, random_.Below(4096), 16U});
  }
  if (IsMbArrival(op)) {
    const std::int64_t rest = std::int64_t{word.pending} - cell.arrivals;
    const std::int64_t most = std::max<std::int64_t>(1, rest / lanes);
    return static_cast<std::uint32_t>(complete || most > 1000 ? most
                                      : random_.Percent(50)   ? 1
                                                              : 1 + random_.Below(most));
  }
  return 0;
}

// Makes it wrong in some way.
void RandomMbarrier::Spoil(const Cell& cell, MbOperation* operation) {
  const MbWord word = DecodeMbWord(cell.word, config_.report);
  const std::uint32_t beyond =
      random_.Percent(50) ? kMaxMbCount + 1 : std::max(kMaxMbCount + 1, random_.Word());
  switch (random_.Below(10)) {
    case 0:
      operation->op = static_cast<MbOp>(random_.Below(kNumUnitOps));
      operation->operand = 1;
      operation->addr += random_.Between(1, 7);
      break;
    case 1:
      operation->op = static_cast<MbOp>(random_.Below(kNumUnitOps));
      operation->operand = 1;
      operation->addr = random_.Percent(50) ? config_.smem_bytes + operation->addr
                                            : std::max(config_.smem_bytes, random_.Word());
      break;
    case 2:
      operation->op = MbOp::kInit;
      operation->operand = random_.Percent(50) ? 0 : beyond;
      break;
    case 3:
      operation->op = random_.Pick(kCounted);
      operation->operand = random_.Percent(50) ? 0 : beyond;
      break;
    case 4:
      operation->op = random_.Pick(kBytes);
      operation->operand = beyond;
      break;
    case 5:
      operation->op = random_.Pick(kMbArrivals);
      operation->operand = std::min(word.pending + random_.Between(1, 3), kMaxMbCount);
      break;
    case 6:  // what is missing or too much already, and the rest of the range
      operation->op = word.tx < 0 ? MbOp::kCompleteTx : random_.Pick(kBytes);
      operation->operand = kMaxMbCount - Size(word.tx) / 2;
      break;
    case 7:  // exhausted, as most words are
      operation->op =
          random_.Percent(70)
              ? random_.Pick(kMbArrivals)
              : random_.Pick(std::array{MbOp::kExpectTx, MbOp::kCompleteTx, MbOp::kCopyArrive});
      operation->operand = 1;
      operation->addr = 8 * random_.Below(config_.smem_bytes / 8);
      break;
    case 8: {
      operation->phase = config_.report && (word.v1 || random_.OneIn(2));
      const std::uint32_t most = operation->phase ? kMaxMbCountV1 : kMaxMbCount;
      operation->op = word.pending > most - 8 ? MbOp::kCopyArrive : MbOp::kInit;
      operation->operand = most;
      break;
    }
    default:
      operation->op = random_.Percent(50) ? MbOp::kArriveNoComplete : MbOp::kArriveDropNoComplete;
      operation->operand = std::max(1U, word.pending);
      break;
  }
}

std::uint64_t RandomMbarrier::AnyWord() {
  constexpr std::uint64_t kUnusedV1 = std::uint64_t{1} << 52 | 3U << 10;  // bits of layout v1
  MbWord word;
  std::uint64_t stray = 0;
  if (random_.OneIn(3)) {
    return exact_ || random_.OneIn(2) ? 0 : random_.Next();
  }
  word.phase = random_.OneIn(2);
  word.pending = random_.Between(1, 3);
  word.expected = random_.Between(1, 3);
  word.lock = random_.OneIn(4);
  (config_.report ? word.v1 : word.reserved) = random_.OneIn(4);
  if (word.v1) {
    word.conditional = random_.OneIn(2);
    word.report = random_.OneIn(2) ? random_.Below(512) : 0;
    word.last = random_.OneIn(2) ? random_.Below(512) : 0;
    stray = random_.OneIn(4) ? random_.Next() & kUnusedV1 : 0;
  }
  if (!exact_ && random_.OneIn(2)) {
    word.tx = random_.OneIn(2) ? kMaxMbCount : -std::int64_t{kMaxMbCount};
  }
  return Encode(word) | stray;
}

// ------------------------------------------------------------------------------------------------
// Warp instructions
// ------------------------------------------------------------------------------------------------

void RandomMbarrier::Plan(unsigned at) {
  Warp& warp = warps_[at];
  const std::uint32_t free = residency_.LanesOf(at) & ~warp.waiting;
  if (free == 0) {
    return;
  }
  Instruction instruction;
  MbOperation& common = instruction.common;
  common.cta = static_cast<std::uint8_t>(residency_.CtaOf(at));
  common.warp = static_cast<std::uint8_t>(at);
  const bool gathers = random_.Percent(knobs_.gather);
  const bool patient = config_.mb_limit && random_.OneIn(200);
  common.addr = gathers   ? hot_[common.cta].front()
                : patient ? 8 * random_.Below(config_.smem_bytes / 8)
                          : PickAddr(common.cta);
  const Cell& cell = At(common.cta, common.addr);
  const MbWord word = DecodeMbWord(cell.word, config_.report);
  common.lanes = PickLanes(free);
  common.op = PickOp(cell);
  common.operand = PickOperand(common.op, cell, Ones(common.lanes));
  common.releasing = random_.Percent(50);
  if (gathers || patient) {
    common.op = MbOp::kTryWaitParity;
  } else if (random_.Percent(knobs_.illegal)) {
    Spoil(cell, &common);
  }
  common.has_token = IsMbArrival(common.op) && random_.Percent(40);
  common.has_hint = IsTryWait(common.op) && !patient && random_.Percent(94);
  if (IsMbWait(common.op)) {
    common.operand = common.has_hint ? PickHint() : 0;
  }
  if (config_.report) {
    PlanLayout(&common);
  }
  if (IsTryWait(common.op) && !config_.mb_limit && random_.Percent(60)) {
    common.lanes = free;  // nothing less parks
  }
  const bool other_phase = random_.Percent(gathers || patient ? 2 : 30);
  instruction.addr.fill(common.addr);
  instruction.operand.fill(common.operand);
  instruction.phase.fill(IsMbWait(common.op) ? PhaseOf(word, common.asks) != other_phase
                                             : common.op == MbOp::kInit && common.phase);
  const bool by_token = common.asks != MbAsks::kLayout &&
                        (common.op == MbOp::kTestWait || common.op == MbOp::kTryWait);
  if (!(by_token && PlanTokenWait(warp, &instruction)) && random_.Percent(20)) {
    Spread(common.cta, &instruction);
  }
  Coalesce(instruction, &warp.rest);
  Refresh(at);
}

// The lanes that hold a token wait with it.
bool RandomMbarrier::PlanTokenWait(const Warp& warp, Instruction* instruction) {
  std::uint32_t holders = 0;
  ForEachLane(instruction->common.lanes,
              [&](unsigned lane) { holders |= std::uint32_t{warp.tokens[lane].valid} << lane; });
  if (holders == 0) {
    return false;
  }
  if (random_.Percent(70)) {  // of one word and phase only
    const Token& first = warp.tokens[random_.Bit(holders)];
    ForEachLane(holders, [&](unsigned lane) {
      const Token& token = warp.tokens[lane];
      const bool same = token.addr == first.addr && token.phase == first.phase;
      holders &= ~(std::uint32_t{!same} << lane);
    });
  }
  instruction->common.lanes = holders;
  ForEachLane(holders, [&](unsigned lane) {
    instruction->addr[lane] = warp.tokens[lane].addr;
    instruction->phase[lane] = warp.tokens[lane].phase;
  });
  return true;
}

// Some lanes name another word, or another operand.
void RandomMbarrier::Spread(unsigned cta, Instruction* instruction) {
  const bool words = random_.Percent(60);
  const bool operands = !words || random_.Percent(30);
  const std::uint32_t addr = PickAddr(cta);
  const std::uint32_t operand = instruction->common.operand + random_.Below(3);
  const bool scattered = random_.OneIn(6);
  ForEachLane(instruction->common.lanes & random_.Word(), [&](unsigned lane) {
    if (words) {
      instruction->addr[lane] = scattered ? PickAddr(cta) : addr;
    }
    if (operands) {
      instruction->operand[lane] = operand;
    }
    if (IsMbWait(instruction->common.op)) {
      instruction->phase[lane] = random_.OneIn(3) != instruction->phase[lane];
    }
  });
}

// As rtl/mbarrier/muster_mb_coalesce.sv does it.
void RandomMbarrier::Coalesce(const Instruction& instruction,
                              std::deque<MbOperation>* groups) const {
  const MbOperation& common = instruction.common;
  const bool waits = IsMbWait(common.op);
  const bool plain = common.op == MbOp::kInval || common.op == MbOp::kCopyArrive;
  for (std::uint32_t left = common.lanes; left != 0;) {
    const auto leader = static_cast<unsigned>(__builtin_ctz(left));
    MbOperation group = common;
    group.addr = instruction.addr[leader];
    group.operand = plain ? 0 : instruction.operand[leader];
    group.phase = instruction.phase[leader];
    group.lanes = 0;
    bool open = true;
    ForEachLane(left, [&](unsigned lane) {
      if (!open || instruction.addr[lane] != group.addr ||
          (!config_.lanes && !waits && group.lanes != 0)) {
        return;
      }
      const bool alike = waits ? instruction.phase[lane] == group.phase
                               : plain || instruction.operand[lane] == group.operand;
      open = alike || waits;
      group.lanes |= std::uint32_t{alike} << lane;
    });
    if (waits) {
      ForEachLane(group.lanes, [&](unsigned lane) {
        group.operand = std::min(group.operand, instruction.operand[lane]);
      });
    }
    group.whole = IsWhole(config_, group.lanes, common.lanes, residency_.LanesOf(common.warp));
    left &= ~group.lanes;
    groups->push_back(group);
  }
}

// ------------------------------------------------------------------------------------------------
// Copy engines and other CTAs
// ------------------------------------------------------------------------------------------------

bool RandomMbarrier::PickOther(MbSource source, MbOperation* operation) {
  MbOperation asked;
  asked.source = source;
  asked.lanes = 1;
  const bool afar = source == MbSource::kRemote;
  if (PickRace(&asked) || PickHelp(&asked)) {
    asked.source = source;
    asked.operand = afar || asked.op != MbOp::kArrive ? asked.operand : 1;
    if ((afar || asked.op != MbOp::kExpectTx) && Offer(asked)) {
      *operation = asked;
      return true;
    }
    return false;
  }
  std::uint32_t running = residency_.RunningCtas();
  if (const std::uint32_t leaving = residency_.LeavingCtas(); afar && random_.Percent(3)) {
    running = leaving != 0 ? leaving : running;
  }
  if (running == 0 || !random_.Percent(afar ? knobs_.remote : knobs_.async)) {
    return false;
  }
  const bool focused = (running >> focus_.cta & 1) != 0 && random_.Percent(knobs_.focus);
  asked.cta = focused ? focus_.cta : static_cast<std::uint8_t>(random_.Bit(running));
  asked.addr = PickAddr(asked.cta);
  const Cell& cell = At(asked.cta, asked.addr);
  const MbWord word = DecodeMbWord(cell.word, config_.report);
  const bool spoiled = random_.Percent(knobs_.illegal);
  if (!spoiled && IsExhausted(word)) {
    return false;
  }
  if (afar) {
    asked.lanes = PickLanes(LanesOfWarp(config_));
    asked.lanes = config_.lanes ? asked.lanes : asked.lanes & -asked.lanes;
    asked.op = word.pending == 0 && random_.Percent(60)
                   ? (word.tx > 0 ? MbOp::kCompleteTx : MbOp::kExpectTx)
                   : random_.Pick(kFromAfar);
    asked.op = IsDrop(asked.op) && random_.Percent(70) ? MbOp::kArrive : asked.op;
  } else {
    asked.op =
        word.tx > 0 || word.pending == 0 || random_.Percent(30) ? MbOp::kCompleteTx : MbOp::kArrive;
    const unsigned reports = !config_.report ? 0 : word.v1 ? 30 : knobs_.illegal / 4;
    if (reports != 0 && random_.Percent(reports)) {
      asked.op = MbOp::kReportOn;
    }
  }
  asked.operand = PickOperand(asked.op, cell, Ones(asked.lanes));
  if (spoiled) {
    Spoil(cell, &asked);
    asked.has_token = afar && random_.OneIn(4);
  }
  if (!afar) {
    const bool reports =
        config_.report && (asked.op == MbOp::kReportOn || (spoiled && random_.OneIn(8)));
    asked.op = asked.op == MbOp::kArrive || !IsMbArrival(asked.op) ? asked.op : MbOp::kArrive;
    asked.op = asked.op == MbOp::kArrive ? asked.op : MbOp::kCompleteTx;
    asked.op = reports ? MbOp::kReportOn : asked.op;
    asked.operand = asked.op == MbOp::kArrive ? 1 : asked.operand;
    if (reports) {
      asked.operand = random_.OneIn(2) ? 0 : random_.Word() & 0xff;
    }
    asked.phase = false;
  }
  // Most of what is not meant to be refused is not.
  if ((!spoiled && random_.Percent(85) && !Fits(asked)) || !Offer(asked)) {
    return false;
  }
  *operation = asked;
  return true;
}

bool RandomMbarrier::PickRace(MbOperation* operation) {
  if (!race_ || cycle_ < race_at_) {
    return false;
  }
  const MbOperation race = *race_;
  race_.reset();
  if ((residency_.OpenCtas() >> race.cta & 1) == 0) {
    return false;
  }
  *operation = race;
  return true;
}

// An operation that brings the phase of a word, at which a warp has been parked for long, nearer to
// completion.
bool RandomMbarrier::PickHelp(MbOperation* operation) {
  if (parked_ == 0 || random_.Percent(50)) {
    return false;
  }
  const Warp& warp = warps_[random_.Bit(parked_)];
  if (cycle_ < warp.help || (residency_.OpenCtas() >> warp.place.cta & 1) == 0) {
    return false;
  }
  const Cell& cell = At(warp.place.cta, warp.place.addr);
  const MbWord word = DecodeMbWord(cell.word, config_.report);
  if (cell.updates != 0 && random_.Percent(90)) {
    return false;
  }
  operation->cta = warp.place.cta;
  operation->addr = warp.place.addr;
  if (IsExhausted(word)) {
    if (!store_) {
      MbWord fresh;
      fresh.phase = warp.phase;
      fresh.pending = 1;
      fresh.expected = 1;
      store_ = MbInputs::Store{warp.place, Encode(fresh), false};
    }
    return false;
  }
  operation->op = word.tx > 0 ? MbOp::kCompleteTx : word.tx < 0 ? MbOp::kExpectTx : MbOp::kArrive;
  operation->operand = word.tx != 0 ? Size(word.tx) : word.pending;
  return true;
}

}  // namespace muster::lockstep
