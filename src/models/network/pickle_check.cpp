#include "models/network/pickle_check.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ventral::models {
namespace {

// Instructions: CPython, Lib/pickletools.py. Those that torch's pickler writes and their relatives.
enum Instruction : unsigned char {
    mark = '(',
    stop = '.',
    pop = '0',
    dup = '2',
    binint = 'J',
    binint1 = 'K',
    binint2 = 'M',
    none = 'N',
    binpersid = 'Q',
    reduce = 'R',
    binunicode = 'X',
    append = 'a',
    build = 'b',
    global = 'c',
    dict = 'd',
    appends = 'e',
    binget = 'h',
    long_binget = 'j',
    list = 'l',
    binput = 'q',
    long_binput = 'r',
    setitem = 's',
    tuple = 't',
    setitems = 'u',
    binfloat = 'G',
    empty_tuple = ')',
    empty_list = ']',
    empty_dict = '}',
    proto = 0x80,
    newobj = 0x81,
    tuple1 = 0x85,
    tuple2 = 0x86,
    tuple3 = 0x87,
    newtrue = 0x88,
    newfalse = 0x89,
    long1 = 0x8a
};

/// As much of a value as tells what a storage is.
struct Value {
    std::string text;                                   ///< of a string, or of a global its name
    std::optional<std::int64_t> number;                 ///< of an integer
    std::vector<std::shared_ptr<const Value>> members;  ///< of a tuple
};
using ValuePointer = std::shared_ptr<const Value>;

struct Fault {
    std::string text;
};
/// The bytes end, or are none that are known here: libtorch will say so.
struct LeftToTorch {};

std::uint64_t element_bytes(const std::string& storage_type) {
    const std::map<std::string, std::uint64_t> bytes = {
        {"ByteStorage", 1},   {"CharStorage", 1},         {"BoolStorage", 1},
        {"QInt8Storage", 1},  {"QUInt8Storage", 1},       {"ShortStorage", 2},
        {"HalfStorage", 2},   {"BFloat16Storage", 2},     {"IntStorage", 4},
        {"FloatStorage", 4},  {"QInt32Storage", 4},       {"LongStorage", 8},
        {"DoubleStorage", 8}, {"ComplexFloatStorage", 8}, {"ComplexDoubleStorage", 16}};
    const auto found = bytes.find(storage_type.substr(storage_type.find(' ') + 1));
    return found == bytes.end() ? 1 : found->second;
}

class Follower {
public:
    Follower(std::string_view pickle, const std::map<std::string, std::uint64_t>& storage_bytes)
        : rest_(pickle), storage_bytes_(storage_bytes) {}

    void follow() {
        while (step(static_cast<unsigned char>(bytes(1)[0]))) {
        }
    }

private:
    /// False at the end of the pickle.
    bool step(unsigned char instruction) {
        switch (instruction) {
            case stop:
                return false;
            case proto:
                bytes(1);
                return true;
            case mark:
                marks_.push_back(stack_.size());
                return true;
            case binput:
                return put(integer(1));
            case long_binput:
                return put(integer(4));
            case binget:
                return get(integer(1));
            case long_binget:
                return get(integer(4));
            case dup:
                return push(*top());
            case pop:
            case newobj:
            case append:
                take(1);
                return true;
            default:
                return step_value(instruction) || step_members(instruction);
        }
    }

    /// Instructions that push a value of their own; false for others.
    bool step_value(unsigned char instruction) {
        switch (instruction) {
            case none:
            case newtrue:
            case newfalse:
            case empty_tuple:
            case empty_list:
            case empty_dict:
                return push({});
            case binint1:
                return push_number(integer(1));
            case binint2:
                return push_number(integer(2));
            case binint:
                return push_number(static_cast<std::int32_t>(integer(4)));
            case long1:
                return push_number(long_integer());
            case binfloat:
                bytes(8);
                return push({});
            case binunicode:
                return push({std::string(bytes(integer(4))), std::nullopt, {}});
            case global: {
                const auto module = line();
                return push({module + " " + line(), std::nullopt, {}});
            }
            default:
                return false;
        }
    }

    /// Instructions that take values and push or change one.
    bool step_members(unsigned char instruction) {
        switch (instruction) {
            case tuple1:
            case tuple2:
            case tuple3:
                return push({"", std::nullopt, take(instruction - tuple1 + 1)});
            case tuple:
                return push({"", std::nullopt, take_to_mark(1)});
            case list:
                take_to_mark(1);
                return push({});
            case dict:
                take_to_mark(2);
                return push({});
            case appends:
                take_to_mark(1);
                return top() != nullptr;
            case setitems:
                take_to_mark(2);
                return top() != nullptr;
            case setitem:
                take(2);
                return top() != nullptr;
            case reduce:
            case build:
                take(2);
                return push({});
            case binpersid:
                check_storage(*take(1)[0]);
                return push({});
            default:
                throw LeftToTorch();
        }
    }

    std::string_view bytes(std::uint64_t count) {
        if (count > rest_.size()) throw LeftToTorch();
        const auto taken = rest_.substr(0, count);
        rest_.remove_prefix(count);
        return taken;
    }

    /// Little-endian, of at most 8 bytes.
    std::uint64_t integer(std::size_t count) {
        std::uint64_t value = 0;
        const auto from = bytes(count);
        for (std::size_t i = 0; i < count; ++i)
            value |= std::uint64_t{static_cast<unsigned char>(from[i])} << (8 * i);
        return value;
    }

    std::uint64_t long_integer() {
        const auto length = integer(1);
        // What is longer is no size; the highest bit of fewer bytes is the sign.
        if (length > 8) throw LeftToTorch();
        auto value = integer(length);
        if (length > 0 && length < 8 && (value >> (8 * length - 1)) != 0)
            value |= ~std::uint64_t{0} << (8 * length);
        return value;
    }

    std::string line() {
        const auto end = rest_.find('\n');
        if (end == std::string_view::npos) throw LeftToTorch();
        const std::string text(bytes(end));
        bytes(1);
        return text;
    }

    bool push(Value value) {
        stack_.push_back(std::make_shared<const Value>(std::move(value)));
        return true;
    }

    template <typename Number>
    bool push_number(Number number) {
        return push({"", static_cast<std::int64_t>(number), {}});
    }

    const Value* top() const {
        if (stack_.empty()) throw Fault{"it takes a value that is not there"};
        return stack_.back().get();
    }

    /// The last `count` values, which leave the stack.
    std::vector<ValuePointer> take(std::size_t count) {
        if (stack_.size() < count) throw Fault{"it takes values that are not there"};
        const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
        std::vector<ValuePointer> taken(first, stack_.end());
        stack_.erase(first, stack_.end());
        return taken;
    }

    /// What is behind the last mark, in groups of `group` values.
    std::vector<ValuePointer> take_to_mark(std::size_t group) {
        if (marks_.empty() || marks_.back() > stack_.size())
            throw Fault{"it takes values up to a mark that is not there"};
        const auto count = stack_.size() - marks_.back();
        marks_.pop_back();
        if (count % group != 0) throw Fault{"a key has no value"};
        return take(count);
    }

    bool put(std::uint64_t place) {
        top();
        memo_[place] = stack_.back();
        return true;
    }

    bool get(std::uint64_t place) {
        const auto found = memo_.find(place);
        if (found == memo_.end()) throw Fault{"it asks for a value that was never kept"};
        stack_.push_back(found->second);
        return true;
    }

    /// A storage is ("storage", type, key, device, elements).
    void check_storage(const Value& storage) {
        if (storage.members.size() < 5 || !storage.members[4]->number)
            throw Fault{"a storage of tensors is not described"};
        const auto elements = *storage.members[4]->number;
        const auto known = storage_bytes_.find(storage.members[2]->text);
        if (elements < 0) throw Fault{"a storage of tensors has a negative size"};
        if (known == storage_bytes_.end()) return;
        if (static_cast<std::uint64_t>(elements) >
            known->second / element_bytes(storage.members[1]->text))
            throw Fault{"a storage of tensors is larger than its bytes"};
    }

    std::string_view rest_;
    const std::map<std::string, std::uint64_t>& storage_bytes_;
    std::vector<ValuePointer> stack_;
    std::vector<std::size_t> marks_;
    std::map<std::uint64_t, ValuePointer> memo_;
};

}  // namespace

std::optional<std::string> pickle_fault(std::string_view pickle,
                                        const std::map<std::string, std::uint64_t>& storage_bytes) {
    try {
        Follower(pickle, storage_bytes).follow();
    } catch (const Fault& fault) {
        return fault.text;
    } catch (const LeftToTorch&) {
        // Nothing that was followed so far can crash it.
    }
    return std::nullopt;
}

}  // namespace ventral::models
