/*
 * Resolves the listed functions of libmicrohttpd with dlsym, and says what to install if it is
 * missing.
 */
#include "server/http/http_library.h"

#include <dlfcn.h>

#include "core/base/failure.h"

enum sotto_status sotto_mhd_load(struct sotto_mhd *l, struct sotto_error *err)
{
	void *handle = dlopen("libmicrohttpd.so.12", RTLD_LAZY | RTLD_LOCAL);

	if (!handle)
		return sotto_fail(err, SOTTO_EMISSING,
				  "libmicrohttpd.so.12 could not be loaded; install "
				  "libmicrohttpd12");
	*l = (struct sotto_mhd){.handle = handle};
#define FIND(name)                                                                             \
	l->name = (__typeof__(l->name))dlsym(handle, #name);                                   \
	if (!l->name)                                                                          \
		return sotto_fail(err, SOTTO_EMISSING, "libmicrohttpd.so.12 has no %s", #name);
	SOTTO_MHD_LIST(FIND)
#undef FIND
	return SOTTO_OK;
}
