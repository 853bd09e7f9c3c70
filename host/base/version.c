/* Versions of this library and of what it is built on. */
#include "impinge.h"

const char *imp_version(void)
{
    return IMP_VERSION;
}

const char *imp_opencl_version(void)
{
#ifdef IMP_OPENCL
    return "1.2";
#else
    return "";
#endif
}
