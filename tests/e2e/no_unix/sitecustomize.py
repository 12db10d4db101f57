"""Takes from the project's packages what there is not on Windows, in every Python process that finds this on its path.

Libraries keep it: they have code of their own for Windows, which does not run here. What is left behaves as it does
there, as far as the service could notice.
"""

import builtins
import errno
import fcntl
import itertools
import os
import pathlib
import re
import select
import selectors
import signal
import socket
import stat
import subprocess
import types
from contextlib import suppress

NO_MODULES = ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty", "uvloop")
NO_NAMES = {
    "os": re.compile(
        r"fork.*|killpg|[gs]et(e|re|res)?[ug]id|[gs]et(pg|s)id|getpgrp|[gs]etpriority|.*groups|nice|f?l?chown|fchmod|"
        r"wait(id|3|4)?|W[A-Z]+|P_.*|sched_.*|SCHED_.*|openpty|ttyname|tc[gs]etpgrp|sysconf.*|confstr.*|getloadavg|"
        r"uname|p?(read|write)v?2?(?<!^read)(?<!^write)|posix_.*|POSIX_.*|[gs]et_blocking|memfd_.*|pidfd_.*|eventfd.*|"
        r"O_(CLOEXEC|NONBLOCK|DIRECTORY|NOFOLLOW|SYNC|DSYNC)|mkfifo|mknod|sendfile|f?statvfs|sync|fdatasync|lockf|"
        r"register_at_fork|fchdir|chroot|splice"
    ),
    "select": re.compile(r"e?poll|E?POLL.*"),
    "signal": re.compile(
        r"SIG(?!ABRT|FPE|ILL|INT|SEGV|TERM)[A-Z0-9]+|pause|alarm|[gs]etitimer|sig(wait|pend|time|inter).*|pthread_.*"
    ),
    "socket": re.compile(r"AF_UNIX|CMSG_.*|SCM_.*|(send|recv)_fds|TCP_USER_TIMEOUT"),
    "subprocess": re.compile(r"Popen"),
    "pathlib": re.compile(r"PosixPath"),
}


class Popen(subprocess.Popen):
    """A process as Windows starts one: it inherits nothing, and can only be killed."""

    def __init__(self, *arguments, creationflags=0, **options):
        unsupported = {"pass_fds", "preexec_fn", "start_new_session", "process_group", "user", "umask"} & options.keys()
        if unsupported:
            raise ValueError(f"not supported on Windows: {unsupported}")
        super().__init__(*arguments, **options, start_new_session=True)

    def send_signal(self, number):
        if self.poll() is None:
            os.kill(self.pid, signal.SIGKILL)


def kill(pid, number):
    os.kill(pid, signal.SIGKILL)


def access(path, *arguments, **options):  # tests may have their files in this folder, which Windows has not
    return str(path) != "/dev/shm" and os.access(path, *arguments, **options)


def open_file(path, *arguments, **options):
    if os.path.isdir(path):
        raise PermissionError(errno.EACCES, "Permission denied", path)
    return os.open(path, *arguments, **options)


def fsync(fd):
    if fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, "Bad file descriptor")
    os.fsync(fd)


def dup(fd):
    if stat.S_ISSOCK(os.fstat(fd).st_mode):
        raise OSError(errno.EBADF, "Bad file descriptor")
    return os.dup(fd)


def select_sockets(*arguments):
    files = [file if isinstance(file, int) else file.fileno() for file in itertools.chain(*arguments[:3])]
    if not files or not all(stat.S_ISSOCK(os.fstat(file).st_mode) for file in files):
        raise OSError(10038, "An operation was attempted on something that is not a socket")
    return select.select(*arguments)


def check_closed(path):
    """Refuse to remove or replace a file that this process has open."""
    for fd in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            if os.readlink(f"/proc/self/fd/{fd}") == os.path.realpath(path):
                raise PermissionError(errno.EACCES, "The process cannot access the file", str(path))


def rename(source, target):
    check_closed(source)
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, "File exists", str(target))
    os.rename(source, target)


def replace(source, target):
    check_closed(source)
    check_closed(target)
    os.replace(source, target)


def unlink(path, *arguments, **options):
    check_closed(path)
    os.unlink(path, *arguments, **options)


class Path(type(pathlib.Path())):
    def rename(self, target):
        rename(self, target)
        return Path(target)

    def replace(self, target):
        replace(self, target)
        return Path(target)

    def unlink(self, missing_ok=False):
        with suppress(*([FileNotFoundError] if missing_ok else [])):
            unlink(self)


CHANGED = {
    "os": {
        "name": "nt",
        "access": access,
        "kill": kill,
        "open": open_file,
        "fsync": fsync,
        "dup": dup,
        "rename": rename,
        "replace": replace,
        "remove": unlink,
        "unlink": unlink,
    },
    "select": {"select": select_sockets},
    "subprocess": {"Popen": Popen},
    "pathlib": {"Path": Path},
}


def windows_module(module):
    """The module without what Windows has not."""
    made = types.ModuleType(module.__name__, module.__doc__)
    missing = NO_NAMES[module.__name__]
    vars(made).update({name: value for name, value in vars(module).items() if not missing.fullmatch(name)})
    vars(made).update(CHANGED.get(module.__name__, {}))
    return made


MODULES = {module.__name__: windows_module(module) for module in (os, pathlib, select, signal, socket, subprocess)}
_import = builtins.__import__


def import_as_on_windows(name, globals=None, locals=None, fromlist=(), level=0):
    importer = (globals or {}).get("__package__") or ""
    if level == 0 and importer.partition(".")[0] == "inkeek":
        if name in NO_MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name in MODULES:
            return MODULES[name]
    return _import(name, globals, locals, fromlist, level)


builtins.__import__ = import_as_on_windows
selectors.DefaultSelector = selectors.SelectSelector
