#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "comm/mpi_session.hpp"
#include "comm/run_collectively.hpp"
#include "core/errors.hpp"
#include "core/number_text.hpp"
#include "core/seconds_since.hpp"
#include "io/activations/activations_writer.hpp"

namespace {

using namespace ventral;

constexpr std::size_t batch_rows = 16;
constexpr std::size_t batches = 40;
constexpr std::int64_t area = 55;

/// What both ways write: `batches` batches of one layer, dealt to the ranks in turn.
struct Problem {
    std::string folder;
    std::int64_t channels = 0;
    std::vector<float> batch;  ///< the same for all, so that nothing but writing takes time
    double megabytes() const {
        return 1e-6 * static_cast<double>(batches * batch.size() * sizeof(float));
    }
};

Problem problem_of(const std::string& folder, std::int64_t mebibytes) {
    constexpr std::int64_t mebibyte = 1 << 20;
    constexpr std::int64_t bytes_a_channel = batches * batch_rows * area * area * sizeof(float);
    Problem problem{folder, std::max<std::int64_t>(1, mebibytes * mebibyte / bytes_a_channel), {}};
    problem.batch.resize(batch_rows * static_cast<std::size_t>(problem.channels * area * area));
    for (std::size_t i = 0; i < problem.batch.size(); ++i)
        problem.batch[i] = static_cast<float>(i % 8191) * 0.37F;
    return problem;
}

void for_own_batches(const comm::Communicator& comm, const std::function<void(std::size_t)>& work) {
    for (auto b = static_cast<std::size_t>(comm.rank()); b < batches;
         b += static_cast<std::size_t>(comm.size()))
        work(b);
}

void write_activations(const Problem& problem, const std::string& path, comm::Communicator& comm) {
    io::ActivationsHeader header{
        "key", {}, {{"layer", {problem.channels, area, area}}}, batch_rows, {}};
    for (std::size_t row = 0; row < batches * batch_rows; ++row)
        header.stimuli.stimulus_ids.push_back(std::to_string(row));
    io::ActivationsWriter writer(path, comm, header);
    for_own_batches(
        comm, [&](std::size_t batch) { writer.write_rows(0, batch * batch_rows, problem.batch); });
    writer.finish();
}

[[noreturn]] void fail(const std::string& path) {
    throw core::OutputError(path + ": cannot be written");
}

void write_own_plainly(const Problem& problem, const std::string& path,
                       const comm::Communicator& comm) {
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) fail(path);
    const auto* bytes = reinterpret_cast<const char*>(problem.batch.data());
    const auto size = problem.batch.size() * sizeof(float);
    for_own_batches(comm, [&](std::size_t batch) {
        for (std::size_t done = 0; done < size;) {
            const auto count =
                pwrite(file, bytes + done, std::min(size - done, std::size_t{1} << 18),
                       static_cast<off_t>(batch * size + done));
            if (count <= 0) fail(path);
            done += static_cast<std::size_t>(count);
        }
    });
    if (fsync(file) != 0 || close(file) != 0) fail(path);
}

/// The same bytes by write(2), into one file, until they are on the disk. Collective.
void write_plainly(const Problem& problem, const std::string& path, comm::Communicator& comm) {
    comm::run_collectively(comm, [&] { write_own_plainly(problem, path, comm); });
}

/// Of all ranks together.
double seconds_of(comm::Communicator& comm, const std::function<void()>& work) {
    comm.barrier();
    return core::seconds_taken([&] {
        work();
        comm.barrier();
    });
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

void compare(const std::vector<std::string>& arguments, comm::Communicator& comm) {
    const auto number = [&](std::size_t at, std::int64_t otherwise) {
        return arguments.size() > at ? core::parse_integer(arguments[at]).value() : otherwise;
    };
    if (arguments.size() < 2) throw core::InputError("FOLDER is missing");
    const auto problem = problem_of(arguments[1], number(2, 512));
    const auto path = problem.folder + "/activations_bench.h5";
    const auto plain_path = problem.folder + "/activations_bench.plain";
    std::vector<double> ours;
    std::vector<double> plain;
    for (auto round = number(3, 5); round > 0; --round) {
        plain.push_back(seconds_of(comm, [&] { write_plainly(problem, plain_path, comm); }));
        ours.push_back(seconds_of(comm, [&] { write_activations(problem, path, comm); }));
        if (comm.rank() != 0) continue;
        std::filesystem::remove(path);
        std::filesystem::remove(plain_path);
    }
    if (comm.rank() != 0) return;
    const double megabytes = problem.megabytes();
    std::printf(
        "%d rank(s), %.0f MB: activations %.0f MB/s, plain write and sync %.0f MB/s, "
        "ratio %.2f (medians of %zu)\n",
        comm.size(), megabytes, megabytes / median(ours), megabytes / median(plain),
        median(plain) / median(ours), ours.size());
}

int run(const std::vector<std::string>& arguments, comm::Communicator& comm) {
    try {
        compare(arguments, comm);
        return EXIT_SUCCESS;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\nusage: activations_bench FOLDER [MIB [ROUNDS]]\n", error.what());
        return EXIT_FAILURE;
    }
}

}  // namespace

/// Activations as the program writes them, with labels, checksums and all, beside a plain write of
/// as many bytes, in turn; alone or under mpirun.
/// usage: activations_bench FOLDER [MIB [ROUNDS]]
int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv, argv + argc);
    if (!comm::under_mpiexec()) return run(arguments, *comm::make_serial());
    const comm::MpiSession mpi;
    return run(arguments, *comm::make_mpi_world());
}
