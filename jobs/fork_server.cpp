#include "fork_server.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ventral::jobs {
namespace {

constexpr std::array stop_signals = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2};

/// The server as this process sees it. It has nothing to lose when it is ended.
struct Server {
    Server() = default;
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    ~Server() {
        if (process <= 0) return;
        close(socket);
        kill(process, SIGKILL);
        waitpid(process, nullptr, 0);
    }

    pid_t process = -1;
    int socket = -1;
    int start_error = ENOTCONN;
};

Server& server() {
    static Server of_this_process;
    return of_this_process;
}

/// With a request go its own connection and the limit that the process is to have.
union DescriptorMessage {
    cmsghdr header;
    std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

msghdr message_of(iovec& limit, DescriptorMessage& descriptor) {
    msghdr message{};
    message.msg_iov = &limit;
    message.msg_iovlen = 1;
    message.msg_control = descriptor.bytes.data();
    message.msg_controllen = descriptor.bytes.size();
    return message;
}

bool send_request(int to, int connection) {
    rlimit limit{};
    getrlimit(RLIMIT_DATA, &limit);
    iovec content{&limit, sizeof(limit)};
    DescriptorMessage descriptor{};
    auto message = message_of(content, descriptor);
    auto* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(header), &connection, sizeof(int));
    return sendmsg(to, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(limit));
}

/// The connection of the next request, or -1 when the program has ended.
int receive_request(int from, rlimit& limit) {
    iovec content{&limit, sizeof(limit)};
    DescriptorMessage descriptor{};
    auto message = message_of(content, descriptor);
    ssize_t size = -1;
    do size = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
    while (size < 0 && errno == EINTR);
    const auto* header =
        size == static_cast<ssize_t>(sizeof(limit)) ? CMSG_FIRSTHDR(&message) : nullptr;
    if (!header || header->cmsg_type != SCM_RIGHTS) return -1;
    int connection = -1;
    std::memcpy(&connection, CMSG_DATA(header), sizeof(int));
    return connection;
}

bool send_all(int to, const std::string& text) {
    for (std::size_t sent = 0; sent < text.size();) {
        const auto count = send(to, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (count < 0 && errno != EINTR) return false;
        if (count > 0) sent += static_cast<std::size_t>(count);
    }
    return true;
}

std::string read_all(int from) {
    std::string text;
    std::array<char, 4096> some{};
    for (;;) {
        const auto count = read(from, some.data(), some.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return text;
        text.append(some.data(), static_cast<std::size_t>(count));
    }
}

std::vector<std::string> split(const std::string& words) {
    std::vector<std::string> all;
    for (std::size_t begin = 0; begin < words.size();) {
        const auto end = words.find('\0', begin);
        all.push_back(words.substr(begin, end - begin));
        begin = end + 1;
    }
    return all;
}

/// What a process did with them when it was started: end, or nothing, as under nohup.
using StopHandlers = std::array<void (*)(int), stop_signals.size()>;

StopHandlers ignore_stop_signals() {
    StopHandlers before{};
    for (std::size_t i = 0; i < stop_signals.size(); ++i)
        before[i] = std::signal(stop_signals[i], SIG_IGN);
    return before;
}

void heed_stop_signals(const StopHandlers& as_before) {
    for (std::size_t i = 0; i < stop_signals.size(); ++i)
        std::signal(stop_signals[i], as_before[i]);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// Of a process that shall not outlive the one that has forked it.
void end_with(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(EXIT_FAILURE);
}

/// How the work has ended: behind all that it has written stands a zero, and this.
struct End {
    int status = 0;
    int start_error = 0;
};

bool tell(int connection, const End& end) {
    std::string last(1 + sizeof(end), '\0');
    std::memcpy(last.data() + 1, &end, sizeof(end));
    return send_all(connection, last);
}

/// Outlives the process that does the work, to tell how that ended.
[[noreturn]] void supervise(const ForkedWork& work, int connection, const rlimit& limit,
                            const StopHandlers& handlers) {
    std::signal(SIGCHLD, SIG_DFL);
    const auto words = split(read_all(connection));
    const pid_t self = getpid();
    const pid_t worker = fork();
    if (worker == 0) {
        end_with(self);
        heed_stop_signals(handlers);
        setrlimit(RLIMIT_DATA, &limit);
        _exit(work(words, connection));
    }
    End end{0, worker < 0 ? errno : 0};
    while (worker > 0 && waitpid(worker, &end.status, 0) < 0 && errno == EINTR) {
    }
    _exit(tell(connection, end) ? EXIT_SUCCESS : EXIT_FAILURE);
}

[[noreturn]] void serve(const ForkedWork& work, int socket) {
    std::signal(SIGCHLD, SIG_IGN);                // nobody waits for the supervisors
    const auto handlers = ignore_stop_signals();  // it ends when the program has ended
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nowhere < 0) _exit(EXIT_FAILURE);
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nowhere, each);
    const pid_t self = getpid();
    rlimit limit{};
    for (int connection = 0; (connection = receive_request(socket, limit)) >= 0;
         close(connection)) {
        const pid_t supervisor = fork();
        if (supervisor < 0) tell(connection, {0, errno});
        if (supervisor != 0) continue;
        end_with(self);
        close(socket);
        supervise(work, connection, limit, handlers);
    }
    _exit(EXIT_SUCCESS);
}

/// Takes the end off the answers.
void take_end(ForkedResult& result) {
    End end;
    auto& answers = result.answers;
    const std::size_t size = 1 + sizeof(end);
    if (answers.size() < size || answers[answers.size() - size] != '\0') {
        result.start_error = ECHILD;  // the server, or who waits for the process, is no more
        return;
    }
    std::memcpy(&end, answers.data() + answers.size() - sizeof(end), sizeof(end));
    answers.resize(answers.size() - size);
    result.status = end.status;
    result.start_error = end.start_error;
}

}  // namespace

void start_fork_server(const ForkedWork& work) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        server().start_error = errno;
        return;
    }
    const pid_t self = getpid();
    const pid_t forked = fork();
    if (forked == 0) {
        end_with(self);
        close(ends[0]);
        serve(work, ends[1]);
    }
    server().start_error = forked < 0 ? errno : 0;
    server().process = forked;
    server().socket = ends[0];
    close(ends[1]);
}

ForkedResult do_forked(const std::vector<std::string>& words) {
    ForkedResult result;
    result.start_error = server().start_error;
    int ends[2];
    if (result.start_error != 0) return result;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        result.start_error = errno;
        return result;
    }
    std::string text;
    for (const auto& word : words) text += word + '\0';
    const bool is_sent = send_request(server().socket, ends[1]);
    close(ends[1]);
    const bool is_whole = is_sent && send_all(ends[0], text);
    // A server that could not fork has answered already, and reads nothing.
    const bool is_closed = is_sent && !is_whole && (errno == EPIPE || errno == ECONNRESET);
    if (is_whole) shutdown(ends[0], SHUT_WR);
    if (is_whole || is_closed) result.answers = read_all(ends[0]);
    close(ends[0]);
    take_end(result);
    return result;
}

}  // namespace ventral::jobs
