#include "pipeline/watch/signal_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace ventral::pipeline {

SignalText& SignalText::operator<<(std::string_view text) {
    size_ += text.copy(bytes_.data() + size_, bytes_.size() - size_);
    return *this;
}

SignalText& SignalText::operator<<(double number) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   std::round(number * 10) / 10, std::chars_format::fixed);
    return *this << (end.ec == std::errc{}
                         ? std::string_view(digits.data(),
                                            static_cast<std::size_t>(end.ptr - digits.data()))
                         : "many");
}

}  // namespace ventral::pipeline
