#include "core/errors.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <new>
#include <numeric>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/text.hpp"

namespace ventral::core {
namespace {

/// Levenshtein distance: insertions, deletions and replacements of one byte.
std::size_t edit_distance(const std::string& left, const std::string& right) {
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (const char byte : left) {
        auto diagonal = row[0]++;
        for (std::size_t j = 0; j < right.size(); ++j) {
            const auto replaced = diagonal + (byte == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
}

constexpr std::array passing_errors = {
    EIO,      ESTALE,  ETIMEDOUT, EMFILE,      ENFILE,   EAGAIN,      EINTR,     EBUSY,
    ENOBUFS,  ENOLINK, EREMOTEIO, ECONNRESET,  ENOTCONN, ESHUTDOWN,   EHOSTDOWN, EHOSTUNREACH,
    ENETDOWN, ENOMEM,  ENETRESET, ENETUNREACH, ECOMM,    ECONNABORTED};

/// What torch (on a GPU too), HDF5, netCDF and the system say of it in words.
/// cuDNN that finds no kernel mostly finds no room for one's workspace.
constexpr std::array memory_ran_out = {"DefaultCPUAllocator",
                                       "CUDA out of memory",
                                       "CUDA error: out of memory",
                                       "STATUS_ALLOC_FAILED",
                                       "ALLOCATION_FAILED",
                                       "find a valid cuDNN algorithm",
                                       "unable to find an engine to execute",
                                       "std::bad_alloc",
                                       "emory allocation failed",
                                       "(malloc) failure",
                                       "Cannot allocate memory",
                                       needs_more_memory};

bool lacks_memory(const std::exception& error) {
    if (dynamic_cast<const std::bad_alloc*>(&error)) return true;
    if (const auto* system = dynamic_cast<const std::system_error*>(&error))
        return system->code() == std::errc::resource_unavailable_try_again ||
               system->code() == std::errc::not_enough_memory;
    const std::string_view text = error.what();
    return std::any_of(memory_ran_out.begin(), memory_ran_out.end(),
                       [&](const char* words) { return text.find(words) != text.npos; });
}

bool passes(const std::exception& error) {
    // Of a file that a run makes itself: whoever forbids it may allow it again.
    if (dynamic_cast<const std::filesystem::filesystem_error*>(&error)) return true;
    if (const auto* system = dynamic_cast<const std::system_error*>(&error))
        return may_pass(system->code().value());
    return dynamic_cast<const TransientError*>(&error) != nullptr;
}

}  // namespace

bool names_place(const std::string& reason, const std::string& place) {
    if (!reason.starts_with(place)) return false;
    constexpr std::string_view ends = ": ,";
    return reason.size() == place.size() || ends.find(reason[place.size()]) != ends.npos;
}

bool may_pass(int error_number) {
    return std::find(passing_errors.begin(), passing_errors.end(), error_number) !=
           passing_errors.end();
}

void throw_system_error(const std::string& problem, int error_number, const std::string& advice) {
    const int error = error_number == 0 ? EIO : error_number;
    const auto message = problem + " (" + std::generic_category().message(error) + ")";
    if (may_pass(error)) throw TransientError(message + " run again");
    throw InputError(message + (advice.empty() ? "" : " " + advice));
}

void throw_again(const InputError& error, const std::string& message) {
    if (dynamic_cast<const TransientError*>(&error)) throw TransientError(message);
    throw InputError(message);
}

FailureClass failure_class_of(const std::exception& error) {
    if (const auto* known = dynamic_cast<const KnownFailure*>(&error))
        return known->failure().failure_class;
    if (lacks_memory(error)) return FailureClass::out_of_memory;
    if (passes(error)) return FailureClass::transient;
    return FailureClass::deterministic;
}

Failure failure_of(const std::exception& error) {
    if (const auto* known = dynamic_cast<const KnownFailure*>(&error)) return known->failure();
    return {failure_class_of(error), error.what()};
}

void rethrow_lack_of_memory(const std::exception& error) {
    if (failure_class_of(error) == FailureClass::out_of_memory) throw;
}

std::string name_of(FailureClass failure_class) {
    switch (failure_class) {
        case FailureClass::deterministic:
            return "deterministic";
        case FailureClass::transient:
            return "transient";
        case FailureClass::out_of_memory:
            return "out_of_memory";
        case FailureClass::crashed:
            return "crashed";
        case FailureClass::timeout:
            return "timeout";
    }
    return "deterministic";
}

std::string near_names(const std::string& wanted, const std::vector<std::string>& names) {
    const auto tolerated = std::max<std::size_t>(2, wanted.size() / 3);
    std::vector<std::pair<std::size_t, std::string>> near;
    for (const auto& name : names) {
        const auto distance = edit_distance(lower_case(wanted), lower_case(name));
        // A name that would be mostly replaced is no guess at what was meant.
        if (distance <= tolerated && distance < name.size()) near.emplace_back(distance, name);
    }
    if (near.empty()) return "";
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    near.resize(std::min<std::size_t>(3, near.size()));

    std::string text = ", did you mean ";
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (i > 0) text += i + 1 == near.size() ? " or " : ", ";
        text += "'" + near[i].second + "'";
    }
    return text + "?";
}

}  // namespace ventral::core
