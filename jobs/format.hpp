#pragma once
/// @file
/// How a subcommand answers.

namespace ventral::jobs {

enum class Format { text, json };

inline Format format(bool wants_json) { return wants_json ? Format::json : Format::text; }

}  // namespace ventral::jobs
