"""Seeded batches of token ids, their meaning in plain Python, and arrays of every shape in memory.

`Batch` is what a training script has: padded rows of ids, perhaps masks, and the options that say
which ids count. `Batch.segments` is what is to be scored, by the rules as they are written down:
cut at the first stop id, then drop what is masked out, ignored or skipped; a reference of nothing
but ignored or masked-out ids is none, unless it has a stop id or there is no other.
"""

import numpy as np

NARROW = ["i1", "u1"]
DTYPES = [*NARROW, "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<i8", ">i8", "<u8",
    ">u8"]  # fmt: skip
MASK_DTYPES = ["?", "i1", "u1", "<i2", ">i4", "<i8", ">u8"]


def meant(ids, mask, options):
    """The tokens of one row of ids, and whether it says that there is no reference."""
    mask = mask or [1] * len(ids)
    stops = [i for i, number in enumerate(ids) if mask[i] and number == options.get("stop_ids")]
    whole, ids = ids, ids[: stops[0]] if stops else ids
    ignored = options.get("ignore_ids", ())
    padding = all(
        number in ignored or not counts for number, counts in zip(whole, mask, strict=True)
    )
    counting = [
        number
        for number, counts in zip(ids, mask, strict=False)
        if counts and number not in ignored
    ]
    skipped = options.get("skip_ids", ())
    tokens = [number for number in counting if number not in skipped]
    return tokens, bool(whole) and padding


class Batch:
    """Rows of ids and what they mean.

    hypotheses: list of B rows; references: list of B lists of R rows; masks: rows of the same
    shapes, or None. Rows of one side are equally long, so that they fit into an array.
    """

    def __init__(self, hypotheses, references, hypothesis_mask, reference_mask, options):
        self.hypotheses, self.references = hypotheses, references
        self.hypothesis_mask, self.reference_mask = hypothesis_mask, reference_mask
        self.options = options

    def segments(self):
        """Lists of tokens: the hypotheses, and the references of each."""
        no_mask = [None] * len(self.hypotheses)
        hypotheses = [
            meant(ids, mask, self.options)[0]
            for ids, mask in zip(self.hypotheses, self.hypothesis_mask or no_mask, strict=True)
        ]
        references = []
        for its, masks in zip(self.references, self.reference_mask or no_mask, strict=True):
            rows = [
                meant(ids, mask, self.options)
                for ids, mask in zip(its, masks or [None] * len(its), strict=True)
            ]
            references.append([tokens for tokens, missing in rows if not missing] or [[]])
        return hypotheses, references


def random_options(rng, alphabet):
    """Ignored, skipped and stop ids: none or several, of the alphabet and not, and overlapping."""
    options, kinds = {}, rng.choice((0, 0, 0, 1, 2, 3, 4, 4, 5, 5, 6, 7, 13, 13, 15))
    if kinds & 1:
        options["ignore_ids"] = tuple(
            rng.sample([*alphabet, -100, -(2**63)], rng.choice((1, 1, 2)))
        )
    if kinds & 2:
        options["skip_ids"] = tuple(rng.sample([*alphabet, 2**63 - 1], rng.choice((1, 1, 2))))
    if kinds & 4:
        options["stop_ids"] = rng.choice([*alphabet, 5])
        if kinds & 8 and kinds & 1:  # padding and the end of a text are one id, as in GPT-2
            options["ignore_ids"] = (*options["ignore_ids"], options["stop_ids"])
    return options


def alphabet_of(rng, dtype):
    """Few ids that repeat; now and then those at the ends of the type, or far apart."""
    info = np.iinfo(dtype)
    most = min(int(info.max), 2**63 - 1)
    if (choice := rng.random()) < 0.15:
        return [int(info.min), most, most - 1, int(info.min) + 1, 1, 0]
    if choice < 0.3:
        return [rng.randint(int(info.min), most) for _ in range(rng.choice((2, 5)))]
    small = [1, 2, 3, 0, 4] if info.min == 0 else [1, -1, -100, 0, 3]
    return small[: rng.choice((2, 3, 5))]


def random_batch(rng, dtypes, masked=0.2):
    """A small batch whose hypotheses fit `dtypes[0]` and whose references fit `dtypes[1]`."""
    narrow = min(dtypes, key=lambda dtype: np.iinfo(dtype).max - (np.iinfo(dtype).min == 0))
    alphabet = alphabet_of(rng, narrow)
    if min(alphabet) < 0 and any(np.iinfo(dtype).min == 0 for dtype in dtypes):
        alphabet = [number for number in alphabet if number >= 0] or [0, 1]
    options = random_options(rng, alphabet)
    size, width, refs, other = (rng.choice(sizes) for sizes in SIZES)
    rows = rng.choices(alphabet, k=size * width)
    hypotheses = [rows[i * width : (i + 1) * width] for i in range(size)]
    if size and rng.random() < 0.05:
        hypotheses = hypotheses[:1] * size
    references = []
    for hypothesis in hypotheses:
        its = []
        for _ in range(refs):
            row = rng.choices(alphabet, k=other)
            if (choice := rng.random()) < 0.5:
                start = rng.randrange(3)
                row = (hypothesis[start:] + row)[:other]
            elif choice < 0.65:  # padding only
                row = [options.get("ignore_ids", alphabet)[0]] * other
                if row and not (np.iinfo(dtypes[1]).min <= row[0] <= np.iinfo(dtypes[1]).max):
                    row = [alphabet[-1]] * other
            its.append(row)
        references.append(its)
    masks = [None, None]
    if rng.random() < masked:
        masks[0] = [rng.choices((0, 1), (1, 3), k=width) for _ in range(size)]
    if rng.random() < masked:
        masks[1] = [[rng.choices((0, 1), (1, 3), k=other) for _ in its] for its in references]
    return Batch(hypotheses, references, *masks, options)


SIZES = ((1, 2, 2, 3, 4, 0), (4, 5, 6, 8, 9, 0, 1), (1, 1, 2, 3), (4, 6, 7, 8, 0))


# --- the same numbers in other places


def reversed_axes(array):
    turned = (slice(None, None, -1),) * array.ndim
    return np.ascontiguousarray(array[turned])[turned]


def every_third(array):
    """A view into an array three times as large in each direction."""
    room = np.full([3 * size + 2 for size in array.shape], 1, array.dtype)
    view = room[tuple(slice(1, 3 * size + 1, 3) for size in array.shape)]
    view[...] = array
    return view


def padded_rows(array):
    """Columns of a wider array, as `batch[:, 1:-1]` gives them."""
    room = np.full((*array.shape[:-1], array.shape[-1] + 3), 1, array.dtype)
    room[..., 2:-1] = array
    return room[..., 2:-1]


def unaligned(array):
    room = np.zeros(array.nbytes + 1, "u1")
    view = room[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    return view


def field_of_records(array):
    """A column of a structured array: strides that are no multiple of the item."""
    room = np.zeros(array.shape, [("mark", "u1"), ("id", array.dtype), ("more", "<u2")])
    room["id"] = array
    return room["id"]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def broadcast(array):
    """Strides of 0 where rows or columns are equal, as `expand` and `broadcast_to` make them."""
    for axis in range(array.ndim):
        first = array.take([0], axis) if array.shape[axis] else array
        if array.shape[axis] and (array == first).all():
            array = np.broadcast_to(first, array.shape)
    return array


LAYOUTS = [np.asarray, np.asarray, np.asfortranarray, reversed_axes, every_third, padded_rows,
    unaligned, field_of_records, read_only, broadcast]  # fmt: skip


def array_of(rng, rows, dtype, shape):
    """Rows as an array of a random layout."""
    return rng.choice(LAYOUTS)(np.array(rows, dtype).reshape(shape))


def mask_of(rng, rows, shape):
    """A mask; what is not 0 counts, be it 256, whose lowest byte is 0."""
    dtype = rng.choice(MASK_DTYPES)
    bits = np.array(rows, bool).reshape(shape)
    if dtype in ("<i2", ">i4", "<i8"):
        bits = bits * np.array(rng.choice((1, 256, 2)), dtype)
    return rng.choice(LAYOUTS)(bits.astype(dtype))


# --- a batch as an argument


def as_arrays(rng, batch, dtypes):
    """2-D and 3-D arrays; 2-D references and 1-D hypotheses where the batch allows it."""
    size, refs = len(batch.hypotheses), len(batch.references[0]) if batch.references else 1
    width = len(batch.hypotheses[0]) if size else 5
    other = len(batch.references[0][0]) if size else 3
    shapes = [(size, width), (size, refs, other)]
    if size == 1 and rng.random() < 0.5:
        shapes = [(width,), (refs, other)]
    if refs == 1 and rng.random() < 0.5:
        shapes[1] = (*shapes[1][:-2], other)
    arrays = [
        array_of(rng, rows, dtype, shape)
        for rows, dtype, shape in zip(
            (batch.hypotheses, batch.references), dtypes, shapes, strict=True
        )
    ]
    masks = {}
    if batch.hypothesis_mask is not None:
        masks["hypothesis_mask"] = mask_of(rng, batch.hypothesis_mask, shapes[0])
    if batch.reference_mask is not None:
        masks["reference_mask"] = mask_of(rng, batch.reference_mask, shapes[1])
    return arrays, masks


def cut_short(rng, rows, masks):
    """Rows of their own lengths, some empty; their masks are cut alike."""
    lengths = [rng.choice((len(row), len(row), len(row) - 1, 1, 0)) for row in rows]
    cut = [row[:length] for row, length in zip(rows, lengths, strict=True)]
    return cut, masks and [mask[:length] for mask, length in zip(masks, lengths, strict=True)]


def as_ragged(rng, batch, dtypes, form):
    """The batch with rows cut at random, as lists of arrays of several types or lists of ints."""
    batch.hypotheses, batch.hypothesis_mask = cut_short(
        rng, batch.hypotheses, batch.hypothesis_mask
    )
    cut = [
        cut_short(rng, its, batch.reference_mask and batch.reference_mask[i])
        for i, its in enumerate(batch.references)
    ]
    batch.references = [its for its, _ in cut]
    batch.reference_mask = batch.reference_mask and [its for _, its in cut]
    has_masks = batch.hypothesis_mask is not None or batch.reference_mask is not None

    def sequence(row, side):
        if form == "lists" and (batch.options or has_masks):
            return row
        dtype = dtypes[side] if rng.random() < 0.7 else "<i8"
        return array_of(rng, row, dtype, (len(row),))

    def mask(row):
        return row if form == "lists" and rng.random() < 0.5 else mask_of(rng, row, (len(row),))

    hypotheses = [sequence(row, 0) for row in batch.hypotheses]
    references, reference_mask = [], []
    for i, its in enumerate(batch.references):
        its_mask = batch.reference_mask and batch.reference_mask[i]
        if len(its) == 1 and its[0] and rng.random() < 0.3:
            references.append(sequence(its[0], 1))
            reference_mask.append(its_mask and mask(its_mask[0]))
        elif len(set(map(len, its))) == 1 and rng.random() < 0.3:
            shape = len(its), len(its[0])
            references.append(array_of(rng, its, dtypes[1], shape))
            reference_mask.append(its_mask and mask_of(rng, its_mask, shape))
        else:
            references.append([sequence(row, 1) for row in its])
            reference_mask.append(its_mask and list(map(mask, its_mask)))
    masks = {}
    if batch.hypothesis_mask is not None:
        masks["hypothesis_mask"] = list(map(mask, batch.hypothesis_mask))
    if batch.reference_mask is not None:
        masks["reference_mask"] = reference_mask
    return (hypotheses, references), masks


FORMS = ["array", "array", "array", "array", "ragged", "lists"]


def random_arguments(rng):
    """A batch, the two sides of it as they are passed, and the masks."""
    dtypes, form = (rng.choice(DTYPES), rng.choice(DTYPES)), rng.choice(FORMS)
    batch = random_batch(rng, dtypes)
    if form == "array":
        return batch, *as_arrays(rng, batch, dtypes)
    return batch, *as_ragged(rng, batch, dtypes, form)
