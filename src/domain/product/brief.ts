import { type BriefHints, hintsOf } from './brief-hints.ts'
import { stem, wordsOf } from './brief-terms.ts'

/** A brief, read once for ranking, reasons and proposals. */
export interface Brief {
  readonly text: string
  /** Stems, each once, in order of appearance. */
  readonly terms: readonly string[]
  /** The word that occurs in the brief, by stem. */
  readonly wordOf: ReadonlyMap<string, string>
  readonly hints: BriefHints
}

/** The schema sets no limit, and time goes with length: ten pages are more than anybody briefs in, and take milliseconds. */
const MAX_READ_CHARS = 20_000

/** Reads a free-text brief, of a very long one only the beginning. */
export function readBrief(brief: string): Brief {
  const text = brief.slice(0, MAX_READ_CHARS)
  const wordOf = new Map<string, string>()
  for (const word of wordsOf(text)) {
    const term = stem(word)
    if (!wordOf.has(term)) wordOf.set(term, word)
  }
  return { text, terms: [...wordOf.keys()], wordOf, hints: hintsOf(text) }
}
