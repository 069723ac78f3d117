#include "pipeline/journal/prepare_output.hpp"

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "comm/from_first_rank.hpp"
#include "comm/run_collectively.hpp"
#include "core/counted.hpp"
#include "core/errors.hpp"
#include "core/folder_of.hpp"
#include "core/log.hpp"
#include "io/disk/durable_file.hpp"
#include "io/disk/leftovers.hpp"
#include "io/disk/writer_suffix.hpp"
#include "io/out_folder.hpp"

namespace ventral::pipeline {
namespace {

namespace fs = std::filesystem;

/// The folders that get a new entry when `out` is made.
std::vector<std::string> folders_to_grow(const fs::path& out) {
    std::vector<std::string> folders;
    std::error_code ignored;
    for (auto missing = out; !missing.empty() && !fs::exists(missing, ignored);
         missing = missing.parent_path())
        folders.push_back(core::folder_of(missing).string());
    return folders;
}

/// Returns the path of an empty file that it leaves there.
std::string write_probe(const std::string& out) {
    const auto grown = folders_to_grow(out);
    for (const char* part : io::out_parts) {
        const auto folder = io::part_of_out(out, part);
        std::error_code error;
        fs::create_directories(folder, error);
        if (error)
            throw core::InputError(folder + ": cannot be used for output (" + error.message() +
                                   ") choose another --out");
    }
    // One that may be written to but not read cannot be brought to disk by name.
    for (const auto& folder : grown)
        if (access(folder.c_str(), R_OK) == 0) io::sync_folder(folder);
    const auto probe = (fs::path(out) / ("probe." + io::writer_suffix())).string();
    try {
        io::write_file_durably(probe, "");
    } catch (const core::InputError& error) {
        throw core::InputError(out + ": nothing can be written there (" + error.what() +
                               ") choose another --out");
    }
    return probe;
}

/// By the clock of the disk that has just written `probe`.
void clean_up(const std::string& out, const std::string& probe) {
    std::error_code absent;
    const auto now = fs::last_write_time(probe, absent);
    if (absent) return;
    std::size_t removed = io::remove_leftovers(out, now);
    for (const char* part : io::out_parts)
        removed += io::remove_leftovers(io::part_of_out(out, part), now);
    if (removed > 0)
        core::log_info(out + ": removed " + core::counted(removed, "temporary file") +
                       " of runs that were stopped or killed");
}

}  // namespace

void prepare_output(const std::string& out, comm::Communicator& world) {
    const auto probe = comm::from_first_rank<std::string>(world, [&] { return write_probe(out); });
    std::error_code ignored;
    const bool is_there = fs::exists(probe, ignored);
    world.barrier();
    if (world.rank() == 0) {
        clean_up(out, probe);
        fs::remove(probe, ignored);
    }
    comm::run_collectively(world, [&] {
        if (!is_there)
            throw core::InputError(out + ": is another folder here than on rank 0, give --out as " +
                                   "an absolute path that all ranks share");
    });
}

}  // namespace ventral::pipeline
