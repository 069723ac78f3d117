#include "network_trial.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <sstream>
#include <utility>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/add_once.hpp"
#include "core/errors.hpp"
#include "core/log.hpp"
#include "core/number_text.hpp"
#include "core/private_memory.hpp"
#include "core/seconds_since.hpp"
#include "exit_codes.hpp"
#include "io/input_file.hpp"
#include "models/made_up_images.hpp"
#include "models/network/network.hpp"
#include "models/recording/layout_mistakes.hpp"
#include "models/recording/recorder.hpp"
#include "pipeline/inputs/model_layers.hpp"
#include "stats/linear_algebra/blas_kernels.hpp"
#include "trial_process.hpp"

namespace ventral::jobs {
namespace {

constexpr rlim_t patience_s = 120;  ///< unless `patience_variable` says otherwise
constexpr auto patience_variable = "VENTRAL_TRIAL_SECONDS";
constexpr rlim_t patience_s_per_gibibyte = 20;
constexpr rlim_t waits_per_patience = 10;  ///< for a network that waits instead of computing

/// With this begins the answer that the system cannot read a network now.
constexpr char now_mark = '~';

/// What the trial process is told of a network.
struct TrialArguments {
    std::string file;
    models::MemoryLayout layout = models::MemoryLayout::channels_last;
    models::InputShape input{0, 0, 0};  ///< zeros: not known
    std::int64_t most_images = 2;       ///< that it is shown at once

    auto operator<=>(const TrialArguments&) const = default;
};

constexpr std::size_t words_each = 6;
constexpr const char* contiguous_word = "contiguous";

/// As the trial process gets them: `words_each`.
std::vector<std::string> words_of(const TrialArguments& arguments) {
    const bool contiguous = arguments.layout == models::MemoryLayout::contiguous;
    return {arguments.file,
            contiguous ? contiguous_word : "channels_last",
            std::to_string(arguments.input[0]),
            std::to_string(arguments.input[1]),
            std::to_string(arguments.input[2]),
            std::to_string(arguments.most_images)};
}

TrialArguments arguments_from(const std::string* words) {
    return {words[0],
            words[1] == contiguous_word ? models::MemoryLayout::contiguous
                                        : models::MemoryLayout::channels_last,
            {std::stol(words[2]), std::stol(words[3]), std::stol(words[4])},
            std::stol(words[5])};
}

TrialArguments arguments_for(const models::ModelRecord& model) {
    return {model.weights_file, model.memory_layout,
            pipeline::known_input(model).value_or(models::InputShape{0, 0, 0}),
            model.batch_size == 1 ? 1 : 2};
}

struct TrialResult {
    /// Of the first networks, those that the process survived: why they cannot be loaded (after
    /// `now_mark` if they may be later), or empty.
    std::vector<std::string> answers;
    int status = 0;       ///< as from waitpid
    int start_error = 0;  ///< as `errno`, of a process that could not be started
};

TrialResult run_trial(const std::vector<TrialArguments>& networks) {
    std::vector<std::string> words;
    for (const auto& each : networks)
        for (auto& word : words_of(each)) words.push_back(std::move(word));
    const auto forked = do_trial(Trial::networks, std::move(words));
    TrialResult result{{}, forked.status, forked.start_error};
    std::istringstream lines(forked.answers);
    for (std::string line; std::getline(lines, line) && !lines.eof();)
        result.answers.push_back(line);
    return result;
}

rlim_t patience() {
    constexpr std::int64_t most = 1800;
    const char* said = std::getenv(patience_variable);
    if (!said) return patience_s;
    const auto seconds = core::parse_integer(said);
    if (!seconds || *seconds < 1 || *seconds > most)
        throw core::InputError(std::string(patience_variable) + ": '" + said +
                               "' is no whole number of seconds from 1 to " + std::to_string(most));
    return static_cast<rlim_t>(*seconds);
}

/// Seconds of processor time, for loading and then for the passes.
rlim_t patience_for(const std::string& file) {
    return patience() + patience_s_per_gibibyte * (io::file_bytes(file) >> 30);
}

/// "(why) what to do" about the network in `file`. Empty if a network cannot be what ended the
/// process: somebody has stopped it, or a disk has let it wait.
std::string reason_of(int status, const std::string& file) {
    const std::string trial = "(loading it or showing it a stimulus or two ";
    if (!WIFSIGNALED(status)) return "";
    switch (WTERMSIG(status)) {
        case SIGXCPU:
            return trial + "does not end within " + std::to_string(patience_for(file)) +
                   " s of processor time) export it again, or allow more with the variable " +
                   patience_variable + " and --retry-failed";
        case SIGKILL:
            return trial + core::needs_more_memory +
                   ") allow more with --memory, or use fewer ranks";
        case SIGSEGV:
        case SIGBUS:
        case SIGABRT:
        case SIGFPE:
        case SIGILL:
            return trial + "crashes libtorch: " + strsignal(WTERMSIG(status)) + ") export it again";
        default:
            return "";
    }
}

void limit_time(const std::string& file) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto patience = patience_for(file);
    const auto before = static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + 1;
    rlimit limit{};
    getrlimit(RLIMIT_CPU, &limit);
    limit.rlim_cur = std::min(before + patience, limit.rlim_max);
    setrlimit(RLIMIT_CPU, &limit);
    alarm(static_cast<unsigned>(waits_per_patience * patience));
}

std::string on_one_line(std::string reason) {
    std::replace(reason.begin(), reason.end(), '\n', ' ');
    return reason;
}

/// What a run does with it; a forward pass that fails tells why where the run meets it. Returns why
/// the network cannot be used all the same, or nothing.
std::string show_stimuli(models::Network network, const TrialArguments& arguments) try {
    const auto& input = arguments.input;
    if (input[0] * input[1] * input[2] == 0) return {};
    limit_time(arguments.file);  // anew: what loading it first took is not the passes'
    if (network.memory_layout() == models::MemoryLayout::channels_last)
        return models::mistaken_in_layout(std::move(network), input, arguments.most_images)
            .value_or("");
    const models::BatchShape one{1, input[0], input[1], input[2]};
    models::LayerRecorder(network, network.tensors()).shapes(models::made_up_images(one), one);
    return {};
} catch (const std::exception&) {
    return {};
}

/// Without memory what goes wrong need not be the network's fault, and the process ends as the
/// kernel would end it.
void on_fault(int fault) {
    const int number = core::is_memory_used_up() ? SIGKILL : fault;
    std::signal(fault, SIG_DFL);
    raise(number);
}

/// Before the networks have taken what there is: OpenBLAS would then ask for ever.
void take_blas_memory_or_die() {
    try {
        stats::require_blas_memory(1);
    } catch (const core::InputError&) {
        raise(SIGKILL);
    }
    stats::take_blas_memory(1);
}

/// The answer for a network.
std::string try_network(const TrialArguments& arguments) {
    limit_time(arguments.file);
    try {
        return on_one_line(show_stimuli(
            models::Network::load(arguments.file, {.memory_layout = arguments.layout}), arguments));
    } catch (const core::TransientError& error) {
        return now_mark + on_one_line(error.what());
    } catch (const std::exception& error) {
        if (core::failure_class_of(error) == core::FailureClass::out_of_memory &&
            core::is_memory_used_up())
            raise(SIGKILL);
        return on_one_line(error.what());
    }
}

/// Network → message, which is empty if it can be loaded. One that cannot must not be loaded here
/// to see it fail: libtorch does not always survive a second failure of the same file.
using Verdicts = std::map<TrialArguments, std::string>;

std::string why_untried(const TrialResult& result) {
    if (result.start_error == ECHILD) return "the process that starts others has ended";
    if (result.start_error != 0)
        return std::string("no process can be started for it: ") +
               std::strerror(result.start_error);
    if (WIFSIGNALED(result.status) && WTERMSIG(result.status) == SIGALRM)
        return "its process waits and does not end";
    if (WIFSIGNALED(result.status))
        return std::string("its process was stopped: ") + strsignal(WTERMSIG(result.status));
    return "its process ended with " + std::to_string(WEXITSTATUS(result.status));
}

Verdicts try_all(std::vector<TrialArguments> left) {
    Verdicts verdicts;
    while (!left.empty()) {
        const auto result = run_trial(left);
        const auto survived = std::min(result.answers.size(), left.size());
        for (std::size_t i = 0; i < survived; ++i) {
            const auto& answer = result.answers[i];
            if (answer.starts_with(now_mark)) throw core::TransientError(answer.substr(1));
            verdicts[left[i]] = answer;
        }
        if (survived == left.size()) return verdicts;
        const auto& file = left[survived].file;
        const auto reason = reason_of(result.status, file);
        if (reason.empty())
            throw core::TransientError(file + ": cannot be tried before it is loaded (" +
                                       why_untried(result) + ") run again");
        verdicts[left[survived]] = file + ": cannot be used " + reason;
        left.erase(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(survived) + 1);
    }
    return verdicts;
}

/// Networks that have passed a trial of this process: one model on many datasets is tried once.
class Passed {
public:
    bool contains(const TrialArguments& network) const {
        const std::lock_guard lock(mutex_);
        return networks_.contains(network);
    }

    void add(const Verdicts& verdicts) {
        const std::lock_guard lock(mutex_);
        for (const auto& [network, reason] : verdicts)
            if (reason.empty()) networks_.insert(network);
    }

private:
    mutable std::mutex mutex_;
    std::set<TrialArguments> networks_;
};

}  // namespace

std::map<std::string, std::string> crashing_networks(
    const std::vector<models::ModelRecord>& models) {
    static Passed passed;
    check_trial_seconds();
    std::vector<TrialArguments> untried;
    for (const auto& model : models) {
        const auto network = arguments_for(model);
        if (!model.weights_file.empty() && !passed.contains(network))
            core::add_once(untried, network);
    }
    const auto verdicts = try_all(std::move(untried));
    passed.add(verdicts);
    std::map<std::string, std::string> reasons;
    for (const auto& model : models) {
        const auto verdict = verdicts.find(arguments_for(model));
        if (verdict != verdicts.end() && !verdict->second.empty())
            reasons[model.identifier] = verdict->second;
    }
    return reasons;
}

void check_trial_seconds() { patience(); }

double process_start_seconds() {
    return core::seconds_taken([] { run_trial({}); });
}

int try_networks(const std::vector<std::string>& words, int answers) {
    for (const int fault : {SIGSEGV, SIGBUS, SIGABRT}) std::signal(fault, on_fault);
    prctl(PR_SET_NAME, "try-networks");
    core::configure_log({core::LogLevel::error, ""});
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    take_blas_memory_or_die();
    for (std::size_t i = 0; i + words_each <= words.size(); i += words_each) {
        const auto line = try_network(arguments_from(&words[i])) + '\n';
        if (write(answers, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
            return exit_failed;
    }
    return exit_done;
}

}  // namespace ventral::jobs
