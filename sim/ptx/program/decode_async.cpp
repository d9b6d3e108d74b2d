// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Decoding: copies and stores that are not waited for.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "sim/ptx/program/address.h"
#include "sim/ptx/program/decode.h"

namespace muster::ptx {
namespace {

using syntax::Operand;
using Kind = syntax::Operand::Kind;

}  // namespace

// cp.async and cp.reduce.async.
void Decoder::CopyAsync() {
  const bool reduces = Take("reduce");
  if (!Take("async")) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
    return;
  }
  const bool bulk = Take("bulk");
  if (Take("tensor")) {
    Fail(at_,
         fmt::format("the instruction {} is not supported: there are no tensor maps", Spelling()));
    return;
  }
  if (bulk || reduces) {
    Require(Spelling(), 80, 90);
  } else {
    Require("cp.async", 70, 80);
  }
  if (reduces && !bulk) {
    Fail(at_, fmt::format("the instruction {} is not supported", Spelling()));
  } else if (!bulk && Take("mbarrier")) {
    MbCopyArrive();
  } else if (const int op = reduces ? -1 : TakeOne({"commit_group", "wait_group", "wait_all"});
             op >= 0) {
    CopyGroup(bulk, op);
  } else if (bulk && Take("prefetch")) {
    BulkPrefetch();
  } else if (bulk) {
    BulkCopy(reduces);
  } else {
    SmallCopy();
  }
}

void Decoder::CopyGroup(bool bulk, int op) {
  out_.op = Op::kCopyGroup;
  out_.combine = bulk ? 1 : 0;
  if (op == 2 && bulk) {
    Fail(at_, "cp.async.bulk has no .wait_all");
  }
  const bool reads = op == 1 && bulk && Take("read");
  const CopyGroupOp kind = op == 0   ? CopyGroupOp::kCommit
                           : op == 2 ? CopyGroupOp::kWaitAll
                           : reads   ? CopyGroupOp::kWaitRead
                                     : CopyGroupOp::kWait;
  out_.mode = static_cast<std::uint8_t>(kind);
  if (!Count(op == 1 ? 1 : 0, op == 1 ? 1 : 0) || op != 1) {
    return;
  }
  if (Arg(0).kind != Kind::kInteger) {
    Fail(Arg(0).at, fmt::format("{} takes a number of groups", Spelling()));
    return;
  }
  out_.a[0] = LiteralOf(Arg(0).value & 0xffffffffU);
}

void Decoder::SmallCopy() {
  const int space = TakeOne({"shared", "shared::cta"});
  if (space < 0 || !Take("global")) {
    Fail(at_, fmt::format("{} lacks .shared.global", Spelling()));
  } else if (space == 1) {
    Require(".shared::cta", 78, 80);
  }
  const int cache = TakeOne({"ca", "cg"});
  const bool has_policy = TakeOrdering();
  if (cache < 0) {
    Fail(at_, fmt::format("{} lacks .ca or .cg", Spelling()));
  }
  if (!Count(3, has_policy ? 5 : 4)) {
    return;
  }
  const std::uint64_t size = Arg(2).value;
  if (Arg(2).kind != Kind::kInteger || (size != 4 && size != 8 && size != 16)) {
    Fail(Arg(2).at, "cp.async copies 4, 8 or 16 bytes");
    return;
  }
  if (cache == 1 && size != 16) {
    Fail(Arg(2).at, "cp.async.cg copies 16 bytes");
  }
  out_.vector = static_cast<std::uint8_t>(size);
  const Slot from = AddressValue(Arg(1), Space::kGlobal);
  out_.space = Space::kShared;
  Address(Arg(0));
  out_.a[1] = from;
  // What follows is how much of it to read, or whether to read nothing: the rest is zeroes.
  out_.a[2] = LiteralOf(size);
  if (syntax_->operands.size() == (has_policy ? 5U : 4U)) {
    Symbol symbol;
    const bool ignores = Arg(3).kind == Kind::kName && symbols_.Find(Arg(3).name, &symbol) &&
                         symbol.type == Type::kPred;
    if (ignores) {
      Require("cp.async that may read nothing", 75, 80);
    }
    out_.a[ignores ? 3 : 2] = Source(Arg(3), ignores ? Type::kPred : Type::kU32);
    out_.negated = Arg(3).negated;
  }
}

// An address as a value.
Slot Decoder::AddressValue(const Operand& operand, Space space) {
  out_.space = space;
  out_.a[0] = kNoSlot;
  out_.offset = 0;
  Address(operand);
  // A variable's name stands for its generic address where there is no state space.
  const bool by_name = space == Space::kGeneric && IsShared(out_.space);
  const auto window = static_cast<std::int64_t>(by_name ? WindowOf(out_.space) : 0);
  const Slot value = SumOf(out_.a[0], out_.offset + window);
  out_.a[0] = kNoSlot;
  out_.offset = 0;
  out_.narrow = false;
  return value;
}

// What it fetches ahead makes no difference here.
void Decoder::BulkPrefetch() {
  if (!Take("L2") || !Take("global")) {
    Fail(at_, fmt::format("{} lacks .L2.global", Spelling()));
  }
  const bool has_policy = Take("L2::cache_hint");
  if (Count(has_policy ? 3 : 2, has_policy ? 3 : 2)) {
    AddressValue(Arg(0), Space::kGlobal);
    Source(Arg(1), Type::kU32);
  }
  Nothing();
}

void Decoder::BulkCopy(bool reduces) {
  out_.op = Op::kBulk;
  // The state spaces, in the order in which they stand there.
  std::vector<std::string_view> spaces;
  const auto is_space = [](std::string_view modifier) {
    return modifier == "shared::cluster" || modifier == "shared::cta" || modifier == "global";
  };
  std::copy_if(left_.begin(), left_.end(), std::back_inserter(spaces), is_space);
  left_.erase(std::remove_if(left_.begin(), left_.end(), is_space), left_.end());
  const bool two = spaces.size() == 2;
  const bool out = two && spaces[0] == "global" && spaces[1] == "shared::cta";
  const bool between = two && spaces[0] == "shared::cluster" && spaces[1] == "shared::cta";
  const bool in = two && !reduces && spaces[0] != "global" && spaces[1] == "global";
  if (!out && !between && !in) {
    Fail(at_, fmt::format("{} does not say from where to where", Spelling()));
    return;
  }
  if (in && spaces[0] == "shared::cta") {
    Require("the destination .shared::cta", 86, 90);
  }
  if (!Take(out ? "bulk_group" : "mbarrier::complete_tx::bytes")) {
    Fail(at_, fmt::format("{} lacks .{}", Spelling(),
                          out ? "bulk_group" : "mbarrier::complete_tx::bytes"));
  }
  const bool multicast = in && Take("multicast::cluster");
  const bool has_policy = !between && Take("L2::cache_hint");
  out_.mode = in ? 0 : 1;
  if (reduces) {
    BulkReduction(out);
  }
  const std::size_t count = 3 + (out ? 0 : 1) + (multicast ? 1 : 0) + (has_policy ? 1 : 0);
  if (!Count(count, count)) {
    return;
  }
  const Slot to = AddressValue(Arg(0), out ? Space::kGlobal : Space::kCluster);
  const Slot from = AddressValue(Arg(1), in ? Space::kGlobal : Space::kShared);
  const Slot mbarrier = out ? kNoSlot : AddressValue(Arg(3), Space::kCluster);
  out_.space = out ? Space::kGlobal : Space::kCluster;
  out_.a[0] = to;
  out_.a[1] = from;
  out_.a[2] = Source(Arg(2), Type::kU32);
  out_.a[3] = mbarrier;
  out_.a[4] = multicast ? Source(Arg(4), Type::kU16) : kNoSlot;
}

// The operation and the type of a reduction; the text has more of them to global memory.
void Decoder::BulkReduction(bool out) {
  const int op = TakeOne({"add", "min", "max", "and", "or", "xor", "inc", "dec"});
  constexpr Atomic kOps[] = {Atomic::kAdd, Atomic::kMin, Atomic::kMax,       Atomic::kAnd,
                             Atomic::kOr,  Atomic::kXor, Atomic::kIncrement, Atomic::kDecrement};
  if (op < 0) {
    Fail(at_, fmt::format("{} lacks its operation", Spelling()));
    return;
  }
  const Atomic atomic = kOps[op];
  out_.combine = static_cast<std::uint8_t>(static_cast<unsigned>(atomic) + 1);
  switch (atomic) {
    case Atomic::kAdd: {
      const bool halves = out && Take("noftz");
      out_.type = halves ? TakeType({Type::kF16, Type::kBF16})
                  : out  ? TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kF32, Type::kF64})
                         : TakeType({Type::kU32, Type::kS32, Type::kU64});
      return;
    }
    case Atomic::kMin:
    case Atomic::kMax:
      out_.type =
          out ? TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kS64, Type::kF16, Type::kBF16})
              : TakeType({Type::kU32, Type::kS32});
      return;
    case Atomic::kIncrement:
    case Atomic::kDecrement:
      out_.type = TakeType({Type::kU32});
      return;
    default:
      out_.type = out ? TakeType({Type::kB32, Type::kB64}) : TakeType({Type::kB32});
  }
}

// The rest of st.async and red.async: where to, what, and the mbarrier.
void Decoder::StoreAsync() {
  const bool stores = syntax_->opcode == "st";
  const char* const name = stores ? "st.async" : "red.async";
  Require(name, 81, 90);
  out_.op = Op::kStoreAsync;
  if (Take("release")) {
    StoreToGlobal();
    return;
  }
  out_.space = Take("shared::cluster") ? Space::kCluster : Space::kGeneric;
  const bool completes = Take("mbarrier::complete_tx::bytes");
  if (stores) {
    if (!Take("weak") && Take("cluster")) {
      Require("st.async.cluster", 87, 90);
    }
    if (!completes) {
      Misuse(at_, fmt::format("{} lacks .mbarrier::complete_tx::bytes", Spelling()));
    }
    out_.vector = TakeVector();
    out_.type = TakeType({Type::kB32, Type::kB64, Type::kU32, Type::kU64, Type::kS32, Type::kS64,
                          Type::kF32, Type::kF64});
    if (Bytes(out_.type) * out_.vector > 16) {
      Unsupported("a vector of more than 16 bytes");
    }
  } else {
    if (!Take("relaxed") || !Take("cluster")) {
      Fail(at_, fmt::format("{} lacks .relaxed.cluster, or .release and its scope", Spelling()));
      return;
    }
    BulkReduction(false);
  }
  if (!Count(3, 3)) {
    return;
  }
  const Space space = out_.space;
  const Slot mbarrier = AddressValue(Arg(2), space);
  out_.space = space;
  Address(Arg(0));
  const auto values = Registers(Arg(1), out_.type, false);
  std::copy(values.begin(), values.end(), out_.a.begin() + 1);
  out_.a[5] = mbarrier;
}

// Those that release: to global memory, and nobody hears of it.
void Decoder::StoreToGlobal() {
  const bool stores = syntax_->opcode == "st";
  Require(Spelling(), 87, 100);
  const bool mapped = Take("mmio");
  const int scope = stores ? TakeOne({"sys", "gpu"}) : TakeOne({"sys", "gpu", "cluster"});
  if (scope < 0 || (mapped && scope != 0)) {
    Fail(at_, fmt::format("{} lacks {}", Spelling(), mapped ? ".sys" : "its scope"));
  }
  out_.space = Take("global") ? Space::kGlobal : Space::kGeneric;
  if (stores) {
    out_.type = TakeType({Type::kB8, Type::kB16, Type::kB32, Type::kB64, Type::kU8, Type::kU16,
                          Type::kU32, Type::kU64, Type::kS8, Type::kS16, Type::kS32, Type::kS64,
                          Type::kF32, Type::kF64});
  } else {
    if (!Take("add")) {
      Fail(at_, fmt::format("{} lacks .add", Spelling()));
    }
    out_.combine = static_cast<std::uint8_t>(static_cast<unsigned>(Atomic::kAdd) + 1);
    out_.type = TakeType({Type::kU32, Type::kS32, Type::kU64, Type::kS64});
  }
  if (!Count(2, 2)) {
    return;
  }
  Address(Arg(0));
  out_.a[1] = Source(Arg(1), out_.type, Bytes(out_.type) == 1);
}

}  // namespace muster::ptx
