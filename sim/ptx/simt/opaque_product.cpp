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

// The places of D are those of tensor_product.cpp; of .ws "Data Path Layout Organization" has
// layouts E (M is 64: half of the columns in the lower 64 lanes) and G (M is 32: a quarter in each
// 32 lanes).
std::shared_ptr<TensorOperation> MakeOpaqueProduct(const std::vector<Cta*>& ctas, bool spread,
                                                   std::uint32_t d, std::uint32_t descriptor,
                                                   Origin origin, TensorRefusal* refusal) {
  const unsigned m = (descriptor >> 24 & 0x1f) * 16;
  const unsigned n = (descriptor >> 17 & 0x3f) * 8;
  const unsigned rows = std::max(1U, m / static_cast<unsigned>(ctas.size()));
  const bool half = rows == kTensorLanes / 2 && ctas.size() == 1 && !spread;
  const unsigned beside = half ? 1 : std::max(1U, kTensorLanes / rows);
  auto product = std::make_shared<Uncomputed>();
  for (Cta* const cta : ctas) {
    if (auto refused = product->AddResult(cta, half ? TensorLane(d) % (2 * kPieceLanes) : 0,
                                          half ? 2 * kPieceLanes : kPieceLanes, TensorColumn(d),
                                          std::max(1U, n / beside))) {
      *refusal = *std::move(refused);
      return nullptr;
    }
  }
  product->SetOrigin(origin);
  return product;
}

}  // namespace muster::ptx
