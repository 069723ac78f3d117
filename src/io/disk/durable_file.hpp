#pragma once
/// @file
/// Files that are either whole and on disk or not there at all, also after a crash.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ventral::io {

/// A name in the folder of `path`, unlike that of any other process, under which a file is written
/// until it is whole. The file is removed if `commit` is never reached.
class TemporaryName {
public:
    /// Throws `OutputError` if the folder of `path` does not exist. Makes no file.
    explicit TemporaryName(std::string path);
    ~TemporaryName();
    TemporaryName(const TemporaryName&) = delete;
    TemporaryName& operator=(const TemporaryName&) = delete;

    const std::string& path() const { return temporary_; }

    /// Syncs the closed file, gives it its final name and syncs the folder. Throws `OutputError`
    /// with the path and the reason; the temporary file is then removed by the destructor.
    void commit();

    /// Has a process of its own remove the file, so that who has to end need not wait for it: of
    /// gigabytes that are on their way to disk it takes seconds. `path()` is empty then. Should
    /// that process be killed before it begins, `remove_leftovers` finds the file.
    void remove_apart();

private:
    std::string final_;
    std::string temporary_;
};

/// Writes `bytes` as the whole of the file `path`, replacing it at once. Throws `OutputError` with
/// the path and the reason (disk full, no permission …); what was there before is then still there.
void write_file_durably(const std::string& path, std::string_view bytes);

/// Writes all of `bytes` to a file descriptor, however many calls that takes. Throws
/// `std::system_error`.
void write_all(int descriptor, std::string_view bytes);

/// The same of `bytes` that belong at `place`. Returns the errno, 0 for none.
int write_at(int descriptor, std::int64_t place, std::span<const std::byte> bytes) noexcept;

/// What this machine has written into a file, to disk. Throws `OutputError`.
void sync_file(const std::string& path);

/// Brings the entries of a folder to disk: names made, renamed or removed in it. Throws
/// `OutputError`.
void sync_folder(const std::string& folder);

}  // namespace ventral::io
