/* Resolves the listed functions one by one and refuses a library that lacks one. */
#include "central/engine/postgres/postgres_library.h"

#include <dlfcn.h>
#include <stddef.h>

#include "core/base/failure.h"

enum sotto_status sotto_libpq_load(struct sotto_libpq *l, struct sotto_error *err)
{
	void *handle = dlopen("libpq.so.5", RTLD_LAZY | RTLD_LOCAL);

	if (!handle)
		return sotto_fail(err, SOTTO_EMISSING,
				  "libpq.so.5 could not be loaded; install PostgreSQL's "
				  "client library (libpq5)");
	*l = (struct sotto_libpq){.handle = handle};
#define FIND(name)                                                                             \
	l->name = (__typeof__(l->name))dlsym(handle, #name);                                   \
	if (!l->name)                                                                          \
		return sotto_fail(err, SOTTO_EMISSING, "libpq.so.5 has no %s", #name);
	SOTTO_LIBPQ_LIST(FIND)
#undef FIND
	return SOTTO_OK;
}
