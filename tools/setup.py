"""Make .venv ready: the package, what it depends on, ROS 2, and the compiled kernels.

`make setup` runs this with the Python that the virtual environment shall have. A second call finds
everything in place and returns at once; after a change of the C sources it only compiles them; a set-up
that was interrupted is made anew. It needs nothing but the standard library, and its syntax is that of
Python 3.6, so that an old Python is told what is wrong instead of stumbling over this file.
"""
import glob
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

OLDEST, NEWEST = (3, 10), (3, 14)
PACKAGE = "hil_relative_dynamics"
EXTRAS = ("reference", "viewer", "test", "lint")
BUILD_TOOLS = ("setuptools>=70.1", "wheel")
# ROS 2 Kilted; all of these exist for every Python from OLDEST to NEWEST.
ROS_WHEELS = (
    "ros-rclpy~=9.1",
    "ros-rmw-fastrtps-cpp~=9.3",
    "ros-common-interfaces~=5.5",
    "ros-lifecycle-msgs~=2.3",
    "ros-rcl-interfaces~=2.3",
    "ros-rosgraph-msgs~=2.3",
)

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
VENV_PYTHON = os.path.join(VENV, "bin", "python")
STAMP = os.path.join(VENV, "setup.json")
LOG = os.path.join(VENV, "setup.log")
KERNELS = os.path.join(ROOT, PACKAGE, "kernels")
LIBRARY = os.path.join(KERNELS, "_kernels" + importlib.machinery.EXTENSION_SUFFIXES[0])

# What the output of a failed command means, most telling first.
MEANINGS = (
    (r"No space left on device|Disk quota exceeded",
     "the disk is full: free about 3 GB and run it again"),
    (r"Permission denied|Operation not permitted|Read-only file system",
     "a file cannot be written: make {root} and pip's cache writable for this user and run it again"),
    (r"connection broken by|Max retries exceeded|Network is unreachable|name resolution|timed out"
     r"|not a trusted or secure host",
     "no Python package index can be reached: check the network and the proxy settings, or name an index"
     " that can be reached with PIP_INDEX_URL"),
    (r"No matching distribution found for (\S+)",
     "the package index offers no {0} for Python {python} on this machine: try another Python, for example"
     " `make PYTHON=python3.12`, or another index with PIP_INDEX_URL"),
    (r"(\S+:\d+:\d+: (?:fatal )?error: .*)",
     "the C sources do not compile: {0}"),
)


class Failure(Exception):
    """One sentence for the user: what is wrong and what to do."""


def say(text):
    print("set-up: " + text, flush=True)


def version_text(version):
    return ".".join(str(part) for part in version)


# --- what is there ---------------------------------------------------------------------------------------


def base_python():
    """The interpreter itself, also where this runs inside some virtual environment."""
    return getattr(sys, "_base_executable", None) or sys.executable


def check_python():
    if OLDEST <= sys.version_info[:2] <= NEWEST:
        return
    wanted = "Python {} to {} is needed".format(version_text(OLDEST), version_text(NEWEST))
    others = []
    for minor in range(OLDEST[1], NEWEST[1] + 1):
        name = "python3.{}".format(minor)
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        if shutil.which(name) and subprocess.call([name, "-c", ""], **quiet) == 0:
            others.append(name)
    advice = "use another, for example `make PYTHON={}`".format(others[-1]) if others else (
        "install one and name it, for example `make PYTHON=python3.12`")
    raise Failure("{}, but {} is Python {}: {}".format(
        wanted, sys.executable, version_text(sys.version_info[:3]), advice))


def sourced_rclpy():
    """Where the rclpy of a sourced ROS 2 lies, or ''."""
    if not (os.environ.get("ROS_DISTRO") or os.environ.get("AMENT_PREFIX_PATH")):
        return ""
    spec = importlib.util.find_spec("rclpy")
    place = (spec and spec.origin) or ""
    in_active_venv = sys.prefix != sys.base_prefix and place.startswith(sys.prefix + os.sep)
    return "" if in_active_venv else place


def find_compiler():
    """The first C compiler that makes a shared library; setuptools is told of it through CC."""
    named = os.environ.get("CC")
    for compiler in [named] if named else ["cc", "gcc", "clang"]:
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "one.c")
            with open(source, "w") as file:
                file.write("#include <math.h>\ndouble one(double x) { return cos(x); }\n")
            command = shlex.split(compiler) + ["-shared", "-fPIC", "-o", source + ".so", source, "-lm"]
            try:
                if subprocess.run(command, capture_output=True).returncode == 0:
                    return compiler
            except OSError:
                pass
    raise Failure(
        "the C compiler named by CC ({}) does not work: correct CC, or unset it".format(named) if named else
        "no working C compiler was found: install one (Debian and Ubuntu: `apt install build-essential`),"
        " or name one with CC")


def check_venv_module():
    if not (importlib.util.find_spec("venv") and importlib.util.find_spec("ensurepip")):
        raise Failure(
            "Python {0} at {1} cannot make virtual environments: install its venv module"
            " (Debian and Ubuntu: `apt install python{0}-venv`)".format(
                version_text(sys.version_info[:2]), base_python()))


def check_sourced_ros():
    if subprocess.run([base_python(), "-c", "import rclpy"], capture_output=True).returncode != 0:
        raise Failure(
            "a ROS 2 environment ({}) is sourced, but Python {} at {} cannot import its rclpy: use the Python"
            " that this ROS 2 was built for, for example `make PYTHON=/usr/bin/python3`, or a shell in which"
            " no ROS 2 is sourced".format(
                os.environ.get("ROS_DISTRO", "unnamed"), version_text(sys.version_info[:3]), base_python()))


# --- what was done ---------------------------------------------------------------------------------------


def digest(names):
    total = hashlib.sha256()
    for name in sorted(names):
        with open(name, "rb") as file:
            total.update(os.path.relpath(name, ROOT).encode() + b"\0" + file.read() + b"\0")
    return total.hexdigest()


def wanted_state():
    """What .venv depends on, in the order of what a change costs."""
    packaging = [os.path.join(ROOT, *name) for name in (
        ("setup.py",), ("setup.cfg",), ("pyproject.toml",), ("tools", "setup.py"))]
    return {
        "environment": [ROOT, sys.base_prefix, version_text(sys.version_info[:3]), sourced_rclpy()],
        "package": digest(name for name in packaging if os.path.exists(name)),
        "kernels": digest(glob.glob(os.path.join(KERNELS, "*.[ch]"))),
    }


def present_state():
    """What the last completed set-up made; empty where there is none or part of it is gone."""
    try:
        with open(STAMP) as file:
            state = json.load(file)
    except (OSError, ValueError):
        return {}
    if not (isinstance(state, dict) and os.path.exists(VENV_PYTHON)):
        return {}
    if not os.path.exists(LIBRARY):
        state["kernels"] = None
    return state


def forget():
    if os.path.exists(STAMP):
        os.remove(STAMP)


def remember(state):
    with open(STAMP + ".new", "w") as file:
        json.dump(state, file, indent=1)
    os.replace(STAMP + ".new", STAMP)


# --- what to do ------------------------------------------------------------------------------------------


def run(stage, command, **variables):
    """Run a command quietly; say what its failure means in one sentence."""
    environment = dict(os.environ, **variables)
    # Set by the ROS wheels in a running Python and its children: it belongs to that Python only.
    environment.pop("_ROS_WHEELS_BOOTSTRAP_COMPLETE", None)
    start = time.monotonic()
    print("set-up: {} ... ".format(stage), end="", flush=True)
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, universal_newlines=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except BaseException:
        print(flush=True)
        raise
    print("failed" if done.returncode else "{:.1f} s".format(time.monotonic() - start), flush=True)
    if done.returncode == 0:
        return done.stdout
    try:
        with open(LOG, "w") as file:
            file.write("$ {}\n{}".format(" ".join(command), done.stdout))
        where = "; all of its output is in " + LOG
    except OSError:
        where = ""
    raise Failure("{} failed: {}{}".format(stage, meaning_of(done.stdout), where))


def meaning_of(output):
    if shutil.disk_usage(ROOT).free < 50e6:
        output = "No space left on device\n" + output  # not every program says so
    for pattern, meaning in MEANINGS:
        found = re.search(pattern, output)
        if found:
            return meaning.format(*found.groups(), root=ROOT, python=version_text(sys.version_info[:2]))
    lines = [line.strip() for line in output.splitlines() if line.strip()] or ["it said nothing"]
    errors = [line for line in lines if re.match("error: .* ", line, re.IGNORECASE)]
    return (errors or lines[-1:])[0].rstrip(".")


def pip(stage, *arguments, **variables):
    command = [VENV_PYTHON, "-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"]
    return run(stage, command + list(arguments), **variables)


def requirements():
    """What the installed package asks for: (requirement, the extra that it belongs to or '')."""
    code = "import importlib.metadata as m; print(*m.requires('{}'), sep='\\n')".format(PACKAGE)
    for line in run("reading the requirements", [VENV_PYTHON, "-c", code]).splitlines():
        requirement, _, marker = line.partition(";")
        extra = re.search(r"""extra == ['"](.*?)['"]""", marker)
        yield requirement.strip(), extra.group(1) if extra else ""


def unmet_requirements():
    """The package's requirements where ROS 2 is the system's, whose pinocchio pip knows nothing of."""
    for requirement, extra in requirements():
        has_pinocchio = re.match(r"pin\b(?!-)", requirement) and importlib.util.find_spec("pinocchio")
        if (not extra or extra in EXTRAS) and not has_pinocchio:
            yield requirement


def install_extra(extra):
    """What few people need, when they need it: `tools/setup.py docs`, after the set-up itself."""
    pip("installing what {} needs".format(extra), *[name for name, whose in requirements() if whose == extra])


def make_environment(compiler, system_ros):
    check_venv_module()
    if system_ros:
        check_sourced_ros()
    say("Python {} ({}), C compiler {}, ROS 2 from {}".format(
        version_text(sys.version_info[:3]), base_python(), compiler, system_ros or "wheels"))
    options = ["--clear"] + (["--system-site-packages"] if system_ros else [])
    run("making .venv", [base_python(), "-m", "venv"] + options + [VENV])
    pip("installing the build tools", *BUILD_TOOLS)


def compile_kernels(compiler):
    run("compiling the kernels",
        [VENV_PYTHON, "setup.py", "--quiet", "build_ext", "--inplace", "--force"], CC=compiler)


def install_package(compiler, system_ros):
    """The package (editable, so that its source is what runs) and what it depends on."""
    # Without build isolation: the build uses the setuptools of .venv and fetches none of its own.
    editable = ["--no-build-isolation", "--editable"]
    if system_ros:
        pip("installing the package", "--no-deps", *(editable + [ROOT]), CC=compiler)
        pip("installing what it depends on", *unmet_requirements())
    else:
        pip("installing ROS 2 (rclpy and Fast DDS)", "--no-build-isolation", *ROS_WHEELS)
        pip("installing the package and what it depends on",
            *(editable + ["{}[{}]".format(ROOT, ",".join(EXTRAS))]), CC=compiler)
    run("trying ROS 2", [VENV_PYTHON, "-c", "import rclpy; rclpy.init(); rclpy.shutdown()"])


def set_up(wanted):
    """Do what is missing. The stamp is absent while a killed process would leave .venv half made."""
    start = time.monotonic()
    present = present_state()
    if present == wanted:
        return
    compiler = find_compiler()
    system_ros = wanted["environment"][-1]
    if present.get("environment") != wanted["environment"]:
        forget()
        make_environment(compiler, system_ros)
        present = {"environment": wanted["environment"]}
        remember(present)
    compile_kernels(compiler)
    if present.get("package") != wanted["package"]:
        forget()
        install_package(compiler, system_ros)
    remember(wanted)
    say("ready in {:.1f} s".format(time.monotonic() - start))


def alone():
    """Hold the folder until this process ends, so that two set-ups do not mix."""
    import fcntl

    handle = os.open(ROOT, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        say("another set-up is at work here; waiting for it")
        fcntl.flock(handle, fcntl.LOCK_EX)
    except OSError:
        pass  # a file system without locks


def main():
    try:
        check_python()
        wanted = wanted_state()
        if present_state() != wanted:
            alone()
            set_up(wanted)
        for extra in sys.argv[1:]:
            install_extra(extra)
    except Failure as failure:
        sentence, status = str(failure), 1
    except KeyboardInterrupt:
        sentence, status = "interrupted; run it again to finish", 130
    except OSError as error:
        sentence, status = "{} ({}): put that right and run it again".format(
            error.strerror or error, error.filename or ROOT), 1
    else:
        return 0
    sys.stderr.write("set-up: " + sentence + ".\n")
    return status


if __name__ == "__main__":
    sys.exit(main())
