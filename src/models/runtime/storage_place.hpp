#pragma once
/// @file
/// Where the values of tensors lie, which several tensors may share.

#include <ATen/core/TensorBase.h>

namespace ventral::models {

/// Whether the tensor has such a place.
inline bool has_place(const at::TensorBase& tensor) {
    return tensor.defined() && tensor.has_storage();
}

/// The same of all tensors that share their values, as long as one of them lives.
inline const void* place_of(const at::TensorBase& tensor) {
    return tensor.storage().unsafeGetStorageImpl();
}

}  // namespace ventral::models
