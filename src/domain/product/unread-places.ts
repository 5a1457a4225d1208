import { regionMentions } from './brief-places.ts'
import { placeListsIn, withNamedPlaces } from './named-places.ts'
import { countriesLimitedIn } from './only-places.ts'
import { BUT, LEAVES_OUT, LIMITS, NEGATES, NEGATES_NO_PLACE } from './place-limit-words.ts'
import { wantsLessBefore } from './place-shares.ts'
import { isWantedBefore } from './plain-places.ts'

/** A clause that names places, or alludes to some, in words that no rule understands: it may ask for the places or exclude them. */
export interface UnreadPlaces {
  /** As written. */
  readonly clause: string
  /** ISO 3166-1 alpha-2; empty where it names none. */
  readonly countries: readonly string[]
}

/** What ends a clause. The full stops in "U.S." do not. */
const END = /[,;:!?\n()]|\.(?=\s|$)/

/** Clauses that an answer quotes, and characters of each. */
const MOST_NOTES = 5
const MOST_CHARS = 80

/** How many characters before and after a place are read as being about it. */
const REACH = 100

/** Every word of exclusion is shorter. */
const LONGEST_WORD = 20

/**
 * Finds the clauses of a text in which places stand beside words of exclusion or limitation that no rule understands. Returns these clauses, and the text without their places.
 * Expects a text from which understood exclusions were removed. Runs in time linear in the length of the text.
 */
export function unreadPlacesIn(text: string): { readonly unread: readonly UnreadPlaces[]; readonly rest: string } {
  const unread: UnreadPlaces[] = []
  let rest = ''
  for (const part of withNamedPlaces(text).split(/(?<=[,;:!?\n()]|\.(?=\s|$))/)) {
    const clause = part.replace(END, '')
    const countries = isUnread(clause) ? countriesOf(clause) : undefined
    if (countries) unread.push({ clause: clause.trim(), countries })
    rest += countries ? withoutPlaces(clause) + part.slice(clause.length) : part
  }
  return { unread, rest }
}

/** One sentence of the answer for each clause that was not understood. */
export function unreadPlaceNotes(unread: readonly UnreadPlaces[] = []): string[] {
  return unread.slice(0, MOST_NOTES).map(({ clause, countries }) => {
    const said = clause.length > MOST_CHARS ? `${clause.slice(0, MOST_CHARS)}…` : clause
    const left = countries.length === 0 ? '' : `, so ${countries.join(', ')} is neither looked for nor left out`
    return `What "${said}" wants of places was not understood${left}. Say "in", "only in" or "not in" before each place.`
  })
}

function isUnread(clause: string): boolean {
  const said = clause.replace(NEGATES_NO_PLACE, ' ')
  const places = [...placeListsIn(said), ...regionMentions(said)]
  const limits = LIMITS.test(said) && countriesLimitedIn(said, placeListsIn(said)).length === 0
  // "nothing abroad" names no place, but is about places.
  if (places.length === 0) return limits && NEGATES.test(said)
  return places.some(({ start, end }) => {
    const before = said.slice(Math.max(0, start - REACH), start)
    const after = said.slice(end, end + REACH)
    if (NEGATES.test(before) || BUT.test(before) || wantsLessBefore(before)) return true
    if (!isWantedBefore(before)) return limits || NEGATES.test(after) || LEAVES_OUT.test(after)
    // "in Sweden never" is about the place, "in Sweden without children" is not.
    return NEGATES.test(after) && (limits || NEGATES.test(after.trimEnd().slice(-LONGEST_WORD).split(/\s/).at(-1) ?? ''))
  })
}

function withoutPlaces(clause: string): string {
  let rest = ''
  let read = 0
  for (const { start, end } of [...placeListsIn(clause), ...regionMentions(clause)].toSorted((a, b) => a.start - b.start)) {
    rest += clause.slice(read, Math.max(read, start))
    read = Math.max(read, end)
  }
  return rest + clause.slice(read)
}

function countriesOf(clause: string): readonly string[] {
  const regions = regionMentions(clause).map(({ region }) => region.slice(0, 2))
  return [...new Set([...placeListsIn(clause).flatMap(({ codes }) => codes), ...regions])]
}
