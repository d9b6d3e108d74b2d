// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// Bits of a vector that is kept as one number, or as words with the lowest first: a port of a
// Verilated module, or the bytes of a frame.
#ifndef MUSTER_SIM_PORT_BITS_H_
#define MUSTER_SIM_PORT_BITS_H_

#include <array>
#include <cstdint>
#include <type_traits>

namespace muster {

// Bits of a struct, from its lowest one.
struct BitField {
  unsigned low;
  unsigned width;
};

constexpr std::uint64_t Ones(unsigned width) { return ~std::uint64_t{0} >> (64 - width); }

// The first word.
template <typename Vector>
constexpr auto* WordsOf(Vector* vector) {
  if constexpr (std::is_integral_v<Vector>) {
    return vector;
  } else {
    return &(*vector)[0];
  }
}

template <typename Vector>
[[gnu::always_inline]] inline std::uint64_t GetBits(const Vector& vector, unsigned low,
                                                    unsigned width) {
  const auto* word = WordsOf(&vector);
  constexpr unsigned kWordBits = 8 * sizeof(*word);
  word += low / kWordBits;
  std::uint64_t value = std::uint64_t{*word} >> low % kWordBits;
  for (unsigned have = kWordBits - low % kWordBits; have < width; have += kWordBits) {
    value |= std::uint64_t{*++word} << have;
  }
  return value & Ones(width);
}

template <typename Vector>
[[gnu::always_inline]] inline void SetBits(Vector* vector, unsigned low, unsigned width,
                                           std::uint64_t value) {
  auto* word = WordsOf(vector);
  using Word = std::remove_reference_t<decltype(*word)>;
  constexpr unsigned kWordBits = 8 * sizeof(Word);
  const std::uint64_t mask = Ones(width);
  value &= mask;
  word += low / kWordBits;
  const unsigned shift = low % kWordBits;
  *word = static_cast<Word>((*word & ~(mask << shift)) | value << shift);
  for (unsigned have = kWordBits - shift; have < width; have += kWordBits) {
    ++word;
    *word = static_cast<Word>((*word & ~(mask >> have)) | value >> have);
  }
}

// The field of a struct that begins at bit `low`: a number or an enumerator.
template <typename Vector, typename Value>
[[gnu::always_inline]] inline void GetBits(const Vector& vector, unsigned low, BitField field,
                                           Value* value) {
  *value = static_cast<Value>(GetBits(vector, low + field.low, field.width));
}
template <typename Vector, typename Value>
[[gnu::always_inline]] inline void SetBits(Vector* vector, unsigned low, BitField field,
                                           Value value) {
  SetBits(vector, low + field.low, field.width, static_cast<std::uint64_t>(value));
}

// All bits of a struct, apart from where they go to or come from: that is memory which a byte of
// the C++ value might be in, for all that a compiler knows, and would be stored after each field.
template <unsigned kWidth>
using BitWords = std::array<std::uint64_t, (kWidth + 63) / 64>;

template <unsigned kWidth, typename Vector>
[[gnu::always_inline]] inline BitWords<kWidth> LoadBits(const Vector& vector, unsigned low) {
  BitWords<kWidth> bits;
  for (unsigned at = 0; at < kWidth; at += 64) {
    bits[at / 64] = GetBits(vector, low + at, kWidth - at < 64 ? kWidth - at : 64);
  }
  return bits;
}
template <unsigned kWidth, typename Vector>
[[gnu::always_inline]] inline void StoreBits(const BitWords<kWidth>& bits, Vector* vector,
                                             unsigned low) {
  for (unsigned at = 0; at < kWidth; at += 64) {
    SetBits(vector, low + at, kWidth - at < 64 ? kWidth - at : 64, bits[at / 64]);
  }
}

// A field of each bundle, in a vector of bundles of so many bits.
template <typename Vector, unsigned kLow, unsigned kBundle>
struct BundleField {
  Vector* bundles;
};

// The vector in which element `u` of a port lies, and where it begins there.
template <typename Port>
Port* VectorOf(Port* port) {
  return port;
}
template <typename Vector, unsigned kLow, unsigned kBundle>
Vector* VectorOf(BundleField<Vector, kLow, kBundle>* field) {
  return field->bundles;
}
template <typename Vector, unsigned kLow, unsigned kBundle>
const Vector* VectorOf(const BundleField<Vector, kLow, kBundle>* field) {
  return field->bundles;
}
template <typename Port>
constexpr unsigned PlaceOf(const Port& /*port*/, unsigned u, unsigned width) {
  return u * width;
}
template <typename Vector, unsigned kLow, unsigned kBundle>
constexpr unsigned PlaceOf(const BundleField<Vector, kLow, kBundle>& /*field*/, unsigned u,
                           unsigned /*width*/) {
  return u * kBundle + kLow;
}

// Element `u` of a port over units.
template <typename Port>
void SetElement(Port* port, unsigned u, unsigned width, std::uint64_t value) {
  SetBits(VectorOf(port), PlaceOf(*port, u, width), width, value);
}
template <typename Port>
std::uint64_t GetElement(const Port& port, unsigned u, unsigned width) {
  return GetBits(*VectorOf(&port), PlaceOf(port, u, width), width);
}

}  // namespace muster

#endif  // MUSTER_SIM_PORT_BITS_H_
