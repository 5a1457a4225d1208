/** UAX #15 §12.1 (Stream-Safe Text Process): no language has more marks on one letter than 30. */
const LONG_RUNS = /(\p{M}{31,})/u

/**
 * A text in Normalization Form C in time that grows with its length: a longer run of marks stays as it is, since putting it into order costs the square of its
 * length.
 */
export function composedText(text: string): string {
  return text
    .split(LONG_RUNS)
    .map((part, index) => (index % 2 === 1 ? part : part.normalize('NFC')))
    .join('')
}

/** ASCII has no marks and is its own normal form. */
const NOT_ASCII = /[\u0080-\uffff]/

/**
 * A text in lower case, compatibility forms resolved (NFKD), without accents and other marks. They go before the decomposition too, so that there is no run of
 * them to put into order.
 */
export function withoutMarks(text: string): string {
  if (!NOT_ASCII.test(text)) return text.toLowerCase()
  return text.replace(/\p{M}/gu, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Characters that {@link beginningOf} measures at a time. */
const PIECE = 100

/**
 * The beginning of a text that has at most `most` characters (UTF-16 units), as it is and {@link withoutMarks}: one character may stand for eighteen. It ends up
 * to {@link PIECE} characters early where the normal form is what is too long. No more than `most` characters are looked at.
 */
export function beginningOf(text: string, most: number): string {
  const beginning = text.slice(0, most)
  let room = most
  for (let at = 0; at < beginning.length; at += PIECE) {
    room -= withoutMarks(beginning.slice(at, at + PIECE)).length
    if (room < 0) return beginning.slice(0, at)
  }
  return beginning
}

/** Tests whether a text contains `part`, whatever the case of either. `part` is put into lower case once: a caller may send a long one. */
export function containing(part: string): (text: string) => boolean {
  const wanted = part.toLowerCase()
  return (text) => text.toLowerCase().includes(wanted)
}

/** Tests whether a part is in `text`, whatever the case of either. `text` is put into lower case once: it is searched for many parts. */
export function containedIn(text: string): (part: string) => boolean {
  const searched = text.toLowerCase()
  return (part) => searched.includes(part.toLowerCase())
}
