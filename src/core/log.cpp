#include "core/log.hpp"

#include <atomic>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace ventral::core {
namespace {

/// spdlog's own default logger writes to stdout, which belongs to results.
const std::shared_ptr<spdlog::logger>& logger() {
    static const auto instance = [] {
        auto made = std::make_shared<spdlog::logger>(
            "ventral", std::make_shared<spdlog::sinks::stderr_sink_mt>());
        made->set_pattern("%l: %v");
        return made;
    }();
    return instance;
}

spdlog::level::level_enum level_of(LogLevel level) {
    switch (level) {
        case LogLevel::debug:
            return spdlog::level::debug;
        case LogLevel::info:
            return spdlog::level::info;
        case LogLevel::warning:
            return spdlog::level::warn;
        case LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::err;
}

/// The text as spdlog's pattern shows it as it is.
std::string quoted(const std::string& text) {
    std::string result;
    for (const char letter : text) result += letter == '%' ? "%%" : std::string(1, letter);
    return result;
}

bool is_new_warning(const std::string& message) {
    static std::mutex mutex;
    static std::set<std::string> shown;
    const std::scoped_lock lock(mutex);
    return shown.insert(message).second;
}

std::atomic<bool> has_status = false;
constexpr auto empty_line = "\r\x1b[K";

}  // namespace

void configure_log(const LogOptions& options) {
    logger()->set_level(level_of(options.least));
    logger()->set_pattern(quoted(options.prefix) + "%l: %v");
}

// Both may go to one file, where a message is not to be in the middle of a result.
void log(LogLevel level, const std::string& message) {
    std::cout.flush();
    clear_status();
    // The overload for a string view does not take the message for a format.
    logger()->log(level_of(level), spdlog::string_view_t(message.data(), message.size()));
}

void log_info(const std::string& message) { log(LogLevel::info, message); }
void log_warning(const std::string& message) { log(LogLevel::warning, message); }
void log_warning_once(const std::string& message) {
    if (is_new_warning(message)) log_warning(message);
}
void log_error(const std::string& message) { log(LogLevel::error, message); }

void show_status(const std::string& line) {
    std::cerr << empty_line << line << std::flush;
    has_status = true;
}

void clear_status() {
    if (has_status.exchange(false)) std::cerr << empty_line << std::flush;
}

}  // namespace ventral::core
