// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The decoded form of a PTX instruction: what the interpreter switches on. One flat array holds the
// code of all functions, and a program counter is an index into it.
#ifndef MUSTER_SIM_PTX_PROGRAM_INSTRUCTION_H_
#define MUSTER_SIM_PTX_PROGRAM_INSTRUCTION_H_

#include <array>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "sim/isa/mbarrier_operation.h"
#include "sim/isa/operation.h"
#include "sim/isa/warp_operation.h"
#include "sim/ptx/program/matrix_instruction.h"
#include "sim/ptx/program/opcode.h"
#include "sim/ptx/program/operand.h"
#include "sim/ptx/program/order.h"
#include "sim/ptx/program/tensor_instruction.h"
#include "sim/ptx/program/texture_instruction.h"
#include "sim/ptx/program/types.h"

namespace muster::ptx {

// Integers and floating-point numbers, one in a register or a pair: add to copysign, mul24, sad.
struct Arithmetic {
  Type type = Type::kNone;
  Round round = Round::kNearest;
  bool saturate = false;
  bool flush = false;      // subnormal numbers of single precision to zero
  bool relu = false;       // what is below zero becomes zero
  bool keeps_nan = false;  // min, max: a NaN is the result, not the other operand
  bool xor_sign = false;   // min, max: of the absolute values, with the product's sign
  Slot d = kNoSlot;
  std::array<Slot, 3> a = NoSlots<3>();
};

// addc, subc, madc, and those with .cc.
struct CarryArithmetic {
  Type type = Type::kNone;
  Slot d = kNoSlot;
  Slot carry_out = kNoSlot;  // where there is one, here and below
  std::array<Slot, 3> a = NoSlots<3>();
  Slot carry_in = kNoSlot;
};

// dp4a, dp2a: sums of products of parts of two words.
struct DotProduct {
  std::array<Type, 2> types{};  // of the parts
  bool upper = false;           // dp2a: the upper bytes of b
  Slot d = kNoSlot;
  std::array<Slot, 3> a = NoSlots<3>();
};

// Logic, shifts and fields of bits: and to lop3, mbarrier.pending_count.
struct BitOperation {
  Type type = Type::kNone;
  bool clamps = false;         // szext, shf, bmsk: an amount beyond 32 is 32; else it wraps
  bool shift_amount = false;   // bfind
  std::uint8_t permutation{};  // prmt: 0 as c says, or its mode, from 1 (.f4e) on
  Slot d = kNoSlot;
  std::array<Slot, 4> a = NoSlots<4>();
};

// setp, set.
struct Comparison {
  Type type = Type::kNone;  // of what is compared
  Type to = Type::kNone;    // set: of the result
  Compare compare = Compare::kEq;
  Combine combine = Combine::kNone;  // with the predicate c
  bool negated = false;              // !c
  bool flush = false;
  Slot d = kNoSlot;
  Slot complement = kNoSlot;  // setp: q of p|q; of pairs: the upper half's result
  std::array<Slot, 2> a = NoSlots<2>();
  Slot c = kNoSlot;
};

// selp, slct.
struct Selection {
  Type type = Type::kNone;
  Type by = Type::kPred;  // of the operand that decides
  bool flush = false;     // slct: of that operand
  Slot d = kNoSlot;
  std::array<Slot, 2> a = NoSlots<2>();
  Slot c = kNoSlot;
};

// testp.
struct FloatTest {
  Type type = Type::kNone;
  FloatClass wanted = FloatClass::kFinite;
  Slot d = kNoSlot;
  Slot a = kNoSlot;
};

// mov of one register.
struct Move {
  Type type = Type::kNone;
  bool negated = false;  // !a, of a predicate
  Slot d = kNoSlot;
  Slot a = kNoSlot;
};

// mov of a vector to a register, or the other way round.
struct Packing {
  Type type = Type::kNone;
  Type part = Type::kNone;
  std::uint8_t count = 2;
  Slot d = kNoSlot;
  std::array<Slot, 4> a = NoSlots<4>();
};
struct Unpacking {
  Type part = Type::kNone;
  std::uint8_t count = 2;
  std::array<Slot, 4> d = NoSlots<4>();
  Slot a = kNoSlot;
};

// The value of a special register.
struct SpecialRead {
  Special special = Special::kZero;
  Slot d = kNoSlot;
};

// cvt.
struct Conversion {
  Type to = Type::kNone;
  Type from = Type::kNone;
  std::uint8_t register_bytes = 0;  // of the destination, to which an integer is extended
  Round round = Round::kNearest;
  bool saturate = false;
  bool flush = false;
  bool relu = false;
  bool finite = false;  // what is out of range becomes the greatest number
  Slot d = kNoSlot;
  Slot a = kNoSlot;
};

// cvt.pack.
struct PackedConversion {
  Type to = Type::kNone;  // u32 or s32, cut to so many bits
  std::uint8_t bits = 0;
  Slot d = kNoSlot;
  std::array<Slot, 3> a = NoSlots<3>();
};

// vadd and the like, on a part of each register, or on two halves or four bytes at once.
struct Video {
  VideoOp op = VideoOp::kAdd;
  Type type = Type::kNone;  // of the result
  std::uint8_t elements = 1;
  bool saturate = false;
  bool minus_product = false;  // vmad
  bool minus_c = false;        // vmad
  bool plus_one = false;       // vmad
  bool wraps = false;          // vshl, vshr
  std::array<bool, 2> is_signed{};
  // The parts of a and b; of several elements a digit each: which of a's and b's.
  std::array<std::uint16_t, 2> parts{};
  std::uint8_t to_part = 0;  // likewise of d; of several elements a bit for each that is written
  std::uint8_t shift = 0;    // vmad: of the result, to the right
  Compare compare = Compare::kEq;
  VideoSecond second = VideoSecond::kNone;
  Slot d = kNoSlot;
  std::array<Slot, 3> a = NoSlots<3>();
};

// cvta, isspacep.
struct AddressConversion {
  Space space = Space::kGeneric;
  Slot d = kNoSlot;
  Slot a = kNoSlot;
};

// mapa, getctarank.
struct ClusterMapping {
  Space space = Space::kGeneric;
  Slot d = kNoSlot;
  Slot a = kNoSlot;
  Slot rank = kNoSlot;  // mapa
};

// alloca, stacksave, stackrestore.
struct StackChange {
  Stacked what = Stacked::kSave;
  std::uint32_t function = 0;
  std::uint32_t alignment = 0;
  Slot d = kNoSlot;
  Slot a = kNoSlot;
};

// What accesses to memory have in common.
struct Access {
  Type type = Type::kNone;
  std::uint8_t count = 1;  // elements
  Address address;
  Ordering ordering;
};
struct Load : Access {
  Type to = Type::kNone;  // of the registers, which may be wider
  std::array<Slot, 8> d = NoSlots<8>();
};
struct Store : Access {
  std::array<Slot, 8> values = NoSlots<8>();
};
// atom, red. A value of 128 bits is two registers.
struct AtomicAccess : Access {
  Atomic op = Atomic::kAdd;
  std::array<Slot, 8> d = NoSlots<8>();
  std::array<Slot, 8> b = NoSlots<8>();
  std::array<Slot, 2> c = NoSlots<2>();  // of cas
  bool answers = true;                   // atom, into a register
};

// cp.async: of `bytes` so many are read, or none.
struct SmallCopy {
  std::uint8_t bytes = 0;
  bool negated = false;  // of the predicate
  Address to;
  Slot from = kNoSlot;
  Slot read = kNoSlot;
  Slot ignores = kNoSlot;  // the predicate that says that none is read, if there is one
};

// cp.async.commit_group and the like.
struct CopyGroup {
  CopyGroupOp op = CopyGroupOp::kCommit;
  bool bulk = false;
  Slot groups = kNoSlot;  // that may be left
};

// What a copy or store does with what is there.
struct Reduction {
  Atomic op = Atomic::kAdd;
  Type type = Type::kNone;
};

// What a copy looks for in what it copies, to report it at its mbarrier.
enum class Validity : std::uint8_t {
  kDisabled,
  kF32,     // the first element of each 16 bytes is -0: .per_16bytes::80000000
  kF16,     // ::8000
  kF8,      // ::80
  kF4,      // ::8
  kEachFf,  // a byte is 0xff: .per_element::ff
};

// cp.async.bulk, cp.reduce.async.bulk.
struct BulkCopy {
  Space space = Space::kGeneric;  // where to: kGlobal or kCluster
  bool from_shared = false;
  bool multimem = false;  // to all buffers of a multicast object
  std::optional<Reduction> reduction;
  Slot to = kNoSlot;
  Slot from = kNoSlot;
  Slot size = kNoSlot;
  Slot mbarrier = kNoSlot;     // not to global memory
  Slot ctas = kNoSlot;         // the mask of a multicast
  Slot byte_mask = kNoSlot;    // .cp_mask: which bytes of each 16
  Slot ignore_left = kNoSlot;  // .ignore_oob: how many bytes may be outside
  Slot ignore_right = kNoSlot;
  Validity validity = Validity::kDisabled;
};

// st.bulk: zeroes in shared memory.
struct BulkStore {
  Address address;
  Slot size = kNoSlot;
};

// cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, cp.async.bulk.prefetch.tensor.
struct TensorCopy {
  TensorMode mode = TensorMode::kTile;
  std::uint8_t dims = 0;
  Space space = Space::kCluster;  // where to: kShared (the CTA's own), kCluster or kGlobal
  bool prefetches = false;
  bool signals_pair = false;  // .cta_group::2
  std::optional<Atomic> reduction;
  Slot map = kNoSlot;
  Slot shared = kNoSlot;
  std::array<Slot, 5> coordinates = NoSlots<5>();
  std::array<Slot, 3> offsets = NoSlots<3>();
  Slot mbarrier = kNoSlot;  // not to global memory
  Slot ctas = kNoSlot;      // the mask of a multicast
  Validity validity = Validity::kDisabled;
};

struct TensorReplace {
  TensorField field = TensorField::kGlobalAddress;
  std::uint8_t ordinal = 0;  // the dimension
  Address address;
  Slot value = kNoSlot;
};

// st.async, red.async.
struct AsyncStore : Access {
  std::optional<Atomic> reduction;
  std::array<Slot, 4> values = NoSlots<4>();
  Slot mbarrier = kNoSlot;  // none: to global memory
};

// clusterlaunchcontrol.try_cancel.
struct CancelRequest {
  Space space = Space::kGeneric;
  bool multicast = false;
  Slot response = kNoSlot;  // where to
  Slot mbarrier = kNoSlot;
};

// clusterlaunchcontrol.query_cancel: some of the results.
struct CancelQuery {
  Slot is_canceled = kNoSlot;
  std::array<Slot, 3> ctaid = NoSlots<3>();
  std::array<Slot, 2> response = NoSlots<2>();  // its halves
};

struct MemoryFence {
  Ordering ordering;              // kWeak: it orders proxies only
  bool sequential = false;        // .sc: all such fences of a scope have one order
  bool of_inits = false;          // .mbarrier_init: of these alone
  bool of_shared = false;         // .sync_restrict: of accesses to shared memory alone
  bool async = false;             // orders accesses of the generic and the async proxy
  bool of_maps = false;           // orders accesses of the generic and the tensormap proxy
  Space space = Space::kGeneric;  // accesses to kShared or kGlobal alone, or to all memory
  Address address;                // that must be in global memory, if there is one
};

struct Branch {
  std::uint32_t target = 0;
  bool delays = false;  // part of a loop that only lets time pass (timed.h)
};
struct IndexedBranch {
  std::uint32_t table = 0;
  Slot index = kNoSlot;
};
struct FunctionCall {
  std::uint32_t call = 0;
  Slot function = kNoSlot;  // of an indirect call
};
struct Return {
  std::uint32_t function = 0;
};
// Offsets of .param variables in the frame's local memory.
struct RuntimeCall {
  Runtime function = Runtime::kAssert;
  std::array<Slot, 3> arguments = NoSlots<3>();
  Slot result = kNoSlot;
};
struct Nanosleep {
  Slot ns = kNoSlot;
};

struct ActiveMask {
  Slot d = kNoSlot;
};

// Collectives of a warp, as the warp scope knows them.
struct WarpExchange {
  WarpOp op = WarpOp::kSync;
  std::uint8_t mode = 0;
  bool abs = false;
  bool nan = false;
  bool negated = false;  // vote: of the predicate
  Slot d = kNoSlot;
  Slot predicate = kNoSlot;  // p of d|p
  Slot members = kNoSlot;    // none: the lanes that are together
  Slot value = kNoSlot;
  Slot from = kNoSlot;   // shfl: the lane or distance,
  Slot clamp = kNoSlot;  // and its limits
};

// What is accepted and not computed: its results are unknown from then on.
struct Opaque {
  std::uint32_t text = 0;  // index of Program::opaque
  std::vector<Slot> d;
  std::vector<Slot> a;
};

// bar, barrier.
struct CtaBarrier {
  OpKind kind = OpKind::kSync;
  bool aligned = false;
  bool negated = false;  // of the predicate
  Slot d = kNoSlot;      // of a reduction
  Slot id = kNoSlot;
  Slot count = kNoSlot;
  Slot predicate = kNoSlot;
};
struct ClusterBarrier {
  ClusterForm op = ClusterForm::kNone;
  bool aligned = false;
};

struct GridControl {
  bool waits = false;  // .wait; otherwise .launch_dependents
};

struct Mbarrier {
  MbOp op = MbOp::kInit;
  bool releasing = false;
  bool acquiring = false;
  Scope scope = Scope::kCta;
  Address address;
  Slot d = kNoSlot;        // the state, or whether the phase is complete
  Slot operand = kNoSlot;  // the count, the bytes, the state or the parity
  Slot hint = kNoSlot;     // the time limit
  Slot ctas = kNoSlot;     // the mask of a multicast
  // Layouts and reports.
  bool v1 = false;  // init
  MbAsks asks = MbAsks::kPrimary;
  Slot report_predicate = kNoSlot;
  Slot report_value = kNoSlot;

  // Whether it needs a unit with EnReport.
  bool NeedsReports() const {
    return v1 || asks != MbAsks::kPrimary || report_predicate != kNoSlot;
  }
};

// multimem.ld_reduce, .st, .red: at all places that an address of a multicast object stands for.
struct MultimemAccess : Access {
  enum class What : std::uint8_t { kLoadReduce, kStore, kReduce };
  What what = What::kStore;
  Atomic op = Atomic::kAdd;
  bool in_f32 = false;  // .acc::f32
  std::array<Slot, 8> d = NoSlots<8>();
  std::array<Slot, 8> values = NoSlots<8>();
};

// One for each family of instructions; Op (opcode.h) says which an instruction has. A new one is
// added to registers.cpp, too.
using Payload =
    std::variant<std::monostate, Arithmetic, CarryArithmetic, DotProduct, BitOperation, Comparison,
                 Selection, FloatTest, Move, Packing, Unpacking, SpecialRead, Conversion,
                 PackedConversion, Video, AddressConversion, ClusterMapping, StackChange, Load,
                 Store, AtomicAccess, SmallCopy, CopyGroup, BulkCopy, BulkStore, MultimemAccess,
                 TextureLookup, TextureQuery, SurfaceAccess, TensorCopy, TensorReplace, AsyncStore,
                 CancelRequest, CancelQuery, MemoryFence, Branch, IndexedBranch, FunctionCall,
                 Return, RuntimeCall, Nanosleep, ActiveMask, WarpExchange, MatrixProduct,
                 FragmentPlace, MatrixLayout, TensorAllocation, TensorAccess, TensorWait,
                 TensorProduct, TensorMovement, TensorCommit, WarpgroupProduct, WarpgroupOrder,
                 RegisterLimit, Opaque, CtaBarrier, ClusterBarrier, GridControl, Mbarrier>;

struct Instruction {
  // Out of line, since the copy of a payload is code for each of its kinds.
  Instruction();
  Instruction(const Instruction& other);
  Instruction(Instruction&& other) noexcept;
  Instruction& operator=(const Instruction& other);
  Instruction& operator=(Instruction&& other) noexcept;
  ~Instruction();

  Op op = Op::kNop;
  bool guard_negated = false;  // !p
  bool timed = false;          // its effect on more than registers depends on a clock (timed.h)
  bool fragments = false;      // it reads or writes registers that a wgmma of its function has, too
  Slot guard = kNoSlot;        // the predicate, if any
  std::uint32_t line = 0;
  std::uint32_t column = 0;  // of its opcode; 0: the file has no such statement
  Payload payload;

  // The payload that the op has.
  template <typename T>
  const T& As() const {
    return std::get<T>(payload);
  }
  template <typename T>
  T& As() {
    return std::get<T>(payload);
  }
  // An empty payload of that kind.
  template <typename T>
  T& Make() {
    return payload.emplace<T>();
  }
};

// Of a load, a store or an atomic.
inline const Access& AccessOf(const Instruction& i) {
  return i.op == Op::kLoad    ? static_cast<const Access&>(i.As<Load>())
         : i.op == Op::kStore ? static_cast<const Access&>(i.As<Store>())
                              : i.As<AtomicAccess>();
}

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_PROGRAM_INSTRUCTION_H_
