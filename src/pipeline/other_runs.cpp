#include "pipeline/other_runs.hpp"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

namespace ventral::pipeline {
namespace {

/// How `RunJournal::ended` begins its lines' JSON.
constexpr std::string_view ended_mark = R"({"kind":"ended","unit":")";

/// Sizes of the segments that there are; what cannot be looked at is none.
std::map<std::string, std::uint64_t> segment_sizes(const std::string& out) {
    std::map<std::string, std::uint64_t> sizes;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(out + "/journal", error), end;
         !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() != ".journal") continue;
        std::error_code gone;
        const auto size = entry->file_size(gone);
        if (!gone) sizes[entry->path().filename().string()] = size;
    }
    return sizes;
}

}  // namespace

OtherRuns::OtherRuns(std::string out) : out_(std::move(out)), read_(segment_sizes(out_)) {}

void OtherRuns::leave_out(const std::set<std::string>& segments) { own_ = segments; }

std::optional<io::WorkClaim> OtherRuns::claim(const std::string& key) const {
    return io::claim_work(out_ + "/work.lock", key);
}

bool OtherRuns::have_ended(const std::string& unit) {
    read_on();
    return ended_.contains(unit);
}

std::uint64_t OtherRuns::recorded() {
    read_on();
    return recorded_;
}

void OtherRuns::read_on() {
    for (const auto& [segment, size] : segment_sizes(out_))
        if (!own_.contains(segment)) read_on(segment, size);
}

void OtherRuns::read_on(const std::string& segment, std::uint64_t size) {
    auto& from = read_[segment];
    if (size <= from) return;
    std::ifstream file(out_ + "/journal/" + segment, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(from));
    std::string text(size - from, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    const auto whole = text.rfind('\n');  // the rest of a line comes later
    if (whole == std::string::npos) return;
    text.resize(whole + 1);
    from += text.size();
    recorded_ += text.size();
    for (auto at = text.find(ended_mark); at != std::string::npos;
         at = text.find(ended_mark, at + 1)) {
        const auto begin = at + ended_mark.size();
        ended_.insert(text.substr(begin, text.find('"', begin) - begin));
    }
}

Patience::Patience(double seconds, OtherRuns& others)
    : seconds_(seconds), others_(others), recorded_(others.recorded()) {}

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
