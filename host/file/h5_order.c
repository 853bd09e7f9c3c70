/* An HDF5 file driver under which a growing file is sound at every moment, even if its process is
 * killed between two writes. Files opened for reading use it as well: it opens only regular files,
 * and HDF5 uses it for the targets of external links, where a FIFO would make HDF5's own driver
 * wait.
 *
 * HDF5 writes changes in order of address. So a pointer to a new part of the file is written before
 * the part itself, and a process that is killed between the two leaves a damaged file, including
 * rows that were safe before. This driver writes everything beyond the end of the space allocated
 * at the last flush at once, since nothing in the file points to it yet. Changes of metadata before
 * that end are held in memory until HDF5 flushes; then they are written in order of address: first
 * the superblock, which stores the length of the file, and trees from the root. Raw data before
 * that end is not held: when HDF5 adds rows to a chunk it rewrites the others unchanged.
 *
 * After the first failure nothing more is written: the file stays as it was after its last flush.
 * HDF5 gets the error when it flushes, and h5_close when it closes, but not at once: a write that
 * fails while HDF5 closes a file makes it crash later (1.10). */
#define _GNU_SOURCE
#include "h5.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

#define PAGE ((haddr_t)4096)
#define NODE 2048 /* nodes of the trees that index chunks are a little larger */
#define SENT_AT_ONCE ((haddr_t)1 << 21)

/* Held metadata, with the bytes around it in the file. */
typedef struct page {
    haddr_t at;
    unsigned char data[PAGE];
} page;

typedef struct ordered {
    H5FD_t base; /* first member: HDF5 knows only this */
    int fd;
    haddr_t eoa, eof; /* end of the allocated space; end of the file */
    haddr_t settled;  /* end of the space allocated at the last flush */
    haddr_t sent;     /* the system has begun to write the bytes before it to disk */
    page **held;      /* sorted by address */
    size_t pages, capacity;
    int failed; /* errno of the first failure */
    dev_t device;
    ino_t inode;
} ordered;

static _Thread_local int closed_with; /* `failed` of the file closed last */

static void h5_order_fail(ordered *o)
{
    o->failed = errno ? errno : EIO;
}

/* ---- the file itself */

/* Writes all bytes. A signal or a full disk may cut a write short; only the next call shows
 * which. */
static int h5_order_write_all(int fd, const unsigned char *data, size_t bytes, haddr_t at)
{
    while (bytes) {
        ssize_t n = pwrite(fd, data, bytes, (off_t)at);
        if (n < 0 && errno != EINTR)
            return -1;
        n = n < 0 ? 0 : n;
        data += n;
        bytes -= (size_t)n;
        at += (haddr_t)n;
    }
    return 0;
}

/* Reads all bytes; zeros beyond the end. */
static int h5_order_read_all(int fd, unsigned char *data, size_t bytes, haddr_t at)
{
    while (bytes) {
        ssize_t n = pread(fd, data, bytes, (off_t)at);
        if (n < 0 && errno != EINTR)
            return -1;
        if (n == 0) {
            memset(data, 0, bytes);
            return 0;
        }
        n = n < 0 ? 0 : n;
        data += n;
        bytes -= (size_t)n;
        at += (haddr_t)n;
    }
    return 0;
}

/* ---- pages */

/* Returns the position of the first held page that ends after `at`. */
static size_t page_after(const ordered *o, haddr_t at)
{
    size_t low = 0, high = o->pages;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (o->held[middle]->at + PAGE <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the held page that contains `at`, created if necessary; NULL on failure. */
static page *page_at(ordered *o, haddr_t at)
{
    size_t i = page_after(o, at);
    if (i < o->pages && o->held[i]->at <= at)
        return o->held[i];
    if (o->pages == o->capacity) {
        size_t capacity = 2 * o->capacity + 64;
        page **more = realloc(o->held, capacity * sizeof(page *));
        if (!more)
            return NULL;
        o->held = more;
        o->capacity = capacity;
    }
    page *p = malloc(sizeof *p);
    if (!p)
        return NULL;
    p->at = at / PAGE * PAGE;
    if (h5_order_read_all(o->fd, p->data, PAGE, p->at)) {
        free(p);
        return NULL;
    }
    memmove(o->held + i + 1, o->held + i, (o->pages - i) * sizeof(page *));
    o->held[i] = p;
    o->pages++;
    return p;
}

/* Copies the overlap of held pages with [at, at + bytes): from `data` to them, or to `data` from
 * them. */
static void pages_copy(ordered *o, haddr_t at, size_t bytes, unsigned char *data, int to_pages)
{
    for (size_t i = page_after(o, at); i < o->pages && o->held[i]->at < at + bytes; i++) {
        page *p = o->held[i];
        const haddr_t begin = p->at > at ? p->at : at, last = p->at + PAGE;
        const haddr_t end = at + bytes < last ? at + bytes : last;
        unsigned char *in_page = p->data + (begin - p->at), *in_range = data + (begin - at);
        memcpy(to_pages ? in_page : in_range, to_pages ? in_range : in_page, (size_t)(end - begin));
    }
}

/* Holds the bytes page by page, since each page also contains the bytes around them. */
static int h5_order_hold_page(ordered *o, unsigned char *data, size_t bytes, haddr_t at)
{
    for (haddr_t next = at; next < at + bytes; next = next / PAGE * PAGE + PAGE)
        if (!page_at(o, next))
            return -1;
    pages_copy(o, at, bytes, data, 1);
    return 0;
}

/* The array is kept for the next step. */
static void drop_pages(ordered *o)
{
    for (size_t i = 0; i < o->pages; i++)
        free(o->held[i]);
    o->pages = 0;
}

/* Writes the held pages. */
static herr_t h5_order_flush(ordered *o)
{
    for (size_t i = 0; i < o->pages && !o->failed; i++) {
        const page *p = o->held[i];
        /* the last page may extend beyond the end, which must not make the file longer */
        haddr_t bytes = p->at + PAGE > o->eof ? o->eof - p->at : PAGE;
        if (h5_order_write_all(o->fd, p->data, (size_t)bytes, p->at))
            h5_order_fail(o);
    }
    drop_pages(o);
    if (o->failed) {
        errno = o->failed;
        return -1;
    }
    /* space that was allocated but never written is not in the file and needs no protection */
    o->settled = o->eoa < o->eof ? o->eoa : o->eof;
    return 0;
}

/* ---- callbacks of HDF5 */

static ordered *of(H5FD_t *file)
{
    return (ordered *)file;
}

static H5FD_t *order_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    struct stat s;
    int how = O_CLOEXEC | O_NONBLOCK | (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY);
    how |= (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) | (flags & H5F_ACC_CREAT ? O_CREAT : 0) |
           (flags & H5F_ACC_EXCL ? O_EXCL : 0);
    (void)access;
    (void)most;
    /* before opening, since some devices act when they are opened; and after it, since the name may
     * lead to another file by then */
    if (!stat(name, &s) && !S_ISREG(s.st_mode))
        return NULL;
    int fd = open(name, how, 0666);
    if (fd < 0)
        return NULL;
    ordered *o = fstat(fd, &s) || !S_ISREG(s.st_mode) ? NULL : calloc(1, sizeof *o);
    if (!o) {
        close(fd);
        return NULL;
    }
    o->fd = fd;
    o->eof = o->settled = o->sent = (haddr_t)s.st_size;
    o->device = s.st_dev;
    o->inode = s.st_ino;
    return &o->base;
}

/* HDF5 accepts no error at this point: closed_with keeps it for h5_close. */
static herr_t order_close(H5FD_t *file)
{
    ordered *o = of(file);
    h5_order_flush(o);
    if (close(o->fd) && !o->failed)
        h5_order_fail(o);
    closed_with = o->failed;
    free(o->held);
    free(o);
    return 0;
}

/* HDF5 calls this to find whether a file is already open, under any name. */
static int order_cmp(const H5FD_t *a, const H5FD_t *b)
{
    const ordered *x = (const ordered *)a, *y = (const ordered *)b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    return (x->inode > y->inode) - (x->inode < y->inode);
}

static herr_t order_query(const H5FD_t *file, unsigned long *flags)
{
    (void)file;
    /* no aggregation: it would place new objects before the end of `settled` */
    *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
    return 0;
}

static haddr_t order_get_eoa(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const ordered *)file)->eoa;
}

static herr_t order_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t eoa)
{
    (void)type;
    of(file)->eoa = eoa;
    return 0;
}

static haddr_t order_get_eof(const H5FD_t *file, H5FD_mem_t type)
{
    (void)type;
    return ((const ordered *)file)->eof;
}

/* Held pages are newer than the contents of the file. */
static herr_t order_read(H5FD_t *file, H5FD_mem_t type, hid_t plist, haddr_t at, size_t bytes,
                         void *data)
{
    ordered *o = of(file);
    (void)type;
    (void)plist;
    if (h5_order_read_all(o->fd, data, bytes, at))
        return -1;
    pages_copy(o, at, bytes, data, 0);
    return 0;
}

/* Starts writing a new part of the file to disk while the rest is computed, so that h5_publish has
 * less to wait for. If the system cannot do this, h5_publish waits for all of it. */
static void send_ahead(ordered *o)
{
    if (o->eof < o->sent + SENT_AT_ONCE)
        return;
    sync_file_range(o->fd, (off_t)o->sent, (off_t)(o->eof - o->sent), SYNC_FILE_RANGE_WRITE);
    o->sent = o->eof;
}

/* Writes to the file and to its held pages. */
static int write_through(ordered *o, unsigned char *data, size_t bytes, haddr_t at)
{
    if (h5_order_write_all(o->fd, data, bytes, at))
        return -1;
    pages_copy(o, at, bytes, data, 1);
    o->eof = at + bytes > o->eof ? at + bytes : o->eof;
    send_ahead(o);
    return 0;
}

/* Metadata below `settled` is held; the rest is written to the file. */
static herr_t order_write(H5FD_t *file, H5FD_mem_t type, hid_t plist, haddr_t at, size_t bytes,
                          const void *data)
{
    ordered *o = of(file);
    unsigned char *from;
    size_t kept = 0;
    (void)plist;
    memcpy(&from, &data, sizeof from); /* HDF5's data is only read */
    if (type != H5FD_MEM_DRAW && at < o->settled)
        kept = bytes < o->settled - at ? bytes : (size_t)(o->settled - at);
    if (!o->failed && ((kept && h5_order_hold_page(o, from, kept, at)) ||
                       (kept < bytes && write_through(o, from + kept, bytes - kept, at + kept))))
        h5_order_fail(o);
    return 0;
}

static herr_t order_flush(H5FD_t *file, hid_t plist, hbool_t closing)
{
    (void)plist;
    herr_t bad = h5_order_flush(of(file));
    /* see above: closing a file must not fail */
    return closing ? 0 : bad;
}

/* Sets the length of the file to that of the allocated space: a longer file at once, since the
 * superblock will say so; a shorter one after the superblock says so. */
static herr_t order_truncate(H5FD_t *file, hid_t plist, hbool_t closing)
{
    ordered *o = of(file);
    (void)plist;
    if (o->failed || o->eoa == o->eof || (o->eoa < o->eof && (!closing || h5_order_flush(o))))
        return 0;
    if (ftruncate(o->fd, (off_t)o->eoa)) {
        h5_order_fail(o);
        return 0;
    }
    o->eof = o->eoa;
    o->settled = o->settled < o->eof ? o->settled : o->eof;
    return 0;
}

/* Prevents two runs from writing one file. */
static herr_t order_lock(H5FD_t *file, hbool_t write)
{
    int bad = flock(of(file)->fd, (write ? LOCK_EX : LOCK_SH) | LOCK_NB);
    return bad && errno == EWOULDBLOCK ? -1 : 0; /* file systems without locks are accepted */
}

static herr_t order_unlock(H5FD_t *file)
{
    flock(of(file)->fd, LOCK_UN);
    return 0;
}

/* Readers use a driver with another name: HDF5 would treat a file that is already open with the
 * same driver as the same file, and refuse it for its different settings. */
#define ORDER_CLASS(what, number)                                                                  \
    {                                                                                              \
        ORDER_VERSION(number).name = "impinge_" what, .maxaddr = (haddr_t)INT64_MAX,               \
        .fc_degree = H5F_CLOSE_WEAK, .open = order_open, .close = order_close, .cmp = order_cmp,   \
        .query = order_query, .get_eoa = order_get_eoa, .set_eoa = order_set_eoa,                  \
        .get_eof = order_get_eof, .read = order_read, .write = order_write, .flush = order_flush,  \
        .truncate = order_truncate, .lock = order_lock, .unlock = order_unlock,                    \
        .fl_map = H5FD_FLMAP_DICHOTOMY,                                                            \
    }
#if H5_VERSION_GE(1, 13, 0)
#define ORDER_VERSION(number) .version = H5FD_CLASS_VERSION, .value = number,
#else
#define ORDER_VERSION(number)
#endif

static const H5FD_class_t order_classes[2] = {ORDER_CLASS("read", 501), ORDER_CLASS("order", 500)};

int h5_order(hid_t access, int write)
{
    static hid_t drivers[2] = {-1, -1};
    hid_t *driver = &drivers[write != 0];
    if (H5Iget_type(*driver) != H5I_VFL)
        *driver = H5FDregister(&order_classes[write != 0]);
    /* A write can be torn between two pages, so no tree node may span two of them. */
    if (*driver < 0 || H5Pset_driver(access, *driver, NULL) < 0)
        return -1;
    return H5Pset_alignment(access, NODE, PAGE) < 0 ? -1 : 0;
}

int h5_close(hid_t file)
{
    closed_with = 0;
    errno = 0;
    herr_t bad = H5Fclose(file);
    errno = closed_with ? closed_with : errno;
    return bad < 0 || closed_with ? -1 : 0;
}

int h5_in_use(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO would block */
    if (fd < 0)
        return 0;
    int busy = !fstat(fd, &s) && S_ISREG(s.st_mode) && flock(fd, LOCK_EX | LOCK_NB) &&
               errno == EWOULDBLOCK;
    close(fd);
    return busy;
}
