#include "leaderboard/write_leaderboard.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "core/errors.hpp"
#include "core/hash.hpp"
#include "core/log.hpp"
#include "core/seconds_since.hpp"
#include "io/disk/durable_file.hpp"
#include "io/disk/leftovers.hpp"
#include "io/netcdf/assemblies_writer.hpp"
#include "leaderboard/raw_assemblies.hpp"
#include "leaderboard/tables.hpp"

namespace ventral::leaderboard {
namespace {

void remove_file(const std::string& path) {
    std::error_code absent;
    std::filesystem::remove(path, absent);
}

/// What scores.nc says of the scores.json that it was written with.
constexpr auto companion = "scores_json";

std::string companion_of(const std::string& json) {
    constexpr auto format = "1 ";  // of scores.nc
    return format + std::to_string(json.size()) + " " + std::to_string(core::crc32c(json));
}

/// A line now and then while raw values are written, a millisecond each.
class SignsOfLife {
public:
    SignsOfLife(const std::string& path, const Night& night)
        : path_(path),
          total_(std::count_if(night.records.begin(), night.records.end(),
                               [](const auto& record) { return record.raw.has_value(); })) {}

    void step() {
        ++done_;
        if (core::seconds_since(last_) < seconds_apart) return;
        last_ = std::chrono::steady_clock::now();
        core::log_info(path_ + ": has the raw values of " + std::to_string(done_) + " of " +
                       std::to_string(total_) + " scores");
    }

private:
    static constexpr double seconds_apart = 10;

    const std::string& path_;
    std::ptrdiff_t total_;
    std::ptrdiff_t done_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// It says nothing if some values were missing.
void write_raw_file(const std::string& path, const Night& night, const std::string& of_json) {
    std::optional<io::AssembliesWriter> writer;
    SignsOfLife signs(path, night);
    const auto warnings = for_each_raw_assembly(night, [&](const core::Assembly& assembly) {
        if (!writer) writer.emplace(path);
        writer->add(assembly);
        signs.step();
    });
    for (const auto& warning : warnings) core::log_warning(warning);
    if (!writer) return remove_file(path);
    if (warnings.empty()) writer->describe(companion, of_json);
    writer->commit();
}

/// A file of an earlier time would not fit the other tables.
void write_raw_values(const std::string& path, const Night& night, const std::string& of_json) {
    try {
        write_raw_file(path, night, of_json);
    } catch (const core::OutputError&) {
        remove_file(path);
        throw;
    } catch (const std::exception& error) {
        remove_file(path);
        core::log_warning(path + ": is not written (" + error.what() +
                          ") the raw values are in the journal all the same");
    }
}

bool holds(const std::string& path, const std::string& text) {
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error || size != text.size()) return false;
    std::ifstream file(path, std::ios::binary);
    std::string piece(std::min<std::size_t>(text.size(), 1 << 20), '\0');
    for (std::size_t place = 0; place < text.size(); place += piece.size()) {
        piece.resize(std::min(piece.size(), text.size() - place));
        if (!file.read(piece.data(), static_cast<std::streamsize>(piece.size()))) return false;
        if (text.compare(place, piece.size(), piece) != 0) return false;
    }
    return true;
}

/// With the time of scores.json it shows that nobody has changed it since.
void mark_as_whole(const std::string& raw_path, const std::string& json_path) {
    namespace fs = std::filesystem;
    std::error_code error;
    if (const auto time = fs::last_write_time(json_path, error); !error)
        fs::last_write_time(raw_path, time, error);
}

bool are_of(const std::string& raw_path, const std::string& json_path, const std::string& of_json,
            const Night& night) {
    std::error_code absent, gone;
    const auto raw_time = std::filesystem::last_write_time(raw_path, absent);
    const auto json_time = std::filesystem::last_write_time(json_path, gone);
    if (!absent)
        return !gone && raw_time == json_time && io::description_in(raw_path, companion) == of_json;
    return std::none_of(night.records.begin(), night.records.end(),
                        [](const auto& record) { return record.raw.has_value(); });
}

/// Gives the file the time of now, as if it were written; false if it cannot.
bool renew(const std::string& path) { return utimensat(AT_FDCWD, path.c_str(), nullptr, 0) == 0; }

/// Of writers of these tables that were killed; by the clock of the disk that has just written
/// `json_path`.
void remove_leftovers(const std::string& out_folder, const std::string& json_path) {
    std::error_code absent;
    const auto now = std::filesystem::last_write_time(json_path, absent);
    if (!absent) io::remove_leftovers(out_folder, now, "scores.");
}

}  // namespace

void write_leaderboard(const std::string& out_folder, const Night& night) {
    std::error_code error;
    std::filesystem::create_directories(out_folder, error);
    if (error)
        throw core::OutputError(out_folder + ": cannot be made a folder (" + error.message() + ")");
    const auto path = [&](const char* name) {
        return (std::filesystem::path(out_folder) / name).string();
    };
    const auto csv_path = path("scores.csv");
    const auto json_path = path("scores.json");
    const auto raw_path = path("scores.nc");
    auto csv = scores_csv(night);
    auto json = scores_json(night, out_folder);
    const auto of_json = companion_of(json);
    const bool are_there = holds(json_path, json) && holds(csv_path, csv) &&
                           are_of(raw_path, json_path, of_json, night) && renew(csv_path) &&
                           renew(json_path);
    if (!are_there) {
        io::write_file_durably(csv_path, std::exchange(csv, {}));
        io::write_file_durably(json_path, std::exchange(json, {}));
        write_raw_values(raw_path, night, of_json);
    }
    mark_as_whole(raw_path, json_path);
    remove_leftovers(out_folder, json_path);
}

}  // namespace ventral::leaderboard
