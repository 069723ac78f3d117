#pragma once
/// @file
/// Who calls a GPU.

#include <functional>
#include <string>

namespace ventral::models {

/// Runs `work` here where `device` is "cpu", else on the one thread of this process that calls the
/// GPU, and returns when it has ended; throws what it throws. cuDNN and cuBLAS prepare their
/// kernels for each thread that calls them: with eight, MobileNetV2 took four times as long as with
/// one (H200, cuDNN 9.19).
void on_thread_of(const std::string& device, const std::function<void()>& work);

}  // namespace ventral::models
