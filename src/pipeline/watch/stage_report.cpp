#include "pipeline/watch/stage_report.hpp"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "comm/records.hpp"
#include "core/number_text.hpp"
#include "core/where_and_when.hpp"
#include "io/journal/line_kind.hpp"

namespace ventral::pipeline {
namespace {

std::string seconds_text(double seconds) { return core::fixed_text(seconds, 1) + " s"; }

std::string name_of_stage(std::size_t stage) {
    return std::string(name_of(static_cast<Stage>(stage)));
}

}  // namespace

double RankTimes::busy() const { return total - stages.at(static_cast<std::size_t>(Stage::wait)); }

double RankTimes::other() const {
    return total - std::accumulate(stages.begin(), stages.end(), 0.0);
}

std::vector<RankTimes> gather_times(StageClock& clock, comm::Communicator& world) {
    {
        const StageClock::Timed time(&clock, Stage::wait);
        world.barrier();
    }
    RankTimes mine;
    mine.host = core::host_name();
    for (std::size_t s = 0; s < stage_count; ++s)
        mine.stages.push_back(clock.seconds(static_cast<Stage>(s)));
    mine.total = clock.total();
    return comm::gather_records(world, mine);
}

double imbalance(const std::vector<RankTimes>& ranks) {
    double longest = 0;
    double sum = 0;
    for (const auto& rank : ranks) {
        longest = std::max(longest, rank.busy());
        sum += rank.busy();
    }
    return sum > 0 ? longest * static_cast<double>(ranks.size()) / sum : 1;
}

std::vector<std::string> report_lines(const std::vector<RankTimes>& ranks) {
    constexpr std::size_t most = 16;
    std::vector<std::string> lines;
    for (std::size_t r = 0; r < std::min(ranks.size(), most); ++r) {
        std::string line = "rank " + std::to_string(r) + " on " + ranks[r].host + ": " +
                           seconds_text(ranks[r].total) + " =";
        for (std::size_t s = 0; s < stage_count; ++s)
            line += " " + name_of_stage(s) + " " + seconds_text(ranks[r].stages.at(s)) + " +";
        lines.push_back(line + " other " + seconds_text(ranks[r].other()));
    }
    if (ranks.size() > most)
        lines.push_back("those of the other " + std::to_string(ranks.size() - most) +
                        " ranks are in the journal");
    if (ranks.size() > 1)
        lines.push_back(std::to_string(ranks.size()) + " ranks; the busiest had " +
                        core::fixed_text(imbalance(ranks), 2) + " times the mean's work");
    return lines;
}

std::string times_json(const std::vector<RankTimes>& ranks) {
    nlohmann::ordered_json json = {{"kind", io::line_kind::times},
                                   {"recorded", core::time_now()},
                                   {"imbalance", imbalance(ranks)}};
    for (const auto& rank : ranks) {
        auto& seconds = json["ranks"].emplace_back();
        seconds["host"] = rank.host;
        for (std::size_t s = 0; s < stage_count; ++s) seconds[name_of_stage(s)] = rank.stages.at(s);
        seconds["other"] = rank.other();
        seconds["total"] = rank.total;
    }
    return json.dump();
}

std::vector<RankTimes> times_from(const std::string& line) {
    std::vector<RankTimes> ranks;
    const auto json = nlohmann::json::parse(line);
    if (json.value("kind", "") != io::line_kind::times) return ranks;
    for (const auto& seconds : json.at("ranks")) {
        auto& rank = ranks.emplace_back();
        rank.host = seconds.at("host");
        for (std::size_t s = 0; s < stage_count; ++s)
            rank.stages.push_back(seconds.at(name_of_stage(s)));
        rank.total = seconds.at("total");
    }
    return ranks;
}

}  // namespace ventral::pipeline
