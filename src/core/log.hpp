#pragma once
/// @file
/// Messages for people, on stderr: one line each, with the level and, under MPI, the rank.

#include <string>

namespace ventral::core {

enum class LogLevel { debug, info, warning, error };

/// Which messages are shown and how they begin; set once at the start of the program.
struct LogOptions {
    LogLevel least = LogLevel::info;
    std::string prefix;  ///< for example "rank 3: "; empty for a run of one rank
};
void configure_log(const LogOptions& options);

void log(LogLevel level, const std::string& message);
void log_info(const std::string& message);
void log_warning(const std::string& message);
/// Nothing if the process has shown this warning before.
void log_warning_once(const std::string& message);
void log_error(const std::string& message);

/// A line on the terminal that stderr is, in place of the last one, until the next message or
/// `clear_status`.
void show_status(const std::string& line);
void clear_status();

}  // namespace ventral::core
