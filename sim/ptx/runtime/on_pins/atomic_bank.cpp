// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include "sim/ptx/runtime/on_pins/atomic_bank.h"

#include <utility>

#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

constexpr std::uint32_t kAtomicStall = 16;  // one in so many cycles nothing is presented or taken
constexpr unsigned kBankStalls = 5;         // percent of cycles

}  // namespace

AtomicBank::AtomicBank(lockstep::Bank::Words* words, std::uint64_t seed)
    : random_(seed), bank_(words, seed) {
  bank_.timing.read_stalls = kBankStalls;
  bank_.timing.write_stalls = kBankStalls;
  pins_.in.memory = words;
}

void AtomicBank::TakeRemote(const Transfer& sent) {
  const RemoteAtomic& atomic = sent.update;
  AtomicUpdate update;
  update.op = atomic.op;
  update.size = atomic.size;
  update.is_signed = atomic.is_signed;
  update.cta = static_cast<std::uint8_t>(sent.to->slot);
  update.addr = atomic.addr;
  update.warp = static_cast<std::uint8_t>(sent.warp);
  update.lane = atomic.lane;
  update.from = {true, static_cast<std::uint8_t>(sent.issuer->unit)};
  update.operand = atomic.operand;
  update.compare = atomic.compare;
  update.has_answer = atomic.has_answer;
  if (update.size == AtomicSize::k128) {
    remotes_.push_back(update);
    update.upper = true;
    update.operand = atomic.operand_upper;
    update.compare = atomic.compare_upper;
  }
  update.completes = sent.operation.lanes != 0;
  remotes_.push_back(update);
  incoming_.push_back(sent);
}

void AtomicBank::Begin() {
  const AtomicOutputs& seen = pins_.out;
  AtomicInputs& in = pins_.in;
  const bool accepted = in.issue_valid && seen.issue_ready;
  answers_ = seen.response_valid && in.response_ready;
  answer_ = seen.response;
  commits_ = seen.commit_valid;
  performed_.reset();
  bank_.Cycle(seen, &in);
  if (commits_) {
    committed_ = flights_.front();
    flights_.pop_front();
    if (committed_.from.remote && (committed_.size != AtomicSize::k128 || committed_.upper)) {
      if (committed_.completes) {
        performed_ = std::move(incoming_.front());
      }
      incoming_.pop_front();
    }
  }
  if (accepted) {
    in.issue_valid = false;
    flights_.push_back(queue_.front());
    queue_.pop_front();
  }
  if (in.remote_valid && seen.remote_ready) {
    in.remote_valid = false;
    flights_.push_back(remotes_.front());
    remotes_.pop_front();
  }
}

void AtomicBank::Present(std::uint64_t outstanding, bool ending) {
  AtomicInputs& in = pins_.in;
  in.fence_ack = ~outstanding;
  in.response_ready = ending || random_.Below(kAtomicStall) != 0;
  if (!in.issue_valid && !queue_.empty() && !ending && random_.Below(kAtomicStall) != 0) {
    in.issue_valid = true;
    in.issue = queue_.front();
  }
  if (!in.remote_valid && !remotes_.empty() && !ending && random_.Below(kAtomicStall) != 0) {
    in.remote_valid = true;
    in.remote = remotes_.front();
  }
}

}  // namespace muster::ptx
