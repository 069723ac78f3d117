"""Several nodes for mpirun that are all this machine: each is a host name of its own (a UTS namespace) with a daemon of
Open MPI, which then has its ranks share no memory with those of others. They talk over TCP on the loopback interface.
"""
import os
import pathlib
import shutil
import subprocess

from program import children, environment

UNSHARE = "unshare --uts" if os.geteuid() == 0 else "unshare --user --map-root-user --uts"
# What mpirun calls in place of ssh: with the name of the node, then the words of a command.
AGENT = f"""#!/bin/sh
node=$1
shift
exec {UNSHARE} sh -c "hostname $node && $*"
"""


def name_of(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def daemons_of(pid):
    """Those of Open MPI below a process, in no order."""
    below = children(pid)
    return [child for child in below if name_of(child) == "orted"] + [
        daemon for child in below if name_of(child) != "orted" for daemon in daemons_of(child)]


def ranks_of(mpirun):
    """The ids of the processes that compute, one list for each node."""
    return [children(daemon) for daemon in daemons_of(mpirun)]


class SimulatedNodes:
    """n1, n2, …; their scripts lie in `folder`."""

    def __init__(self, mpirun, folder):
        self.mpirun = mpirun
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.agent = self.folder / "agent"
        self.agent.write_text(AGENT)
        self.agent.chmod(0o755)

    def variables(self, nodes, ranks_of_each):
        """What has mpirun start its ranks on so many nodes, when it is in the environment."""
        hosts = self.folder / f"{nodes}x{ranks_of_each}"
        hosts.write_text("".join(f"n{number + 1} slots={ranks_of_each}\n" for number in range(nodes)))
        return {"OMPI_MCA_plm": "rsh", "OMPI_MCA_plm_rsh_agent": str(self.agent), "OMPI_MCA_ras": "^slurm",
                "OMPI_MCA_orte_default_hostfile": str(hosts), "OMPI_MCA_orte_leave_session_attached": "1",
                "OMPI_MCA_oob_tcp_if_include": "lo", "OMPI_MCA_btl_tcp_if_include": "lo"}

    def why_not(self):
        """Why there can be none here, or nothing."""
        if not shutil.which("unshare"):
            return "no unshare (Debian: util-linux)"
        try:
            result = subprocess.run([self.mpirun, "-n", "2", "hostname"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                    env=dict(environment(), **self.variables(2, 1)), text=True, timeout=30, check=False)
        except subprocess.TimeoutExpired:
            return "mpirun starts nothing on two nodes"
        said = result.stdout.split()
        return "" if sorted(said) == ["n1", "n2"] else f"mpirun has no two nodes here: {result.stdout.strip()}"
