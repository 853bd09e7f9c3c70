/* The provenance of a result, in /impinge, and whether it is that of the current run. */
#ifndef IMP_STORE_ORIGIN_H
#define IMP_STORE_ORIGIN_H

#include "h5.h"
#include "store.h"

/* Writes all of it into the open group, of a file called `path` in messages; or only the texts that
 * may change when a run is resumed. */
int provenance_write(mem *m, hid_t group, const char *path, const result_provenance *o);
int provenance_write_texts(hid_t group, const char *path, const result_provenance *o);

/* That of the input alone. */
int provenance_write_input(hid_t group, const char *path, uint64_t bytes, uint64_t hash);

/* Do these options, in their normal form, ask for steps between frames? Are they of a scene? */
int provenance_is_continuous(const char *options);
int provenance_has_times(const char *options); /* of contacts with their times between frames? */
int provenance_is_simulated(const char *options);

/* Are they of a shard, and of which? */
int provenance_shard(const char *options, uint64_t *shard, uint64_t *shards);

/* Are its frames units, each a slab of a step? How many slabs a step has (0: it has none), and the
 * units of the result: so many from the first on. */
int provenance_partition(const char *options, uint64_t *slabs, uint64_t *first, uint64_t *count);

/* Do two normal forms differ in nothing but slabs: what one has as units, the other has as frames?
 */
int provenance_same_but_units(const char *options, const char *others);

/* Was this result, complete or not, made from the same input with the same options, and is every
 * frame in it undamaged? The text of IMP_ERR_INPUT names the difference. */
int provenance_check(mem *m, const char *path, const result_provenance *o, int *complete);

#endif
