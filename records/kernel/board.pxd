from .codes cimport *
from .sowing cimport Kernel
