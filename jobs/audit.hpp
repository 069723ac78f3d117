#pragma once
/// @file
/// `ventral run --audit`: finished scores computed once more, from the images on, and compared.

#include "comm/communicator.hpp"
#include "config/run_record.hpp"
#include "core/workers.hpp"
#include "pipeline/run.hpp"

namespace ventral::jobs {

enum class AuditOutcome {
    same,
    different,
    /// Some could not be computed again for a reason that may pass, the others are the same.
    failed,
    stopped
};

/// Computes a sample, about `share`, of the scores that were finished before `run` again in a
/// folder of its own inside the run's, and compares with what the journal has: to the bit where the
/// fingerprint of the numerics is the same. Equal, the folder is removed; else the differences are
/// logged, and it stays. What was stopped before its end has compared nothing. Of an audit that is
/// killed the next run removes the folder. Collective.
AuditOutcome audit(const config::RunRecord& run, const pipeline::RunOptions& options,
                   const pipeline::RunResult& result, double share, comm::Communicator& world,
                   core::Workers& workers);

}  // namespace ventral::jobs
