#include "pipeline/journal/other_runs.hpp"

#include <fstream>
#include <utility>

#include "core/hash.hpp"
#include "core/seconds_since.hpp"
#include "io/journal/line_kind.hpp"
#include "io/journal/read_journal.hpp"
#include "io/out_folder.hpp"

namespace ventral::pipeline {
namespace {

/// Of a run that does not stand still itself nothing may be on disk for some time: a pass of a
/// network is recorded at its end.
constexpr double timeouts_of_patience = 4;

std::string claims_path(const std::string& out) { return out + "/work.lock"; }

}  // namespace

ArrayOfRuns::ArrayOfRuns(const std::string& out, const std::set<std::string>& planned)
    : path_(claims_path(out)) {
    core::KeyBuilder key;
    key.add("what", "array of runs");
    for (const auto& score : planned) key.add("score", score);
    key_ = key.key();
    membership_ = io::share_work(path_, key_);
}

bool ArrayOfRuns::leave() {
    membership_ = io::WorkClaim();
    return io::is_at_work(path_, key_);
}

OtherRuns::OtherRuns(std::string out)
    : out_(std::move(out)), read_(io::segment_sizes(io::journal_folder(out_))) {}

void OtherRuns::leave_out(const std::set<std::string>& segments) { own_ = segments; }

std::optional<io::WorkClaim> OtherRuns::claim(const std::string& key) const {
    return io::claim_work(claims_path(out_), key);
}

const std::set<std::string>& OtherRuns::scores() {
    read_on();
    return scores_;
}

const std::set<std::string>& OtherRuns::whole_scores() {
    read_on();
    return whole_scores_;
}

std::uint64_t OtherRuns::recorded() {
    read_on();
    return recorded_;
}

void OtherRuns::read_on() {
    for (const auto& [segment, size] : io::segment_sizes(io::journal_folder(out_)))
        read_on(segment, size);
}

void OtherRuns::read_on(const std::string& segment, std::uint64_t size) {
    auto& from = read_[segment];
    if (size <= from) return;
    std::ifstream file(io::journal_folder(out_) + "/" + segment, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(from));
    for (std::string line; std::getline(file, line) && !file.eof();) {  // no part of a line
        from += line.size() + 1;
        recorded_ += line.size() + 1;
        if (own_.contains(segment)) continue;
        const auto json = io::json_of(line).value_or("");
        const auto kind = io::kind_of(json);
        if (kind == io::line_kind::score) whole_scores_.emplace(io::key_of(json));
        if (kind == io::line_kind::score || kind == io::line_kind::failed ||
            kind == io::line_kind::folds)
            scores_.emplace(io::key_of(json));
    }
}

Patience::Patience(double timeout, OtherRuns& others)
    : seconds_(timeouts_of_patience * timeout), others_(others), recorded_(others.recorded()) {}

bool Patience::is_over() {
    if (seconds_ <= 0) return false;
    if (core::seconds_since(since_) < seconds_) return false;
    if (const auto now = others_.recorded(); now != recorded_) {
        recorded_ = now;
        since_ = Clock::now();
        return false;
    }
    return true;
}

}  // namespace ventral::pipeline
