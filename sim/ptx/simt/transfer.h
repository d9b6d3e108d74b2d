// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// What threads start and do not wait for: copies, reductions, stores to another CTA, and operations
// on another CTA's mbarriers.
#ifndef MUSTER_SIM_PTX_SIMT_TRANSFER_H_
#define MUSTER_SIM_PTX_SIMT_TRANSFER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/isa/atomic_operation.h"
#include "sim/isa/mbarrier_operation.h"
#include "sim/ptx/program/instruction.h"
#include "sim/ptx/simt/memory.h"
#include "sim/ptx/simt/tensor_map.h"
#include "sim/ptx/simt/unknown.h"
#include "sim/ptx/simt/warpgroup.h"

namespace muster::ptx {

struct Cta;
class MbarrierSink;
struct Launch;
class TensorOperation;

// The copies of one thread that count in groups (cp.async, or cp.async.bulk), in its order.
class CopyGroups {
 public:
  // A copy starts. Returns its number, for the rest.
  std::uint32_t Start() {
    outstanding_.push_back({next_, group_, false});
    return next_++;
  }
  void Commit() { ++group_; }
  void Read(std::uint32_t number);
  void End(std::uint32_t number);

  // All are done, or have read their sources, but for those of the latest `groups` groups.
  bool Done(std::uint32_t groups, bool read) const;
  bool AllDone() const { return outstanding_.empty(); }
  // What has been started by now: done when DoneBefore.
  std::uint32_t next() const { return next_; }
  bool DoneBefore(std::uint32_t number) const;
  bool ReadBefore(std::uint32_t number) const;

 private:
  struct Copy {
    std::uint32_t number;
    std::uint32_t group;
    bool read;
  };
  std::vector<Copy> outstanding_;
  std::uint32_t next_ = 0;
  std::uint32_t group_ = 0;  // that the next copy is of
};

// Consecutive bytes of a memory, and where they are among the bytes that a transfer moves.
struct Piece {
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  std::uint32_t at = 0;
};
// Returns the pieces ordered by address, those that touch as one.
std::vector<Piece> Merged(std::vector<Piece> pieces);

struct Transfer {
  enum class Kind : std::uint8_t {
    kMove,     // bytes
    kReduce,   // elements, into what is there
    kArrive,   // the arrive-on of copies, when they are done
    kTensor,   // an operation of a tensor core, in the order of its thread
    kProduct,  // of wgmma: reads shared memory, and writes registers
    kRemote,   // an operation of another CTA of the cluster: through the network, not by an engine
  };
  Kind kind = Kind::kMove;
  // Where to: shared memory of a CTA, or (null) global memory.
  Cta* to = nullptr;
  std::vector<Piece> target{};
  // Where from: likewise, unless the bytes have been read.
  Cta* from = nullptr;
  std::vector<Piece> source{};
  bool has_read = false;
  bool rounds_to_tf32 = false;  // what it reads
  // The bytes that it moves. Those that no piece of the source has are there from the start.
  std::vector<std::uint8_t> data{};
  UnknownBytes unknown{};  // of these bytes
  Atomic atomic = Atomic::kAdd;
  Type type = Type::kB32;
  // The mbarrier that hears of the bytes: of `to`, unless it is of its peer.
  std::optional<std::uint32_t> mbarrier{};
  Cta* peer = nullptr;
  Validity validity = Validity::kDisabled;  // what it reports there
  bool reports = false;                     // it has read that
  // The address of the tensor map that it has read, if that lies in global memory.
  std::optional<std::uint64_t> map{};
  // The thread that started it, its launch, and the instruction.
  Cta* issuer = nullptr;
  const Launch* launch = nullptr;  // set where it is posted
  unsigned warp = 0;               // its slot
  unsigned lane = 0;               // of it
  std::uint32_t pc = 0;            // the instruction
  CopyGroups* groups = nullptr;    // if it counts there
  std::uint32_t number = 0;
  std::uint32_t line = 0;
  std::uint32_t pass = 0;  // of a schedule (ScheduleReplay::pass)
  // What is in front of the issuer's shared memory, and how many groups of operations on mbarriers
  // the issuing warp had sent there before.
  const MbarrierSink* port = nullptr;
  std::uint64_t issued = 0;
  // kRemote: is there until the operation has been performed. A transfer whose mbarrier is of
  // another CTA follows what its thread has sent there before.
  std::shared_ptr<const void> on_its_way{};
  std::weak_ptr<const void> follows{};
  // Of a run that performs accesses late: is there until the transfer is performed.
  std::shared_ptr<const void> outstanding{};
  // What goes through the network, of kRemote, st.async and red.async: an update, an operation on
  // an mbarrier that follows it, or either of them alone.
  RemoteAtomic update{};
  MbOperation operation{};
  std::shared_ptr<TensorOperation> tensor{};  // kTensor
  // kTensor: it reads matrix A before the rest. kArrive: it waits for such reads alone.
  bool of_reads = false;
  StartedProduct product{};  // kProduct
};

// An interface to what carries them out.
class TransferSink {
 public:
  TransferSink() = default;
  TransferSink(const TransferSink&) = delete;
  TransferSink& operator=(const TransferSink&) = delete;
  virtual ~TransferSink() = default;

  virtual void Post(Transfer transfer, std::uint64_t cycle) = 0;
};

// Returns the CTA whose mbarrier hears of the transfer.
inline Cta* HearerOf(const Transfer& transfer) {
  return transfer.peer != nullptr ? transfer.peer : transfer.to;
}
// Whether a product has yet to read matrix A, at a time of its own.
inline bool ReadsApart(const Transfer& transfer) {
  return transfer.kind == Transfer::Kind::kTensor && transfer.of_reads && !transfer.has_read;
}
// Whether what it follows is done, or has read matrix A if it waits for no more. Of a CTA that has
// ended nothing is left.
inline bool IsNext(const Transfer& transfer) {
  const bool awaits_reads = transfer.kind == Transfer::Kind::kArrive && transfer.of_reads;
  return transfer.groups == nullptr ||
         (awaits_reads ? transfer.groups->ReadBefore(transfer.number)
                       : transfer.groups->DoneBefore(transfer.number));
}
// Returns the part of a transfer that moves `bytes` bytes from byte `from` on.
Transfer PartOf(const Transfer& whole, std::uint32_t from, std::uint32_t bytes);
// Reads the source. It was found when the transfer was started: only a buffer that has been freed
// is not there any more.
void ReadSource(Memory* memory, Transfer* transfer);
// What the bytes that it has written have of unknown values, in this memory.
void SpreadUnknown(const Transfer& transfer, UnknownBytes* unknown);
// Writes what was read. Returns false while the unit holds one of the words.
bool WriteTarget(Memory* memory, const Transfer& transfer);
// Returns whether it goes to the CTA: to its memory, or to an mbarrier there.
inline bool GoesTo(const Cta& cta, const Transfer& transfer) {
  return transfer.to == &cta || transfer.peer == &cta;
}
// The CTA ends. The transfer is lost if it goes to the CTA, or has not been read there; if another
// CTA sent it there, that is a fault.
enum class Loss : std::uint8_t { kNone, kOwn, kOfAnother };
Loss AbandonWith(const Cta& cta, Transfer* transfer);
// Returns the operation at the mbarrier when the transfer is done, if there is one.
MbOperation CompletionOf(const Transfer& transfer);
// Returns its report there.
MbOperation ReportOf(const Transfer& transfer);

}  // namespace muster::ptx

#endif  // MUSTER_SIM_PTX_SIMT_TRANSFER_H_
