/* An entry of the hash: two numbers that are sorted together. The low bits of the key are the
 * bucket, those of the value the primitive. The remaining bits of both, value first, are the
 * entry's *stamp*: the cell's coordinates modulo 4, which differ between all cells that a primitive
 * covers on a level, and, above them, the visited level: 0 if it is entered on its own level, else
 * one more than the level. If the bits do not suffice, prim_bits is 32 and there is no stamp. */
#ifndef IMP_HASH_H
#define IMP_HASH_H

#define ENTRY_BITS 64u
#define ENTRY_CELL_BITS 6u  /* two for each axis: a box covers at most CELL_SPAN cells along it */
#define ENTRY_VISIT_BITS 5u /* for the visited level */
#define ENTRY_NONE 0xffffffffu /* the value of a slot without an entry */
#define HASH_GROUP 4u /* entries that tiles are counted in, so that their numbers fit 32 bits */

#endif
