#include "core/byte_count.hpp"

#include <algorithm>
#include <type_traits>

#include "core/ceil_divide.hpp"

namespace ventral::core {
namespace {

/// What glibc's allocator takes for so many.
std::size_t allocated(std::size_t bytes) {
    constexpr std::size_t least = 32;
    return std::max(least, round_up(bytes + sizeof(std::size_t), 16));
}

}  // namespace

std::size_t byte_count(const std::vector<std::string>& texts) {
    std::size_t bytes = texts.size() * sizeof(std::string);
    const std::size_t inside = std::string().capacity();
    for (const auto& text : texts)
        if (text.capacity() > inside) bytes += allocated(text.capacity() + 1);
    return bytes;
}

std::size_t byte_count(const Values& values) {
    return std::visit(
        [](const auto& entries) {
            using Entry = typename std::decay_t<decltype(entries)>::value_type;
            if constexpr (std::is_same_v<Entry, std::string>)
                return byte_count(entries);
            else
                return entries.size() * sizeof(Entry);
        },
        values);
}

std::size_t value_bytes(const Values& values) {
    return std::holds_alternative<std::vector<float>>(values) ? sizeof(float) : sizeof(double);
}

std::size_t byte_count(const Assembly& assembly) {
    std::size_t bytes = byte_count(assembly.values);
    for (const auto& labels : assembly.coordinates) bytes += byte_count(labels.values);
    return bytes;
}

}  // namespace ventral::core
