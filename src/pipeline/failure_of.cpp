#include "pipeline/failure_of.hpp"

#include "comm/communicator.hpp"

namespace ventral::pipeline {

core::Failure failure_of(const std::exception& error) {
    if (const auto* collective = dynamic_cast<const comm::CollectiveError*>(&error))
        return {collective->failure_class(), collective->reason()};
    return {core::failure_class_of(error), error.what()};
}

}  // namespace ventral::pipeline
