#include "core/score.hpp"

#include <array>

namespace ventral::core {
namespace {

constexpr std::array statuses = {ScoreStatus::scored, ScoreStatus::not_applicable,
                                 ScoreStatus::failed, ScoreStatus::pending};
constexpr std::array failure_classes = {FailureClass::deterministic, FailureClass::transient,
                                        FailureClass::out_of_memory, FailureClass::crashed,
                                        FailureClass::timeout};

template <typename Enum, std::size_t N>
std::optional<Enum> named(const std::array<Enum, N>& values, const std::string& name) {
    for (const Enum value : values)
        if (name_of(value) == name) return value;
    return std::nullopt;
}

}  // namespace

std::string name_of(ScoreStatus status) {
    switch (status) {
        case ScoreStatus::scored:
            return "scored";
        case ScoreStatus::not_applicable:
            return "not_applicable";
        case ScoreStatus::failed:
            return "failed";
        case ScoreStatus::pending:
            return "pending";
    }
    return "pending";
}

std::optional<ScoreStatus> score_status(const std::string& name) { return named(statuses, name); }

std::optional<FailureClass> failure_class(const std::string& name) {
    return named(failure_classes, name);
}

std::string provenance_of(const ScoreRecord& record, const std::string& name) {
    const auto found = record.provenance.find(name);
    return found == record.provenance.end() ? "" : found->second;
}

double seconds_of(const ScoreRecord& record, const std::string& stage) {
    const auto found = record.timing.find(stage);
    return found == record.timing.end() ? 0 : found->second;
}

}  // namespace ventral::core
