#include "pipeline/other_runs.hpp"

#include <fstream>
#include <functional>
#include <string_view>
#include <utility>

#include "io/journal.hpp"

namespace ventral::pipeline {
namespace {

/// How lines about scores begin.
constexpr std::string_view marks[] = {R"({"kind":"score","key":")", R"({"kind":"failed","key":")",
                                      R"({"kind":"folds","key":")"};

/// Of a run that does not stand still itself nothing may be on disk for some time: a pass of a
/// network is recorded at its end.
constexpr double timeouts_of_patience = 4;

/// Calls `take` with the key of each line about a score.
void for_each_score(std::string_view text, const std::function<void(std::string_view)>& take) {
    for (const auto mark : marks)
        for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + 1)) {
            const auto key = text.substr(at + mark.size());
            take(key.substr(0, key.find('"')));
        }
}

}  // namespace

OtherRuns::OtherRuns(std::string out)
    : out_(std::move(out)), read_(io::segment_sizes(out_ + "/journal")) {}

void OtherRuns::leave_out(const std::set<std::string>& segments) { own_ = segments; }

std::optional<io::WorkClaim> OtherRuns::claim(const std::string& key) const {
    return io::claim_work(out_ + "/work.lock", key);
}

const std::set<std::string>& OtherRuns::scores() {
    read_on();
    return scores_;
}

std::uint64_t OtherRuns::recorded() {
    read_on();
    return recorded_;
}

void OtherRuns::read_on() {
    for (const auto& [segment, size] : io::segment_sizes(out_ + "/journal")) read_on(segment, size);
}

void OtherRuns::read_on(const std::string& segment, std::uint64_t size) {
    auto& from = read_[segment];
    if (size <= from) return;
    std::ifstream file(out_ + "/journal/" + segment, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(from));
    for (std::string line; std::getline(file, line) && !file.eof();) {  // no part of a line
        from += line.size() + 1;
        recorded_ += line.size() + 1;
        if (!own_.contains(segment))
            for_each_score(line, [&](std::string_view key) { scores_.emplace(key); });
    }
}

Patience::Patience(double timeout, OtherRuns& others)
    : seconds_(timeouts_of_patience * timeout), others_(others), recorded_(others.recorded()) {}

bool Patience::is_over() {
    if (seconds_ <= 0) return false;
    const std::chrono::duration<double> still = Clock::now() - since_;
    if (still.count() < seconds_) return false;
    if (const auto now = others_.recorded(); now != recorded_) {
        recorded_ = now;
        since_ = Clock::now();
        return false;
    }
    return true;
}

}  // namespace ventral::pipeline
