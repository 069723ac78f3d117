#include "core/where_and_when.hpp"

#include <array>
#include <ctime>

#include <unistd.h>

namespace ventral::core {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string time_text(std::chrono::system_clock::time_point time) {
    const auto whole = std::chrono::floor<std::chrono::milliseconds>(time);
    const std::time_t seconds = std::chrono::system_clock::to_time_t(whole);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%FT%T", &parts);
    const auto thousandths = std::to_string(1000 + whole.time_since_epoch().count() % 1000);
    return std::string(date.data()) + "." + thousandths.substr(1) + "Z";
}

std::string time_now() { return time_text(std::chrono::system_clock::now()); }

}  // namespace ventral::core
