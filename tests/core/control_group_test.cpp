#include "core/control_group.hpp"

#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "support/temporary_folder.hpp"

using namespace ventral::core;

namespace {

constexpr double gibibyte = 1 << 30;
const std::string version_two = "30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n";

/// /proc and /sys of a machine that is not there.
class Machine {
public:
    Machine(const std::string& groups, const std::string& mounts) {
        write("/proc/self/cgroup", groups);
        write("/proc/self/mountinfo", "22 1 0:21 / /proc rw - proc proc rw\n" + mounts);
    }

    void write(const std::string& path, const std::string& text) const {
        const std::filesystem::path file = root() + path;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << text;
    }

    std::string root() const { return folder_.path().string(); }

    /// In GiB, or -1.
    double limit() const {
        const auto memory = group_memory(root());
        return memory ? memory->bytes / gibibyte : -1;
    }

private:
    ventral::test::TemporaryFolder folder_;
};

const std::string slurm_step = "/system.slice/slurmstepd.scope/job_7/step_batch/user/task_special";
const std::string slurm_job = "/sys/fs/cgroup/system.slice/slurmstepd.scope/job_7";

}  // namespace

TEST_CASE("without control groups there is no limit") {
    const Machine none("", "");
    CHECK_FALSE(group_memory(none.root()));
    CHECK_FALSE(group_processors(none.root()));
    CHECK_FALSE(group_cpuset(none.root()));
}

TEST_CASE("a group of version 2 limits memory, with the file that says so and what is taken") {
    const Machine machine("0::/a/b\n", version_two);
    machine.write("/sys/fs/cgroup/a/b/memory.max", "4294967296\n");
    machine.write("/sys/fs/cgroup/a/b/memory.stat", "anon 1000\nfile 700\nkernel 60\nshmem 24\n");
    const auto memory = group_memory(machine.root());
    REQUIRE(memory);
    CHECK(memory->bytes == 4 * gibibyte);
    CHECK(memory->used == 1024);
    CHECK(memory->file == machine.root() + "/sys/fs/cgroup/a/b/memory.max");
}

TEST_CASE("'max' is no limit") {
    const Machine machine("0::/a\n", version_two);
    machine.write("/sys/fs/cgroup/a/memory.max", "max\n");
    machine.write("/sys/fs/cgroup/a/memory.high", "max\n");
    machine.write("/sys/fs/cgroup/a/cpu.max", "max 100000\n");
    CHECK_FALSE(group_memory(machine.root()));
    CHECK_FALSE(group_processors(machine.root()));
}

TEST_CASE("of nested groups the tightest limit holds, whichever has it") {
    const Machine machine("0::/a/b/c\n", version_two);
    machine.write("/sys/fs/cgroup/a/b/c/memory.max", "4294967296\n");
    CHECK(machine.limit() == 4);
    machine.write("/sys/fs/cgroup/a/memory.max", "1073741824\n");
    CHECK(machine.limit() == 1);
    machine.write("/sys/fs/cgroup/a/memory.max", "8589934592\n");
    machine.write("/sys/fs/cgroup/a/b/memory.max", "max\n");
    CHECK(machine.limit() == 4);
}

TEST_CASE("from memory.high on the kernel slows a group down: a limit too; swap is none") {
    const Machine machine("0::/a\n", version_two);
    machine.write("/sys/fs/cgroup/a/memory.max", "4294967296\n");
    machine.write("/sys/fs/cgroup/a/memory.swap.max", "1073741824\n");
    CHECK(machine.limit() == 4);
    machine.write("/sys/fs/cgroup/a/memory.high", "3221225472\n");
    CHECK(machine.limit() == 3);
}

TEST_CASE("a Slurm job's limits stand in the folder of the job or of the step") {
    const Machine machine("0::" + slurm_step + "\n", version_two);
    machine.write(slurm_job + "/step_batch/user/task_special/memory.max", "max\n");
    machine.write(slurm_job + "/step_batch/user/memory.max", "max\n");
    machine.write(slurm_job + "/step_batch/memory.max", "max\n");
    machine.write(slurm_job + "/memory.max", "2147483648\n");
    machine.write(slurm_job + "/step_batch/user/cpuset.cpus.effective", "4-5,8\n");
    CHECK(machine.limit() == 2);
    CHECK(group_cpuset(machine.root()) == 3);
    machine.write(slurm_job + "/step_batch/memory.max", "1073741824\n");
    CHECK(machine.limit() == 1);
}

TEST_CASE("version 1 has a folder for each controller, and a limit of all pages is none") {
    const Machine machine(
        "4:memory:/slurm/uid_0/job_7\n3:cpuset:/slurm\n1:cpu,cpuacct:/slurm\n0::/\n",
        "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
        "34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
        "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
        "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    const std::string memory = "/sys/fs/cgroup/memory/slurm/uid_0/job_7/";
    machine.write(memory + "memory.limit_in_bytes", "9223372036854771712\n");
    CHECK(machine.limit() == -1);
    machine.write(memory + "memory.limit_in_bytes", "2147483648\n");
    machine.write(memory + "memory.memsw.limit_in_bytes", "3221225472\n");
    machine.write(memory + "memory.stat",
                  "rss 1\nshmem 2\ncache 700\ntotal_rss 1000\ntotal_shmem 24\ntotal_cache 800\n");
    CHECK(machine.limit() == 2);
    CHECK(group_memory(machine.root())->used == 1024);
    machine.write("/sys/fs/cgroup/memory/slurm/memory.limit_in_bytes", "1073741824\n");
    CHECK(machine.limit() == 1);
    machine.write("/sys/fs/cgroup/cpu/slurm/cpu.cfs_period_us", "100000\n");
    machine.write("/sys/fs/cgroup/cpu/slurm/cpu.cfs_quota_us", "-1\n");
    CHECK_FALSE(group_processors(machine.root()));
    machine.write("/sys/fs/cgroup/cpu/slurm/cpu.cfs_quota_us", "350000\n");
    CHECK(group_processors(machine.root()) == 3.5);
    machine.write("/sys/fs/cgroup/cpuset/slurm/cpuset.effective_cpus", "0-3\n");
    CHECK(group_cpuset(machine.root()) == 4);
}

TEST_CASE("a container sees its own group at the top, whatever path it is told") {
    const std::string top_is_own = "30 23 0:26 /docker/1f /sys/fs/cgroup ro - cgroup2 cgroup ro\n";
    for (const auto* path : {"/docker/1f", "/", "/../../system.slice/x", "/docker/1f2"}) {
        INFO(path);
        const Machine machine(std::string("0::") + path + "\n", top_is_own);
        machine.write("/sys/fs/cgroup/memory.max", "1073741824\n");
        machine.write("/sys/fs/cgroup/cpu.max", "150000 100000\n");
        CHECK(machine.limit() == 1);
        CHECK(group_processors(machine.root()) == 1.5);
    }
    const Machine below("0::/docker/1f/sub\n", top_is_own);
    below.write("/sys/fs/cgroup/sub/memory.max", "2147483648\n");
    CHECK(below.limit() == 2);
}

TEST_CASE("a quota of a group above holds too") {
    const Machine machine("0::/a/b\n", version_two);
    machine.write("/sys/fs/cgroup/a/b/cpu.max", "400000 100000\n");
    machine.write("/sys/fs/cgroup/a/cpu.max", "50000 100000\n");
    CHECK(group_processors(machine.root()) == 0.5);
}

TEST_CASE("what does not look like a group's file is no limit") {
    const Machine machine("nonsense\n0::/a\n", "short line\n" + version_two);
    machine.write("/sys/fs/cgroup/a/memory.max", "");
    machine.write("/sys/fs/cgroup/a/cpu.max", "100000\n");
    machine.write("/sys/fs/cgroup/a/cpuset.cpus.effective", "\n");
    CHECK_FALSE(group_memory(machine.root()));
    CHECK_FALSE(group_processors(machine.root()));
    CHECK_FALSE(group_cpuset(machine.root()));
}
