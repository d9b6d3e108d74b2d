// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sim/ptx/simt/tensor_product.h"
#include "sim/ptx/simt/warp.h"

namespace muster::ptx {
namespace {

class Uncomputed : public TensorOperation {
 public:
  std::optional<TensorRefusal> AddResult(Cta* cta, unsigned lane, unsigned step, unsigned column,
                                         unsigned columns);
  void SetOrigin(Origin origin) { SetUnknown(origin); }

 private:
  void Execute() override {}
};

std::optional<TensorRefusal> Uncomputed::AddResult(Cta* cta, unsigned lane, unsigned step,
                                                   unsigned column, unsigned columns) {
  const auto why =
      cta->tensor == nullptr
          ? std::optional<std::string>("accesses tensor memory, of which none is allocated")
          : cta->tensor->Refusal(0, kTensorLanes, column, columns);
  if (why) {
    return TensorRefusal{"tensor_memory_not_allocated", *why};
  }
  for (; lane < kTensorLanes; lane += step) {
    Add(TensorPieces(cta, lane, column, columns, true));
  }
  return std::nullopt;
}

}  // namespace

// The places of D are those of tensor_product.cpp.
std::shared_ptr<TensorOperation> MakeOpaqueProduct(const ProductCall& call,
                                                   TensorRefusal* refusal) {
  const unsigned m = (call.descriptor >> 24 & 0x1f) * 16;
  const unsigned n = (call.descriptor >> 17 & 0x3f) * 8;
  const unsigned rows = std::max(1U, m / static_cast<unsigned>(call.ctas.size()));
  const bool half = rows == kTensorLanes / 2 && call.ctas.size() == 1 && !call.spread;
  const unsigned beside = half ? 1 : std::max(1U, kTensorLanes / rows);
  auto product = std::make_shared<Uncomputed>();
  for (Cta* const cta : call.ctas) {
    if (auto refused = product->AddResult(cta, half ? TensorLane(call.d) % (2 * kPieceLanes) : 0,
                                          half ? 2 * kPieceLanes : kPieceLanes,
                                          TensorColumn(call.d), std::max(1U, n / beside))) {
      *refusal = *std::move(refused);
      return nullptr;
    }
  }
  product->SetOrigin(call.origin);
  return product;
}

}  // namespace muster::ptx
