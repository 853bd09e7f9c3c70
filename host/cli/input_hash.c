/* See input_hash.h. */
#include "input_hash.h"

#include "error.h"

static void *input_hash_thread(void *user)
{
    input_hash *h = user;
    failure_record(&h->failed, file_pieces_read(&h->pieces));
    return NULL;
}

int input_hash_begin(input_hash *h, const char *path, uint64_t share, uint64_t shares)
{
    int err = file_pieces_open(path, share, shares, &h->pieces);
    if (err)
        return err;
    h->started = thread_start(&h->thread, input_hash_thread, h);
    return h->started ? IMP_OK : file_pieces_read(&h->pieces);
}

int input_hash_end(input_hash *h)
{
    if (h->started)
        pthread_join(h->thread, NULL);
    h->started = 0;
    return failure_restore(&h->failed);
}

void input_hash_free(input_hash *h)
{
    atomic_store(&h->pieces.stop, 1);
    if (h->started)
        pthread_join(h->thread, NULL);
    h->started = 0;
    file_pieces_free(&h->pieces);
}
