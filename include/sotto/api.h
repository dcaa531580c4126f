/*
 * sotto/api.h - marks that every public declaration carries, and what holds for all
 *
 * NULL:       a function that returns a status refuses it with SOTTO_EINVAL where a
 *             value is needed; what ends in _release, _free or _close takes it and
 *             does nothing.  Functions without a status need what they take.
 * Structs:    one that is zeroed is a valid empty value: releasing it does nothing,
 *             using it is using nothing (a zero, an empty list) or is refused.
 *             Releasing twice is releasing once.
 * Ownership:  what is passed is borrowed for the time of the call, unless the
 *             function says that it keeps it.  What _new, _open or an output of
 *             type ** hands out belongs to the caller, who ends it with the _free or
 *             _close of its name, or free() for texts.  Pointers inside a struct
 *             live as long as the struct.
 * Outputs:    written only on success.
 */
#ifndef SOTTO_API_H
#define SOTTO_API_H

/*
 * A symbol that the shared library exports; everything else is hidden.  In C++ it keeps
 * its name from C.
 */
#ifdef __cplusplus
#define SOTTO_API extern "C" __attribute__((visibility("default")))
#else
#define SOTTO_API __attribute__((visibility("default")))
#endif

/* Ignoring the result is a compiler warning, and ours are errors. */
#define SOTTO_MUST_CHECK __attribute__((warn_unused_result))

#endif
