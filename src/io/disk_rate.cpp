#include "io/disk_rate.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "comm/communicator.hpp"
#include "core/errors.hpp"
#include "io/activations_file.hpp"
#include "io/durable_file.hpp"

namespace ventral::io {
namespace {

constexpr std::size_t piece_bytes = 4 << 20;

/// An open file that has no name once this object is made.
class ScratchFile {
public:
    explicit ScratchFile(const std::string& folder)
        : path_(folder + "/disk-rate." + unique_suffix()),
          descriptor_(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)) {
        if (descriptor_ < 0) fail(errno);
        unlink(path_.c_str());
    }
    ~ScratchFile() { close(descriptor_); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;

    int descriptor() const { return descriptor_; }

    [[noreturn]] void fail(int error) const {
        throw core::OutputError(path_ + ": cannot be written and read (" +
                                std::generic_category().message(error) + ") choose another folder");
    }

private:
    std::string path_;
    int descriptor_;
};

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Numbers that no file system finds short.
std::string piece() {
    std::string bytes(piece_bytes, '\0');
    std::uint64_t state = 1;
    for (auto& byte : bytes) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        byte = static_cast<char>(state >> 56);
    }
    return bytes;
}

void write_pieces(const ScratchFile& file, std::size_t bytes) try {
    const auto content = piece();
    for (std::size_t done = 0; done < bytes; done += piece_bytes)
        write_all(file.descriptor(),
                  std::string_view(content).substr(0, std::min(piece_bytes, bytes - done)));
    if (fsync(file.descriptor()) != 0) file.fail(errno);
} catch (const std::system_error& error) {
    file.fail(error.code().value());
}

void read_pieces(const ScratchFile& file, std::size_t bytes) {
    std::string buffer(piece_bytes, '\0');
    for (std::size_t done = 0; done < bytes;) {
        const auto count =
            pread(file.descriptor(), buffer.data(), buffer.size(), static_cast<off_t>(done));
        if (count <= 0) file.fail(count < 0 ? errno : EIO);
        done += static_cast<std::size_t>(count);
    }
}

/// Seconds for so many bytes in batches of 4 MiB; the file is never finished.
double seconds_to_take(const std::string& folder, std::size_t bytes) {
    constexpr std::size_t rows = 8, features = std::size_t{1} << 17;
    const std::vector<float> batch(rows * features, 0.5F);
    const std::size_t batches = (bytes + piece_bytes - 1) / piece_bytes;
    ActivationsHeader header;
    header.layers = {{"layer", {features}}};
    header.batch_size = rows;
    header.stimuli.stimulus_ids.resize(rows * batches);
    header.stimuli.files.resize(rows * batches);
    const auto alone = comm::make_serial();
    ActivationsWriter writer(folder + "/disk-rate." + unique_suffix() + ".h5", *alone, header);
    return seconds_of([&] {
        for (std::size_t i = 0; i < batches; ++i) writer.write_rows(0, i * rows, batch);
    });
}

}  // namespace

DiskRate measure_disk(const std::string& folder, std::size_t bytes) {
    const ScratchFile file(folder);
    const auto size = static_cast<double>(bytes);
    DiskRate rate;
    rate.written_bytes = size / seconds_of([&] { write_pieces(file, bytes); });
    posix_fadvise(file.descriptor(), 0, 0, POSIX_FADV_DONTNEED);
    rate.read_bytes = size / seconds_of([&] { read_pieces(file, bytes); });
    rate.buffered_bytes = size / seconds_to_take(folder, bytes);
    return rate;
}

}  // namespace ventral::io
