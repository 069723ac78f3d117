#pragma once
/// @file
/// The kinds of failure: wrong input is thrown, a failed unit of work is a value.

#include <atomic>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ventral::core {

/// The user's input is wrong: file, configuration or command line. The message is
/// "place: problem (why) suggestion" and begins with the path or file:line:column.
class InputError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// What the system cannot do now, whatever the input: a disk does not answer, no descriptor is
/// left, a file changes while it is read. Trying again may help.
class TransientError : public InputError {
public:
    using InputError::InputError;
};

/// A result could not be written: disk full, no permission, a device error.
class OutputError : public TransientError {
public:
    using TransientError::TransientError;
};

/// Whether a call that failed with this `errno` may succeed later: a device, a network or the
/// limits of the system are to blame, not what was asked for.
bool may_pass(int error_number);

/// Throws "problem (what the system says) advice": a `TransientError` if the error may pass, whose
/// advice is to run again, else an `InputError`. 0, of a stream that does not say why, is EIO.
[[noreturn]] void throw_system_error(const std::string& problem, int error_number,
                                     const std::string& advice = {});

/// Throws `message` in place of what `error` says: of the same kind, transient or not.
[[noreturn]] void throw_again(const InputError& error, const std::string& message);

/// Whether `reason` begins with `place` and a name of its own ends there.
bool names_place(const std::string& reason, const std::string& place);

/// Runs `work`; the message of an `InputError` begins with `place` afterwards.
template <typename Work>
auto naming(const std::string& place, const Work& work) {
    try {
        return work();
    } catch (const InputError& error) {
        const std::string reason = error.what();
        if (place.empty() || names_place(reason, place)) throw;
        throw_again(error, place + ": " + reason);
    }
}

/// A member of exceptions that all ranks of a group throw together. What else flies is one rank's
/// own: unwinding must then not wait for the others.
class Agreed {
public:
    Agreed() { ++alive_; }
    Agreed(const Agreed&) : Agreed() {}
    Agreed& operator=(const Agreed&) = default;
    ~Agreed() { --alive_; }

    /// Such an exception is thrown and not handled to the end yet.
    static bool in_flight() { return alive_ > 0; }

private:
    inline static std::atomic<int> alive_ = 0;
};

/// The run was asked to stop (signal, time limit) and all ranks have reached a safe point.
class Interrupted : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;

private:
    Agreed agreed_;
};

/// Why a unit of work has no result: decides whether trying again can help.
enum class FailureClass { deterministic, transient, out_of_memory, crashed, timeout };

struct Failure {
    FailureClass failure_class = FailureClass::deterministic;
    std::string reason;

    template <typename Archive>
    void serialize(Archive& archive, unsigned) {
        archive& failure_class& reason;
    }
};

/// A failure whose class is known, whatever its words say.
class KnownFailure : public std::runtime_error {
public:
    explicit KnownFailure(const Failure& failure) : KnownFailure(failure, failure.reason) {}

    const Failure& failure() const { return failure_; }

protected:
    /// One that `what` tells in other words than the reason.
    KnownFailure(Failure failure, const std::string& what)
        : std::runtime_error(what), failure_(std::move(failure)) {}

private:
    Failure failure_;
};

/// The result of a unit of work, or why there is none.
template <typename T>
using Outcome = std::variant<T, Failure>;

/// Words of a reason by which `failure_class_of` knows that memory ran out, for what has only words
/// to tell it with.
inline constexpr const char* needs_more_memory = "needs more memory than there is";

std::string name_of(FailureClass failure_class);

/// The class of failure that an exception stands for.
FailureClass failure_class_of(const std::exception& error);

/// What an exception stands for; of a `KnownFailure` its own.
Failure failure_of(const std::exception& error);

/// For who handles `error` and takes it for the fault of an input: throws it again if memory ran
/// out.
void rethrow_lack_of_memory(const std::exception& error);

/// ", did you mean 'x' or 'y'?" with the up to three names nearest to `wanted`, or an empty text.
std::string near_names(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace ventral::core
