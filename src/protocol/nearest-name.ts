/** Longer names are compared with nothing: the work grows with the square of their length. */
const MAX_LENGTH = 64

/** More candidates than a schema or a page of products holds are not searched. */
const MAX_CANDIDATES = 2_000

/** Comparisons, or as much work, of all names that are looked up for one call: some 20 ms. */
const MOST_STEPS = 40_000
/** Cells of the table of an edit distance that cost as much as a comparison without one. */
const CELLS_PER_STEP = 16
/** Characters of a name that has to be spelled anew first. */
const CHARACTERS_PER_STEP = 8

/**
 * The look-ups of one request, or of one act of the publisher's people: they share a budget of work, so that one that names thousands of unknown things
 * holds nobody up. Whoever looks a name up for each entry of a list passes one on.
 */
export class NameSearch {
  #steps = 0

  /** Counts work; false when there was enough of it. */
  isWithin(more: number): boolean {
    this.#steps += more
    return this.#steps <= MOST_STEPS
  }
}

/**
 * The candidate that a mistyped name was most likely meant to be, undefined when none is near. Names of up to 7 characters may differ by one edit
 * (a letter more, less, other, or two neighbours exchanged), longer ones by `edits`; below 6 characters the first letter has to be right, since short
 * words are near to each other by chance. Case, hyphens, camelCase and a plural do not count. Undefined too once the budget of the search is used up; default: this is its only look-up.
 */
export function nearestName(
  name: string,
  candidates: Iterable<string>,
  search = new NameSearch(),
  edits = 2,
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined
  let best: { readonly candidate: string; readonly distance: number } | undefined
  let compared = 0
  const typed = spelled(name)
  for (const candidate of candidates) {
    if (++compared > MAX_CANDIDATES || !search.isWithin(stepsFor(candidate))) break
    if (candidate.length > MAX_LENGTH) continue
    const distance = nearness(typed, spelled(candidate), edits, search)
    if (distance !== undefined && (best === undefined || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate
}

/** More names would bury the message. */
const MAX_LISTED = 8

/** Words are taken from each candidate, which costs as much as several comparisons. */
const STEPS_FOR_WORDS = 5

/** Candidates that share most words with a name ("sports_video", "sports_preroll"), best first; a word of one or two characters tells nothing. */
const MAX_RELATED = 5

function relatedNames(name: string, candidates: readonly string[], search: NameSearch): string[] {
  if (!search.isWithin(Math.min(candidates.length, MAX_CANDIDATES) * STEPS_FOR_WORDS)) return []
  const wordsIn = (text: string) =>
    spelled(text.slice(0, MAX_LENGTH))
      .split('_')
      .filter((word) => word.length > 2)
      .map(singular)
  const wanted = new Set(wordsIn(name))
  if (wanted.size === 0) return []
  return candidates
    .slice(0, MAX_CANDIDATES)
    .map((candidate) => ({ candidate, shared: new Set(wordsIn(candidate).filter((word) => wanted.has(word))).size }))
    .filter(({ shared }) => shared > 0)
    .toSorted((a, b) => b.shared - a.shared)
    .slice(0, MAX_RELATED)
    .map(({ candidate }) => candidate)
}

/** Candidates that are listed for the cost of a comparison. */
const LISTED_PER_STEP = 16

/**
 * The end of a sentence that refuses a name: the candidate that was most likely meant, else all of them when they are few, else up to five that share
 * words with it, else `elsewhere`, which says where they can be found. Candidates that have to be listed first are given as a function: it is not called once the budget of the search is used up.
 */
export function instead(
  name: string,
  given: readonly string[] | (() => readonly string[]),
  elsewhere: string,
  search = new NameSearch(),
): string {
  if (typeof given === 'function' && !search.isWithin(0)) return `; ${elsewhere}`
  const candidates = typeof given === 'function' ? given() : given
  if (candidates !== given) search.isWithin(Math.ceil(candidates.length / LISTED_PER_STEP))
  const near = nearestName(name, candidates, search, Math.max(2, Math.floor(name.length / 5)))
  if (near !== undefined) return `; did you mean "${near}"?`
  const related = relatedNames(name, candidates, search)
  if (related.length > 0 && candidates.length > MAX_LISTED)
    return `; nearest: ${related.map((each) => `"${each.slice(0, MAX_LENGTH)}"`).join(', ')}`
  const isShort = candidates.length > 0 && candidates.length <= MAX_LISTED
  return isShort ? `; there is: ${candidates.map((each) => each.slice(0, MAX_LENGTH)).join(', ')}` : `; ${elsewhere}`
}

/** More ids of which no word tells what they are about would bury the message. */
const MOST_OWN = 5

/**
 * The same for an id that says nothing of what it names, as those of orders and proposals: the one that was most likely meant, else the first five of `own`, which are what the
 * caller itself has, with their `label`, and `elsewhere`.
 */
export function insteadOfOwn(
  name: string,
  own: readonly string[],
  { label, elsewhere }: { readonly label: string; readonly elsewhere: string },
  search = new NameSearch(),
): string {
  const near = nearestName(name, own, search)
  if (near !== undefined) return `; did you mean "${near}"?`
  return own.length === 0 ? `; ${elsewhere}` : `; ${label}: ${own.slice(0, MOST_OWN).join(', ')}; ${elsewhere}`
}

/** A name that was sent, short and in quotes. */
export function quoted(name: string): string {
  return JSON.stringify(name.length <= MAX_LENGTH ? name : `${name.slice(0, MAX_LENGTH - 1)}…`)
}

/** Most names are spelled so already. */
const SPELLED = /^[a-z0-9_]*$/

function stepsFor(candidate: string): number {
  return candidate.length > MAX_LENGTH || SPELLED.test(candidate) ? 1 : 1 + Math.ceil(candidate.length / CHARACTERS_PER_STEP)
}

/** `startTime`, `Start-Time` and `start_time` are one spelling. */
function spelled(name: string): string {
  if (SPELLED.test(name)) return name
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[\s.-]+/g, '_')
    .toLowerCase()
}

function singular(name: string): string {
  return name.replace(/ies$/, 'y').replace(/s$/, '')
}

/** Edits between two spellings, undefined when they are too many. Singular and plural are one. */
function nearness(typed: string, meant: string, edits: number, search: NameSearch): number | undefined {
  const length = Math.min(typed.length, meant.length)
  if (length > 3 && singular(typed) === singular(meant)) return 0
  const allowed = length < 4 ? 0 : length < 8 ? 1 : edits
  if (meant.length > MAX_LENGTH || Math.abs(typed.length - meant.length) > allowed) return undefined
  if (length < 6 && typed[0] !== meant[0]) return undefined
  if (allowed === 0) return typed === meant ? 0 : undefined
  const [a, b] = withoutCommon(typed, meant)
  if (!search.isWithin(Math.ceil((a.length * b.length) / CELLS_PER_STEP))) return undefined
  const distance = editDistance(a, b)
  return distance <= allowed ? distance : undefined
}

/** Two texts without what they begin and end with alike, which takes no edit. */
function withoutCommon(a: string, b: string): [string, string] {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++
  return [a.slice(start, a.length - end), b.slice(start, b.length - end)]
}

/** Insertions, deletions, replacements and exchanges of neighbours that lead from one text to the other (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1]
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1)
      const removed = (last[column] ?? 0) + 1
      const added = (current[column - 1] ?? 0) + 1
      const isExchange = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const exchanged = isExchange ? (beforeLast[column - 2] ?? 0) + 1 : replaced
      current.push(Math.min(replaced, removed, added, exchanged))
    }
    beforeLast = last
    last = current
  }
  return last[b.length] ?? 0
}
