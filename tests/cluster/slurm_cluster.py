"""A SLURM cluster of two nodes and two pretended GPUs on this machine, with accounting or without.

Needs root and Debian's packages: ``apt-get install --no-install-recommends slurmctld slurmd
slurm-client munge``, for accounting also ``slurmdbd mariadb-server``. By hand: ``python
tests/cluster/slurm_cluster.py FOLDER [accounting]`` starts one and stops it on Ctrl-C. The
configuration goes to /etc/slurm, because the executor plugin hides
SLURM_CONF from its jobs.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "munged")
ACCOUNTING = ("slurmdbd", "sacct", "mariadbd", "mariadb-install-db", "mariadb")
CONFIGURED = Path("/etc/slurm")
NODES = ("node1", "node2")
CPUS, MEMORY_MB, GPUS = 4, 64_000, ("/dev/null", "/dev/zero")
FIRST_PORT, START_S = 16817, 60.0
DBD_PORT, SQL_PORT = FIRST_PORT + 5, FIRST_PORT + 6
UP = ("idle", "mix", "alloc")

MARK = "# Written by tests/cluster."
SLURM_CONF = (
    MARK
    + """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
SlurmctldPort={port}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
# Without accounting and cgroups: memory is watched once a second, and what exceeds it is killed.
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=1
JobAcctGatherParams=OverMemoryKill
{accounting}
MinJobAge=3600
KillWait=5
SlurmdTimeout=5
SlurmdParameters=config_overrides
GresTypes=gpu
{nodes}
PartitionName=cpu Nodes={names} Default=YES MaxTime=1440 State=UP
PartitionName=gpu Nodes={gpu_node} MaxTime=1440 State=UP
"""
)
NO_ACCOUNTING = "AccountingStorageType=accounting_storage/none"
WITH_ACCOUNTING = f"""\
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={DBD_PORT}"""
DBD_CONF = """\
AuthType=auth/munge
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={dbd_port}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={sql_port}
StorageUser=slurm
StoragePass=slurm
"""
GRANT = "CREATE USER slurm@127.0.0.1 IDENTIFIED BY 'slurm'; GRANT ALL ON *.* TO slurm@127.0.0.1"


def why_not(accounting: bool = False) -> str | None:
    """What keeps a cluster from being started here; None: nothing."""
    programs = PROGRAMS + ACCOUNTING * accounting
    lacking = [program for program in programs if shutil.which(program, path=_path()) is None]
    if lacking:
        return f"SLURM is not installed here: no {', '.join(lacking)}"
    if os.geteuid() != 0:
        return "only root can start a SLURM cluster"
    configuration = CONFIGURED / "slurm.conf"
    if configuration.exists() and not configuration.read_text("utf-8").startswith(MARK):
        return f"{CONFIGURED}/slurm.conf exists: this machine belongs to a cluster"
    return None


class SlurmCluster:
    """A context manager: the cluster is up and idle inside it, and gone after it."""

    def __init__(self, folder: Path, accounting: bool = False) -> None:
        self.folder = folder
        self.accounting = accounting
        self._daemons: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> SlurmCluster:
        reason = why_not(self.accounting)
        if reason:
            raise RuntimeError(reason)
        try:
            self._configure()
            self._start_munge()
            if self.accounting:
                self._start_accounting()
            self._start("slurmctld", "-D", "-c")
            for node in NODES:
                self._start("slurmd", "-D", "-N", node)
            self._wait_until_idle()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        for daemon in reversed(self._daemons):
            daemon.send_signal(signal.SIGTERM)
        for daemon in self._daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
        for name in ("slurm.conf", "gres.conf", "slurmdbd.conf"):
            (CONFIGURED / name).unlink(missing_ok=True)

    def ask(self, *command: str) -> str:
        """Output of a SLURM command."""
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
        return done.stdout

    def jobs(self) -> list[dict[str, str]]:
        """Every job of this cluster, ended ones included, as `scontrol show job` tells it."""
        lines = self.ask("scontrol", "--oneliner", "show", "job").splitlines()
        return [_fields(line) for line in lines if line.startswith("JobId=")]

    def set_node(self, node: str, state: str) -> None:
        """Change a node's state as an administrator would: drain, resume or down."""
        if state == "resume" and self.ask("sinfo", "-h", "-n", node, "-o", "%t").split()[0] in UP:
            return  # a node that was set down comes back by itself when it answers
        words = (f"nodename={node}", f"state={state}")
        self.ask("scontrol", "update", *words, *(["reason=test"] if state != "resume" else []))

    def _configure(self) -> None:
        (self.folder / "state").mkdir(parents=True, exist_ok=True)
        host = os.uname().nodename.partition(".")[0]
        nodes = [
            f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={FIRST_PORT + 1 + place} "
            f"CPUs={CPUS} RealMemory={MEMORY_MB}" + (" Gres=gpu:2" if node == NODES[0] else "")
            for place, node in enumerate(NODES)
        ]
        text = SLURM_CONF.format(
            host=host,
            folder=self.folder,
            port=FIRST_PORT,
            nodes="\n".join(nodes),
            names=",".join(NODES),
            gpu_node=NODES[0],
            accounting=WITH_ACCOUNTING if self.accounting else NO_ACCOUNTING,
        )
        gres = [f"NodeName={NODES[0]} Name=gpu File={device}\n" for device in GPUS]
        CONFIGURED.mkdir(exist_ok=True)
        (CONFIGURED / "slurm.conf").write_text(text, encoding="utf-8")
        (CONFIGURED / "gres.conf").write_text("".join(gres), encoding="utf-8")

    def _start_munge(self) -> None:
        if Path("/run/munge/munge.socket.2").exists():
            return
        subprocess.run(
            ["install", "-d", "-o", "munge", "-g", "munge", "/run/munge"], check=True, timeout=10
        )
        self._start("su", "-s", "/bin/sh", "munge", "-c", "exec /usr/sbin/munged --foreground")
        _wait(lambda: Path("/run/munge/munge.socket.2").exists(), "munge")

    def _start_accounting(self) -> None:
        """A database, the daemon that writes into it, and the cluster's entry."""
        data, socket = self.folder / "sql", f"{self.folder}/sql.socket"
        options = ("--no-defaults", f"--datadir={data}", "--user=root")
        self.ask("mariadb-install-db", *options, "--auth-root-authentication-method=normal")
        network = ("--bind-address=127.0.0.1", f"--port={SQL_PORT}", f"--socket={socket}")
        self._start("mariadbd", *options, *network, "--innodb-buffer-pool-size=64M")
        grant = ("mariadb", "--no-defaults", f"--socket={socket}", "-e", GRANT)
        _wait(lambda: _succeeds(*grant), "MariaDB")
        configuration = CONFIGURED / "slurmdbd.conf"
        text = DBD_CONF.format(dbd_port=DBD_PORT, sql_port=SQL_PORT, folder=self.folder)
        configuration.write_text(text, encoding="utf-8")
        configuration.chmod(0o600)
        self._start("slurmdbd", "-D")
        _wait(lambda: _succeeds("sacctmgr", "-i", "list", "cluster"), "slurmdbd")
        self.ask("sacctmgr", "-i", "add", "cluster", "test")

    def _start(self, *command: str) -> None:
        log = (self.folder / f"{Path(command[0]).name}-{len(self._daemons)}.out").open("wb")
        with log:
            self._daemons.append(
                # They end with this process, however it ends.
                subprocess.Popen(
                    ["setpriv", "--pdeathsig", "TERM", *command],
                    stdout=log,
                    stderr=log,
                    env=os.environ | {"PATH": _path()},
                )
            )

    def _wait_until_idle(self) -> None:
        def idle() -> bool:
            states = subprocess.run(
                ["sinfo", "-h", "-N", "-p", "cpu", "-o", "%t"],
                capture_output=True,
                text=True,
                check=False,
            ).stdout.split()
            return states == ["idle"] * len(NODES)

        _wait(idle, f"the nodes (logs: {self.folder})")


def _wait(ready, what: str) -> None:
    deadline = time.monotonic() + START_S
    while not ready():
        if time.monotonic() > deadline:
            raise RuntimeError(f"SLURM did not start: no answer from {what}")
        time.sleep(0.2)


def _succeeds(*command: str) -> bool:
    return subprocess.run(command, capture_output=True, check=False, timeout=30).returncode == 0


def _fields(line: str) -> dict[str, str]:
    return dict(word.partition("=")[::2] for word in line.split(" ") if "=" in word)


def _path() -> str:
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


if __name__ == "__main__":
    with SlurmCluster(Path(sys.argv[1]).resolve(), "accounting" in sys.argv[2:]) as cluster:
        print(cluster.ask("sinfo", "-N", "-l"), flush=True)
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
        signal.sigwait([signal.SIGINT, signal.SIGTERM])
