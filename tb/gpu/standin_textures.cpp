// Copyright Muster contributors. SPDX-License-Identifier: Apache-2.0
//
// The stand-in's textures and surfaces.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "tb/gpu/standin.h"

using standin::Enter;
using standin::kInvalidValue;
using standin::kSuccess;

namespace standin {

struct Array {
  std::size_t row = 0;
  std::size_t rows = 0;
  std::vector<std::uint8_t> texels;
};

}  // namespace standin

using standin::Array;

namespace {

enum : int { kHost = 1, kArray = 3 };

struct Object {
  Array* array;
  bool surface;
};

std::map<std::uint64_t, Object> objects;
std::uint64_t last_handle = 5000;

std::size_t BytesOf(int format) {
  return format == 0x01 || format == 0x08                     ? 1
         : format == 0x02 || format == 0x09 || format == 0x10 ? 2
         : format == 0x03 || format == 0x0a || format == 0x20 ? 4
                                                              : 0;
}

}  // namespace

std::uint8_t* standin::Texels(std::uint64_t handle, bool surface) {
  const auto found = objects.find(handle);
  return found == objects.end() || found->second.surface != surface
             ? nullptr
             : found->second.array->texels.data();
}

extern "C" {

struct ArrayDescriptor {
  std::size_t width, height, depth;
  int format;
  unsigned channels, flags;
};

struct Side {
  std::size_t x, y, z, lod;
  int type;
  void* host;
  std::uint64_t device;
  Array* array;
  void* reserved;
  std::size_t pitch, height;
};

struct Copy {
  Side from, to;
  std::size_t width, height, depth;
};

struct Resource {
  int type;
  union {
    Array* array;
    int reserved[32];
  } of;
  unsigned flags;
};

struct TextureDescriptor {
  int address[3];
  int filter;
  unsigned flags, anisotropy;
  int mipmap_filter;
  float bias, min, max;
  float border[4];
  int reserved[12];
};

int cuArray3DCreate_v2(Array** array, const ArrayDescriptor* descriptor) {
  std::ostringstream given;
  given << descriptor->width << "," << descriptor->height << "," << descriptor->depth << " "
        << descriptor->format << "x" << descriptor->channels << " " << descriptor->flags;
  const int result = Enter("cuArray3DCreate_v2", given.str());
  if (result != kSuccess) {
    return result;
  }
  const auto extent = [](std::size_t count) { return count == 0 ? 1 : count; };
  *array = new Array;
  (*array)->row = descriptor->width * BytesOf(descriptor->format) * descriptor->channels;
  (*array)->rows = extent(descriptor->height);
  (*array)->texels.resize((*array)->row * (*array)->rows * extent(descriptor->depth));
  return kSuccess;
}

int cuArrayDestroy(Array* array) {
  delete array;
  return Enter("cuArrayDestroy");
}

int cuMemcpy3D_v2(const Copy* copy) {
  std::ostringstream given;
  given << copy->from.type << " to " << copy->to.type << ": " << copy->width << "," << copy->height
        << "," << copy->depth;
  const int result = Enter("cuMemcpy3D_v2", given.str());
  const bool to_array = copy->to.type == kArray;
  const Side& host = to_array ? copy->from : copy->to;
  Array* const array = to_array ? copy->to.array : copy->from.array;
  if (result != kSuccess || host.type != kHost || array == nullptr || copy->width > array->row ||
      copy->width * copy->height * copy->depth > array->texels.size()) {
    return result != kSuccess ? result : kInvalidValue;
  }
  for (std::size_t z = 0; z < copy->depth; ++z) {
    for (std::size_t y = 0; y < copy->height; ++y) {
      auto* const in_host =
          static_cast<std::uint8_t*>(host.host) + host.pitch * (host.height * z + y);
      std::uint8_t* const in_array = &array->texels[array->row * (array->rows * z + y)];
      std::memcpy(to_array ? in_array : in_host, to_array ? in_host : in_array, copy->width);
    }
  }
  return kSuccess;
}

int cuTexObjectCreate(std::uint64_t* handle, const Resource* resource,
                      const TextureDescriptor* descriptor, const void* view) {
  std::ostringstream given;
  given << descriptor->address[0] << "," << descriptor->address[1] << "," << descriptor->address[2]
        << " " << descriptor->filter << " " << descriptor->flags;
  const int result = Enter("cuTexObjectCreate", given.str());
  *handle = ++last_handle;
  objects[*handle] = {resource->of.array, false};
  return resource->type != 0 || resource->flags != 0 || view != nullptr ? kInvalidValue : result;
}

int cuTexObjectDestroy(std::uint64_t handle) {
  objects.erase(handle);
  return Enter("cuTexObjectDestroy");
}

int cuSurfObjectCreate(std::uint64_t* handle, const Resource* resource) {
  *handle = ++last_handle;
  objects[*handle] = {resource->of.array, true};
  return Enter("cuSurfObjectCreate");
}

int cuSurfObjectDestroy(std::uint64_t handle) {
  objects.erase(handle);
  return Enter("cuSurfObjectDestroy");
}

}  // extern "C"
