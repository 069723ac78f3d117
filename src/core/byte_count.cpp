#include "core/byte_count.hpp"

#include <string>
#include <type_traits>

namespace ventral::core {

std::size_t byte_count(const Values& values) {
    return std::visit(
        [](const auto& entries) {
            using Entry = typename std::decay_t<decltype(entries)>::value_type;
            std::size_t bytes = entries.size() * sizeof(Entry);
            if constexpr (std::is_same_v<Entry, std::string>) {
                const std::size_t inside = std::string().capacity();
                for (const auto& text : entries)
                    if (text.capacity() > inside) bytes += text.capacity() + 1;
            }
            return bytes;
        },
        values);
}

std::size_t byte_count(const Assembly& assembly) {
    std::size_t bytes = byte_count(assembly.values);
    for (const auto& labels : assembly.coordinates) bytes += byte_count(labels.values);
    return bytes;
}

}  // namespace ventral::core
