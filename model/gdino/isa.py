# SPDX-License-Identifier: LGPL-2.1-or-later
# SPDX-FileCopyrightText: 2026 The gst-gdino authors
"""What instructions the C++ compiler may use on this machine."""

from __future__ import annotations

import platform
import shutil
import subprocess
from pathlib import Path

# Macros of gcc and clang, and the name of the same feature in /proc/cpuinfo.
X86_MACROS = {
    "__SSE3__": "pni",
    "__SSSE3__": "ssse3",
    "__SSE4_1__": "sse4_1",
    "__SSE4_2__": "sse4_2",
    "__SSE4A__": "sse4a",
    "__POPCNT__": "popcnt",
    "__AES__": "aes",
    "__VAES__": "vaes",
    "__PCLMUL__": "pclmulqdq",
    "__VPCLMULQDQ__": "vpclmulqdq",
    "__GFNI__": "gfni",
    "__SHA__": "sha_ni",
    "__AVX__": "avx",
    "__AVX2__": "avx2",
    "__FMA__": "fma",
    "__FMA4__": "fma4",
    "__XOP__": "xop",
    "__F16C__": "f16c",
    "__BMI__": "bmi1",
    "__BMI2__": "bmi2",
    "__LZCNT__": "abm",
    "__TBM__": "tbm",
    "__ADX__": "adx",
    "__MOVBE__": "movbe",
    "__RDRND__": "rdrand",
    "__RDSEED__": "rdseed",
    "__CLFLUSHOPT__": "clflushopt",
    "__CLWB__": "clwb",
    "__AVX512F__": "avx512f",
    "__AVX512CD__": "avx512cd",
    "__AVX512BW__": "avx512bw",
    "__AVX512DQ__": "avx512dq",
    "__AVX512VL__": "avx512vl",
    "__AVX512IFMA__": "avx512ifma",
    "__AVX512VBMI__": "avx512vbmi",
    "__AVX512VBMI2__": "avx512_vbmi2",
    "__AVX512VNNI__": "avx512_vnni",
    "__AVX512BITALG__": "avx512_bitalg",
    "__AVX512VPOPCNTDQ__": "avx512_vpopcntdq",
    "__AVX512BF16__": "avx512_bf16",
    "__AVX512FP16__": "avx512_fp16",
    "__AVX512VP2INTERSECT__": "avx512_vp2intersect",
    "__AVXVNNI__": "avx_vnni",
    "__AMX_TILE__": "amx_tile",
    "__AMX_BF16__": "amx_bf16",
    "__AMX_INT8__": "amx_int8",
}
ARM_MACROS = {
    "__ARM_NEON": "asimd",
    "__ARM_FEATURE_CRC32": "crc32",
    "__ARM_FEATURE_AES": "aes",
    "__ARM_FEATURE_SHA2": "sha2",
    "__ARM_FEATURE_ATOMICS": "atomics",
    "__ARM_FEATURE_FP16_VECTOR_ARITHMETIC": "asimdhp",
    "__ARM_FEATURE_QRDMX": "asimdrdm",
    "__ARM_FEATURE_DOTPROD": "asimddp",
    "__ARM_FEATURE_COMPLEX": "fcma",
    "__ARM_FEATURE_JCVT": "jscvt",
    "__ARM_FEATURE_RCPC": "lrcpc",
    "__ARM_FEATURE_BF16": "bf16",
    "__ARM_FEATURE_MATMUL_INT8": "i8mm",
    "__ARM_FEATURE_SVE": "sve",
    "__ARM_FEATURE_SVE2": "sve2",
}


class IsaError(RuntimeError):
    """The compiler or the processor cannot be asked."""


def compiler() -> str:
    """Path of the C++ compiler that inductor will call; IsaError where there is none."""
    from torch._inductor import config

    names = config.cpp.cxx if isinstance(config.cpp.cxx, (tuple, list)) else (config.cpp.cxx,)
    wanted = [name for name in names if name]
    for name in wanted:
        path = shutil.which(name)
        if path:
            return path
    raise IsaError(
        f"no C++ compiler: looked for {' and '.join(wanted)} (variable CXX); "
        "install one, on Debian with: apt install g++"
    )


def cpu_flags(text: str | None = None) -> set[str]:
    """Feature names of the first processor in /proc/cpuinfo."""
    if text is None:
        try:
            text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise IsaError(f"/proc/cpuinfo: {error}") from None
    for line in text.splitlines():
        name, _, value = line.partition(":")
        if name.strip() in ("flags", "Features"):
            return set(value.split())
    return set()


def target(cxx: str) -> dict[str, object]:
    """The manifest's `target`: machine name, and features that native code may use."""
    machine = platform.machine()
    if machine in ("x86_64", "amd64"):
        option, table, arch = "-march=native", X86_MACROS, "x86_64"
    elif machine in ("aarch64", "arm64"):
        option, table, arch = "-mcpu=native", ARM_MACROS, "aarch64"
    else:
        return {"arch": machine, "features": []}
    done = subprocess.run(
        [cxx, option, "-dM", "-E", "-x", "c++", "/dev/null"], capture_output=True, text=True
    )
    if done.returncode != 0:
        raise IsaError(f"{cxx} {option} fails: {done.stderr.strip().splitlines()[-1:]}")
    defined = {line.split()[1] for line in done.stdout.splitlines() if line.startswith("#define")}
    flags = cpu_flags()
    used = {feature for macro, feature in table.items() if macro in defined}
    # A name this kernel does not list could never be found again by the reader.
    return {"arch": arch, "features": sorted(used & flags)}
