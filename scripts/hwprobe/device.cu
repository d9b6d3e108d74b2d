// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What the probe runs on a GPU: scripts of operations on one mbarrier word, and loops that are
// timed. For nvcc, and for clang 14 without any vendor's header.
#ifndef __NVCC__
#include "sim/kernels/cuda.h"
#endif

#include "scripts/hwprobe/script.h"

namespace {

using muster::hwprobe::kMaxSteps;
using muster::hwprobe::kRounds;
using muster::hwprobe::Op;
using muster::hwprobe::Record;
using muster::hwprobe::Step;
using muster::hwprobe::Timed;

using u64 = unsigned long long;

constexpr unsigned kSettle = 2000;  // cycles

// An instruction at the word: with an operand, and returning a token, or an answer.
#define MUSTER_NO_RESULT(name, instruction)                                      \
  __device__ void name(unsigned word, unsigned operand) {                        \
    asm volatile(instruction " [%0], %1;" ::"r"(word), "r"(operand) : "memory"); \
  }
#define MUSTER_TOKEN(name, instruction)                                                            \
  __device__ u64 name(unsigned word, unsigned operand) {                                           \
    u64 token;                                                                                     \
    asm volatile(instruction " %0, [%1], %2;" : "=l"(token) : "r"(word), "r"(operand) : "memory"); \
    return token;                                                                                  \
  }
#define MUSTER_ANSWER(name, instruction, type, letter)                 \
  __device__ unsigned name(unsigned word, type operand) {              \
    unsigned complete;                                                 \
    asm volatile("{ .reg .pred complete; " instruction                 \
                 " complete, [%1], %2; selp.u32 %0, 1, 0, complete; }" \
                 : "=r"(complete)                                      \
                 : "r"(word), letter(operand)                          \
                 : "memory");                                          \
    return complete;                                                   \
  }

MUSTER_NO_RESULT(Init, "mbarrier.init.shared::cta.b64")
MUSTER_NO_RESULT(ExpectTx, "mbarrier.expect_tx.relaxed.cta.shared::cta.b64")
MUSTER_NO_RESULT(CompleteTx, "mbarrier.complete_tx.relaxed.cta.shared::cta.b64")
MUSTER_TOKEN(Arrive, "mbarrier.arrive.shared::cta.b64")
MUSTER_TOKEN(ArriveNoComplete, "mbarrier.arrive.noComplete.shared::cta.b64")
MUSTER_TOKEN(ArriveExpectTx, "mbarrier.arrive.expect_tx.shared::cta.b64")
MUSTER_TOKEN(ArriveDrop, "mbarrier.arrive_drop.shared::cta.b64")
MUSTER_TOKEN(ArriveDropNoComplete, "mbarrier.arrive_drop.noComplete.shared::cta.b64")
MUSTER_TOKEN(ArriveDropExpectTx, "mbarrier.arrive_drop.expect_tx.shared::cta.b64")
MUSTER_ANSWER(TestWait, "mbarrier.test_wait.shared::cta.b64", u64, "l")
MUSTER_ANSWER(TestWaitParity, "mbarrier.test_wait.parity.shared::cta.b64", unsigned, "r")
MUSTER_ANSWER(TryWait, "mbarrier.try_wait.shared::cta.b64", u64, "l")
MUSTER_ANSWER(TryWaitParity, "mbarrier.try_wait.parity.shared::cta.b64", unsigned, "r")

__device__ void Inval(unsigned word) {
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(word) : "memory");
}
__device__ void CopyArrive(unsigned word) {
  asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"(word) : "memory");
}
__device__ void CopyArriveNoInc(unsigned word) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(word) : "memory");
}
__device__ unsigned TryWaitHint(unsigned word, unsigned parity, unsigned hint) {
  unsigned complete;
  asm volatile(
      "{ .reg .pred complete; mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], %2, %3; "
      "selp.u32 %0, 1, 0, complete; }"
      : "=r"(complete)
      : "r"(word), "r"(parity), "r"(hint)
      : "memory");
  return complete;
}

__device__ unsigned Address(const void* shared) {
  u64 address;
  asm("cvta.to.shared.u64 %0, %1;" : "=l"(address) : "l"(shared));
  return static_cast<unsigned>(address);
}
__device__ u64 Load(unsigned word) {
  u64 value;
  asm volatile("ld.volatile.shared.u64 %0, [%1];" : "=l"(value) : "r"(word) : "memory");
  return value;
}
__device__ void Store(unsigned word, u64 value) {
  asm volatile("st.volatile.shared.u64 [%0], %1;" ::"r"(word), "l"(value) : "memory");
}
__device__ u64 Clock() {
  u64 cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}
__device__ u64 Nanoseconds() {
  u64 time;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time)::"memory");
  return time;
}
__device__ void SyncWarp() { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
__device__ void SyncCta() { asm volatile("bar.sync 0;" ::: "memory"); }
__device__ void SyncCluster() {
  asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ unsigned CountOdd() {
  unsigned count;
  asm volatile("{ .reg .pred odd; setp.ne.u32 odd, %1, 0; bar.red.popc.u32 %0, 2, odd; }"
               : "=r"(count)
               : "r"(threadIdx.x & 1)
               : "memory");
  return count;
}
// What was written is there for the host, also if the next instruction ends the kernel.
__device__ void TellHost() { asm volatile("fence.sc.sys;" ::: "memory"); }

template <typename Round>
__device__ u64 Cycles(Round round) {
  const u64 begin = Clock();
#pragma unroll 1
  for (unsigned i = 0; i < kRounds; ++i) {
    round(i);
  }
  return Clock() - begin;
}

// The token or the answer.
__device__ u64 Do(unsigned word, const Step& step, u64 token) {
  switch (step.op) {
    case Op::kInit:
      Init(word, step.operand);
      return 0;
    case Op::kInval:
      Inval(word);
      return 0;
    case Op::kArrive:
      return Arrive(word, step.operand);
    case Op::kArriveNoComplete:
      return ArriveNoComplete(word, step.operand);
    case Op::kArriveExpectTx:
      return ArriveExpectTx(word, step.operand);
    case Op::kArriveDrop:
      return ArriveDrop(word, step.operand);
    case Op::kArriveDropNoComplete:
      return ArriveDropNoComplete(word, step.operand);
    case Op::kArriveDropExpectTx:
      return ArriveDropExpectTx(word, step.operand);
    case Op::kExpectTx:
      ExpectTx(word, step.operand);
      return 0;
    case Op::kCompleteTx:
      CompleteTx(word, step.operand);
      return 0;
    case Op::kTestWait:
      return TestWait(word, token);
    case Op::kTestWaitParity:
      return TestWaitParity(word, step.operand);
    case Op::kTryWait:
      return TryWait(word, token);
    case Op::kTryWaitParity:
      return TryWaitParity(word, step.operand);
    case Op::kCopyArrive:
      CopyArrive(word);
      return 0;
    case Op::kCopyArriveNoInc:
      CopyArriveNoInc(word);
      return 0;
  }
  return 0;
}

}  // namespace

// Runs a script on a word of zeroes. One warp.
extern "C" __global__ void run_script(const Step* steps, unsigned count, Record* records) {
  __shared__ u64 object;
  __shared__ u64 tokens[kMaxSteps];
  const unsigned word = Address(&object), lane = threadIdx.x;
  if (lane == 0) {
    Store(word, 0);
  }
  SyncWarp();
  for (unsigned i = 0; i < count; ++i) {
    const Step step = steps[i];
    u64 value = 0;
    if (lane < step.lanes) {
      const bool by_token = step.op == Op::kTestWait || step.op == Op::kTryWait;
      value = Do(word, step, by_token ? tokens[step.operand] : 0);
    }
    if (lane == 0) {
      tokens[i] = value;
    }
    SyncWarp();
    const u64 began = Clock();
    while (Clock() - began < kSettle) {  // for an arrive-on that comes by itself
    }
    if (lane == step.lanes - 1) {
      records[i].last = value;
    }
    if (lane == 0) {
      records[i].first = value;
      records[i].word = Load(word);
    }
    SyncWarp();
    if (lane == 0) {
      records[i].done = 1;
    }
    TellHost();
    SyncWarp();
  }
}

// Waits once for a phase that does not complete: result has the answer and the ns that it took.
extern "C" __global__ void time_limit(unsigned has_hint, unsigned hint, u64* result) {
  __shared__ u64 object;
  const unsigned word = Address(&object);
  Init(word, 1);
  const u64 begin = Nanoseconds();
  result[0] = has_hint != 0 ? TryWaitHint(word, 0, hint) : TryWaitParity(word, 0);
  result[1] = Nanoseconds() - begin;
}

// The cycles of kRounds rounds, by warp.
extern "C" __global__ void time_rounds(Timed what, u64* cycles) {
  __shared__ u64 object;
  const unsigned word = Address(&object), threads = blockDim.x, warps = threads / 32;
  const bool leads = threadIdx.x % 32 == 0;
  if (threadIdx.x == 0) {
    Init(word, what == Timed::kArriveWarp ? threads : warps);
    if (what == Timed::kTryWait) {
      Arrive(word, warps);
    }
  }
  SyncCta();
  u64 taken = 0;
  switch (what) {
    case Timed::kBarSync:
      taken = Cycles([](unsigned) { SyncCta(); });
      break;
    case Timed::kBarArrive:
      taken = Cycles([=](unsigned) {
        asm volatile("bar.arrive 1, %0;" ::"r"(threads) : "memory");
      });
      break;
    case Timed::kBarRed:
      taken = Cycles([](unsigned) { CountOdd(); });
      break;
    case Timed::kArriveLane:
      taken = leads ? Cycles([=](unsigned) { Arrive(word, 1); }) : 0;
      break;
    case Timed::kArriveWarp:
      taken = Cycles([=](unsigned) { Arrive(word, 1); });
      break;
    case Timed::kTestWait:
      taken = leads ? Cycles([=](unsigned) { TestWaitParity(word, 0); }) : 0;
      break;
    case Timed::kTryWait:
      taken = leads ? Cycles([=](unsigned) { TryWaitParity(word, 0); }) : 0;
      break;
    case Timed::kArriveAndWait:
      taken = leads ? Cycles([=](unsigned round) {
        Arrive(word, 1);
        while (TryWaitParity(word, round & 1) == 0) {
        }
      })
                    : 0;
      break;
    case Timed::kClusterBarrier:
      taken = Cycles([](unsigned) { SyncCluster(); });
      break;
  }
  if (leads) {
    cycles[blockIdx.x * warps + threadIdx.x / 32] = taken;
  }
}
