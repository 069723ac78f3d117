"""A Slurm of its own for one test: munged, slurmctld and one slurmd for each of some nodes that are all this machine.

Everything lies in one folder; the daemons are children of the test and end with it, however it ends.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time
import typing

from program import environment, wait_for

DAEMONS = ["munged", "slurmctld", "slurmd"]
CLIENTS = ["sbatch", "scancel", "scontrol", "sinfo", "squeue"]
SYSTEM_PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
PR_SET_PDEATHSIG = 1

# REQUEUE_S is also how long the credential of a step is good, which a busy machine must not outlive.
REQUEUE_S = 5
# No cgroups and no accounting, so that it runs in a container; a node is as large as it says, whatever the machine.
CONFIGURATION = """ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire={requeue_s}
CredType=cred/munge
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool.%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdTimeout=5
TCPTimeout=3
KillWait=3
ReturnToService=2
PropagateResourceLimits=NONE
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE DefaultTime=10 State=UP
"""
NODE = ("NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 Boards=1 SocketsPerBoard=1 "
        "CoresPerSocket=2 ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN\n")


def why_not():
    """Why no Slurm can be started here, or nothing."""
    missing = [name for name in DAEMONS + CLIENTS if not shutil.which(name, path=SYSTEM_PATH)]
    if missing:
        return f"no {', '.join(missing)} (Debian: slurm-wlm, munge)"
    return "" if os.geteuid() == 0 else "slurmd starts jobs as root only"


def _free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def _end_with_parent():
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _parent(pid):
    """(name, parent's id) of a process; ("", 0) if it has ended."""
    try:
        name, _, rest = pathlib.Path(f"/proc/{pid}/stat").read_text().partition("(")[2].rpartition(")")
        return name, int(rest.split()[1])
    except OSError:
        return "", 0


class Job(typing.NamedTuple):
    """One line of the queue."""
    name: str   # 12, or 12_3 for a task of an array
    number: str  # its SLURM_JOB_ID
    state: str
    node: str


class PrivateSlurm:
    """A context: its Slurm is up inside and gone behind it."""

    def __init__(self, folder, nodes):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir()
        self.nodes = [f"n{number + 1}" for number in range(nodes)]
        self.daemons = {}
        # Slurm's own variables, if the test itself runs in a job, would be taken for options.
        outer = {name: value for name, value in environment().items()
                 if not name.startswith(("SLURM", "SBATCH", "PMI", "OMPI_COMM", "PMIX"))}
        self.environment = dict(outer, SLURM_CONF=str(self.folder / "slurm.conf"), PATH=SYSTEM_PATH)

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _configure(self):
        host = socket.gethostname().partition(".")[0]
        ports = _free_ports(len(self.nodes) + 1)
        text = CONFIGURATION.format(host=host, port=ports[0], folder=self.folder, requeue_s=REQUEUE_S)
        nodes = "".join(NODE.format(name=name, host=host, port=port) for name, port in zip(self.nodes, ports[1:]))
        place = text.index("PartitionName")
        (self.folder / "slurm.conf").write_text(text[:place] + nodes + text[place:])
        (self.folder / "state").mkdir()
        for name in self.nodes:
            (self.folder / f"spool.{name}").mkdir()
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(1024))

    def _start(self):
        self._configure()
        at = self.folder
        self._daemon("munged", "--foreground", "--force", f"--socket={at}/munge.socket", f"--key-file={at}/munge.key",
                     f"--pid-file={at}/munged.pid", f"--log-file={at}/munged.log", f"--seed-file={at}/munge.seed")
        self._must(lambda: (at / "munge.socket").exists(), "munged")
        self._daemon("slurmctld", "-D", "-i", "-f", self.environment["SLURM_CONF"])
        for name in self.nodes:
            self.start_node(name)
        self._must(lambda: self.ask("sinfo", "-h", "-t", "idle", "-o", "%D") == str(len(self.nodes)), "slurm")

    def start_node(self, name):
        self._daemon(name, "-D", "-f", self.environment["SLURM_CONF"], "-N", name, program="slurmd")

    def _daemon(self, name, *arguments, program=None):
        path = shutil.which(program or name, path=SYSTEM_PATH)
        with open(self.folder / f"{name}.out", "wb") as out:
            self.daemons[name] = subprocess.Popen([path, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                  env=self.environment, preexec_fn=_end_with_parent)

    def _must(self, condition, what):
        if not wait_for(condition, 30):
            logs = "\n".join(f"{path.name}: {path.read_text(errors='replace')[-2000:]}"
                             for path in sorted([*self.folder.glob("*.out"), *self.folder.glob("*.log")]))
            raise RuntimeError(f"{what} does not start:\n{logs}")

    def _stop(self):
        try:
            if "slurmctld" in self.daemons:
                self.ask("scancel", "--full", "--user=root")
                wait_for(lambda: not self.ask("squeue", "-h"), 5)
        finally:
            for daemon in self.daemons.values():
                daemon.kill()
                daemon.wait()
            for pid in self._processes():
                self._kill(pid)

    def ask(self, *command, limit=30):
        """What a command of Slurm prints on stdout, or nothing if it fails or hangs."""
        try:
            result = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                    env=self.environment, text=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            return None
        return result.stdout.strip() if result.returncode == 0 else None

    def call(self, *command, folder="/", variables=None, limit=60):
        """(exit code, all that is said) of any command."""
        result = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                cwd=folder, env=dict(self.environment, **(variables or {})), timeout=limit, check=False)
        return result.returncode, result.stdout

    def signal_script(self, job, name, arrived):
        """Signals the script of a job until `arrived()`; whether it did within 30 s.

        scancel tries again what it is told to try again, also when the signal of a task of an array was delivered.
        """
        with subprocess.Popen(["scancel", "--batch", f"--signal={name}", job], stderr=subprocess.DEVNULL,
                              env=self.environment) as scancel:
            told = wait_for(arrived, 30)
            scancel.kill()
        return told

    def queue(self):
        """All jobs and tasks of arrays that have not ended."""
        for _ in range(10):
            lines = self.ask("squeue", "-h", "-r", "-o", "%i|%A|%T|%N")
            if lines is not None:
                return [Job(*line.split("|")) for line in lines.splitlines()]
            time.sleep(1)
        raise RuntimeError("squeue fails")

    def facts(self, job):
        """What scontrol says of a job, by name."""
        words = (self.ask("scontrol", "-o", "show", "job", job) or "").split()
        return dict(word.split("=", 1) for word in words if "=" in word)

    def kill_node(self, name):
        """As if its power failed: the daemon first, then its steps, then what they run."""
        self.daemons[name].kill()
        self.daemons[name].wait()
        own = self._processes(name)
        for pid in [*self._steps(own), *own]:
            self._kill(pid)

    def _steps(self, pids):
        """The slurmstepd above each."""
        steps = set()
        for pid in pids:
            while pid > 1:
                name, parent = _parent(pid)
                if name == "slurmstepd":
                    steps.add(pid)
                pid = parent
        return steps

    def _processes(self, node=None):
        """The processes that jobs of this Slurm have started, on one node or on all."""
        wanted = {b"SLURM_CONF=" + self.environment["SLURM_CONF"].encode()}
        if node:
            wanted.add(b"SLURMD_NODENAME=" + node.encode())
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
            try:
                if wanted <= set(path.read_bytes().split(b"\0")):
                    found.append(int(path.parent.name))
            except OSError:
                continue
        return [pid for pid in found if pid != os.getpid()]

    def kill_programs(self, name):
        """SIGKILL to every process of this name that jobs have started; how many there were."""
        pids = [pid for pid in self._processes() if _parent(pid)[0] == name]
        for pid in pids:
            self._kill(pid)
        return len(pids)

    @staticmethod
    def _kill(pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def drained(self, limit):
        """Whether all jobs end within `limit` seconds."""
        return wait_for(lambda: not self.queue(), limit, every=0.2)
