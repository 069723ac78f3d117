/// @file
/// A disk that fails on demand: preloaded (LD_PRELOAD), it counts the calls by which a process
/// changes files below one folder, and lets one of them, or all from that one on, fail.
///
/// Of the environment: FAULT_FOLDER (below which), FAULT_LOG (a file to which each counted call
/// adds a line "rank part number name path"; a part is what stands directly in the folder, with the
/// files of its name), FAULT_RANK (of MPI, whose calls may fail), FAULT_PROCESS (how
/// the names of processes begin whose calls may fail), FAULT_PART and FAULT_CALL (the number of the
/// call in it, from 1) or, in place of both, FAULT_MATCH (a piece of the path: every such call),
/// FAULT_KIND (kill, crash: SIGSEGV, hang, ENOSPC, EIO, or short: half of the bytes are written;
/// or, while nothing else fails, spawn: the process can start no other; unread: what has
/// FAULT_MATCH in its path, anywhere, can be neither read nor listed, ESTALE; killed, alarmed: who
/// reads it gets SIGKILL, SIGALRM) and FAULT_SPAN (once or onwards, then in all parts; what follows
/// a short write fails with ENOSPC).

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Whether this process has a name, as `ps` tells it, that begins so.
bool is_named(const std::string& name) {
    std::array<char, 16> own{};
    prctl(PR_GET_NAME, own.data());
    return std::string(own.data()).compare(0, name.size(), name) == 0;
}

/// What the environment asks for.
struct Plan {
    std::string folder = variable("FAULT_FOLDER");
    std::string log = variable("FAULT_LOG");
    std::string rank = std::getenv("OMPI_COMM_WORLD_RANK") ? variable("OMPI_COMM_WORLD_RANK") : "0";
    bool is_of_rank = rank == variable("FAULT_RANK");
    std::string process = variable("FAULT_PROCESS");
    std::string part = variable("FAULT_PART");
    long call = std::atol(variable("FAULT_CALL").c_str());
    std::string match = variable("FAULT_MATCH");
    std::string kind = variable("FAULT_KIND");
    bool is_onwards = variable("FAULT_SPAN") == "onwards";

    /// Processes that were forked have names of their own.
    bool is_chosen() const { return is_of_rank && is_named(process); }
};

const Plan& plan() {
    static const Plan read;
    return read;
}

/// The function of the same name that this library hides.
template <typename Function>
Function hidden(const char* name) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

std::string path_of(int descriptor) {
    std::array<char, PATH_MAX> path{};
    const auto link = "/proc/self/fd/" + std::to_string(descriptor);
    const auto length = readlink(link.c_str(), path.data(), path.size());
    return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "";
}

bool is_below_folder(const std::string& path) {
    const auto& folder = plan().folder;
    return !folder.empty() && path.compare(0, folder.size(), folder) == 0 &&
           (path.size() == folder.size() || path[folder.size()] == '/');
}

/// By system calls: those of the library are counted.
void add_to_log(const std::string& line) {
    const long file = syscall(SYS_openat, AT_FDCWD, plan().log.c_str(),
                              O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) return;
    syscall(SYS_write, file, line.data(), line.size());
    syscall(SYS_close, file);
}

/// "journal", "scores.csv" … of a path below the folder, without what makes its name unique.
std::string part_of(const std::string& path) {
    const auto name = path.substr(std::min(path.size(), plan().folder.size() + 1));
    const auto end = name.find_first_of("./");
    const bool is_table = name.compare(0, 7, "scores.") == 0;
    return name.empty() ? "." : is_table ? name.substr(0, name.find('.', 7)) : name.substr(0, end);
}

bool is_of_reading() {
    const auto& kind = plan().kind;
    return kind == "unread" || kind == "killed" || kind == "alarmed";
}

enum class Fate { passes, is_cut, fails };

/// Counts a call; true if it is the one to fail.
bool is_hit_by(const char* name, const std::string& path) {
    static std::mutex one_at_a_time;
    static std::map<std::string, long> calls;
    const std::lock_guard lock(one_at_a_time);
    const auto part = part_of(path);
    const long number = ++calls[part];
    if (!plan().log.empty())
        add_to_log(plan().rank + " " + part + " " + std::to_string(number) + " " + name + " " +
                   path + "\n");
    if (!plan().is_chosen() || plan().kind == "spawn" || is_of_reading()) return false;
    if (!plan().match.empty()) return path.find(plan().match) != std::string::npos;
    return part == plan().part && number == plan().call;
}

/// Kills the process, or says what becomes of a call and sets `errno`.
Fate fate_of(const char* name, const std::string& path) {
    static std::atomic<bool> is_broken = false;
    if (!is_below_folder(path)) return Fate::passes;
    const bool is_hit = is_hit_by(name, path);
    if (!is_hit && !is_broken) return Fate::passes;
    if (plan().kind == "crash") raise(SIGSEGV);
    while (plan().kind == "hang") pause();
    if (plan().kind == "kill") kill(getpid(), SIGKILL);
    is_broken = plan().is_onwards;
    if (plan().kind == "short" && is_hit) return Fate::is_cut;
    errno = plan().kind == "EIO" ? EIO : ENOSPC;
    return Fate::fails;
}

/// Calls that change a file as a whole: there is no half of them.
bool fails(const char* name, const std::string& path) { return fate_of(name, path) == Fate::fails; }

bool fails(const char* name, int descriptor) { return fails(name, path_of(descriptor)); }

/// The bytes of a write that go through, or -1.
ssize_t granted(const char* name, int descriptor, std::size_t size) {
    const auto fate = fate_of(name, path_of(descriptor));
    if (fate == Fate::fails) return -1;
    return static_cast<ssize_t>(fate == Fate::is_cut ? size / 2 : size);
}

/// The first `granted` bytes of what is scattered over memory, or nothing if the call fails.
std::vector<iovec> granted_parts(const char* name, int descriptor, const iovec* parts, int count) {
    std::size_t size = 0;
    for (int i = 0; i < count; ++i) size += parts[i].iov_len;
    auto left = granted(name, descriptor, size);
    std::vector<iovec> kept;
    for (int i = 0; left > 0 && i < count; ++i) {
        kept.push_back(
            {parts[i].iov_base, std::min(parts[i].iov_len, static_cast<std::size_t>(left))});
        left -= static_cast<ssize_t>(kept.back().iov_len);
    }
    if (left >= 0 && kept.empty()) kept.push_back({nullptr, 0});
    return kept;
}

std::string absolute(int folder, const char* path) {
    if (path[0] == '/') return path;
    if (folder != AT_FDCWD) return path_of(folder) + "/" + path;
    std::array<char, PATH_MAX> here{};
    return std::string(getcwd(here.data(), here.size()) ? here.data() : "") + "/" + path;
}

bool fails_to_open(const char* name, int folder, const char* path, int flags) {
    return (flags & O_ACCMODE) != O_RDONLY && fails(name, absolute(folder, path));
}

ssize_t write_at(const char* name, int descriptor, const void* bytes, std::size_t size,
                 off_t offset) {
    const auto part = granted(name, descriptor, size);
    if (part < 0) return -1;
    static const auto next = hidden<ssize_t (*)(int, const void*, std::size_t, off_t)>("pwrite64");
    return next(descriptor, bytes, static_cast<std::size_t>(part), offset);
}

ssize_t write_parts_at(const char* name, int descriptor, const iovec* parts, int count,
                       off_t offset) {
    const auto kept = granted_parts(name, descriptor, parts, count);
    if (kept.empty()) return -1;
    static const auto next = hidden<ssize_t (*)(int, const iovec*, int, off_t)>("pwritev64");
    return next(descriptor, kept.data(), static_cast<int>(kept.size()), offset);
}

int open_at(const char* name, int folder, const char* path, int flags, mode_t mode) {
    if (fails_to_open(name, folder, path, flags)) return -1;
    static const auto next = hidden<int (*)(int, const char*, int, ...)>("openat64");
    return next(folder, path, flags, mode);
}

int cut(const char* name, int descriptor, off_t length) {
    if (fails(name, descriptor)) return -1;
    static const auto next = hidden<int (*)(int, off_t)>("ftruncate64");
    return next(descriptor, length);
}

int take_space(const char* name, int descriptor, int mode, off_t offset, off_t length) {
    if (fails(name, descriptor)) return -1;
    static const auto next = hidden<int (*)(int, int, off_t, off_t)>("fallocate64");
    return next(descriptor, mode, offset, length);
}

bool is_unreadable(int descriptor) {
    if (!plan().is_chosen() || !is_of_reading()) return false;
    if (path_of(descriptor).find(plan().match) == std::string::npos) return false;
    if (plan().kind == "killed") raise(SIGKILL);
    if (plan().kind == "alarmed") raise(SIGALRM);
    errno = ESTALE;
    return true;
}

ssize_t read_at(int descriptor, void* bytes, std::size_t size, off_t offset) {
    if (is_unreadable(descriptor)) return -1;
    static const auto next = hidden<ssize_t (*)(int, void*, std::size_t, off_t)>("pread64");
    return next(descriptor, bytes, size, offset);
}

ssize_t read_parts_at(int descriptor, const iovec* parts, int count, off_t offset) {
    if (is_unreadable(descriptor)) return -1;
    static const auto next = hidden<ssize_t (*)(int, const iovec*, int, off_t)>("preadv64");
    return next(descriptor, parts, count, offset);
}

/// The mode that follows the flags of an `open`.
mode_t mode_of(int flags, va_list rest) {
    const bool makes_file = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
    return makes_file ? va_arg(rest, mode_t) : 0;
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* bytes, size_t size) {
    if (is_unreadable(descriptor)) return -1;
    static const auto next = hidden<ssize_t (*)(int, void*, size_t)>("read");
    return next(descriptor, bytes, size);
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
    return read_at(descriptor, bytes, size, offset);
}

ssize_t pread64(int descriptor, void* bytes, size_t size, off64_t offset) {
    return read_at(descriptor, bytes, size, offset);
}

ssize_t preadv(int descriptor, const iovec* parts, int count, off_t offset) {
    return read_parts_at(descriptor, parts, count, offset);
}

ssize_t preadv64(int descriptor, const iovec* parts, int count, off64_t offset) {
    return read_parts_at(descriptor, parts, count, offset);
}

dirent* readdir(DIR* folder) {
    if (is_unreadable(dirfd(folder))) return nullptr;
    static const auto next = hidden<dirent* (*)(DIR*)>("readdir");
    return next(folder);
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
    const auto part = granted("write", descriptor, size);
    if (part < 0) return -1;
    static const auto next = hidden<ssize_t (*)(int, const void*, size_t)>("write");
    return next(descriptor, bytes, static_cast<size_t>(part));
}

ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
    return write_at("pwrite", descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
    return write_at("pwrite", descriptor, bytes, size, offset);
}

ssize_t writev(int descriptor, const iovec* parts, int count) {
    const auto kept = granted_parts("writev", descriptor, parts, count);
    if (kept.empty()) return -1;
    static const auto next = hidden<ssize_t (*)(int, const iovec*, int)>("writev");
    return next(descriptor, kept.data(), static_cast<int>(kept.size()));
}

ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
    return write_parts_at("pwritev", descriptor, parts, count, offset);
}

ssize_t pwritev64(int descriptor, const iovec* parts, int count, off64_t offset) {
    return write_parts_at("pwritev", descriptor, parts, count, offset);
}

int open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const auto mode = mode_of(flags, rest);
    va_end(rest);
    return open_at("open", AT_FDCWD, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const auto mode = mode_of(flags, rest);
    va_end(rest);
    return open_at("open", AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

int openat(int folder, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const auto mode = mode_of(flags, rest);
    va_end(rest);
    return open_at("open", folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const auto mode = mode_of(flags, rest);
    va_end(rest);
    return open_at("open", folder, path, flags | O_LARGEFILE, mode);
}

int rename(const char* from, const char* to) {
    if (fails("rename", absolute(AT_FDCWD, to))) return -1;
    static const auto next = hidden<int (*)(const char*, const char*)>("rename");
    return next(from, to);
}

int fsync(int descriptor) {
    if (fails("fsync", descriptor)) return -1;
    static const auto next = hidden<int (*)(int)>("fsync");
    return next(descriptor);
}

int fdatasync(int descriptor) {
    if (fails("fdatasync", descriptor)) return -1;
    static const auto next = hidden<int (*)(int)>("fdatasync");
    return next(descriptor);
}

pid_t fork() {
    if (plan().kind == "spawn" && plan().is_chosen()) {
        errno = EAGAIN;
        return -1;
    }
    static const auto next = hidden<decltype(&fork)>("fork");
    return next();
}

int ftruncate(int descriptor, off_t length) noexcept {
    return cut("ftruncate", descriptor, length);
}

int ftruncate64(int descriptor, off64_t length) noexcept {
    return cut("ftruncate", descriptor, length);
}

int fallocate(int descriptor, int mode, off_t offset, off_t length) {
    return take_space("fallocate", descriptor, mode, offset, length);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t length) {
    return take_space("fallocate", descriptor, mode, offset, length);
}
}
