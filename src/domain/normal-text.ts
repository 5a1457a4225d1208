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

/**
 * A text in lower case, compatibility forms resolved (NFKD), without accents and other marks. They go before the decomposition too, so that there is no run of
 * them to put into order.
 */
export function withoutMarks(text: string): string {
  return text.replace(/\p{M}/gu, '').normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
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
