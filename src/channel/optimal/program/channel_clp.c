/*
 * Resolves the listed functions with dlsym, and says what to install if there is no library; in
 * a build with LP=0 it always fails.
 */
#include "channel/optimal/program/channel_clp.h"

#include "core/base/failure.h"

#if SOTTO_LP

#include <dlfcn.h>

enum sotto_status sotto_clp_load(struct sotto_clp *clp, struct sotto_error *err)
{
	void *handle = dlopen("libClp.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!handle)
		return sotto_fail(
			err, SOTTO_EMISSING,
			"a linear program has to be solved here, and libClp.so.1 could not "
			"be loaded; install COIN-OR Clp (coinor-libclp1)");
	*clp = (struct sotto_clp){.handle = handle};
#define FIND(result, name, parameters)                                                         \
	clp->name = (result(*) parameters)dlsym(handle, #name);                                \
	if (!clp->name)                                                                        \
		return sotto_fail(err, SOTTO_EMISSING, "libClp.so.1 has no %s", #name);
	SOTTO_CLP_LIST(FIND)
#undef FIND
	return SOTTO_OK;
}

#else

enum sotto_status sotto_clp_load(struct sotto_clp *clp, struct sotto_error *err)
{
	(void)clp;
	return sotto_fail(err, SOTTO_EMISSING,
			  "a linear program has to be solved here, and this sotto was built "
			  "without them (make LP=0); build it with make LP=1");
}

#endif
