#include "core/where_and_when.hpp"

#include <array>
#include <chrono>
#include <ctime>

#include <unistd.h>

namespace ventral::core {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string time_now() {
    using std::chrono::system_clock;
    const auto now = std::chrono::floor<std::chrono::milliseconds>(system_clock::now());
    const std::time_t seconds = system_clock::to_time_t(now);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 32> date{};
    std::strftime(date.data(), date.size(), "%FT%T", &parts);
    const auto thousandths = std::to_string(1000 + now.time_since_epoch().count() % 1000);
    return std::string(date.data()) + "." + thousandths.substr(1) + "Z";
}

}  // namespace ventral::core
