#pragma once
/// @file
/// A short text that is put together where nothing may be allocated: in handlers of signals, and
/// where another thread may be stuck with the lock of the heap.

#include <array>
#include <cstddef>
#include <string_view>

namespace ventral::pipeline {

/// What is too long is cut.
class SignalText {
public:
    SignalText& operator<<(std::string_view text);
    /// Rounded to tenths: "1800", "0.3".
    SignalText& operator<<(double number);

    std::string_view view() const { return {bytes_.data(), size_}; }

private:
    std::array<char, 1024> bytes_{};
    std::size_t size_ = 0;
};

}  // namespace ventral::pipeline
