import { type BriefHints, hintsOf } from './brief-hints.ts'
import { stem, wordsOf } from './brief-terms.ts'

/** A brief, read once for ranking, reasons and proposals. */
export interface Brief {
  readonly text: string
  /** Stems, each once, in order of appearance. */
  readonly terms: readonly string[]
  /** The word that stands in the brief, by stem. */
  readonly wordOf: ReadonlyMap<string, string>
  readonly hints: BriefHints
}

/** Reads a free-text brief. */
export function readBrief(text: string): Brief {
  const wordOf = new Map<string, string>()
  for (const word of wordsOf(text)) {
    const term = stem(word)
    if (!wordOf.has(term)) wordOf.set(term, word)
  }
  return { text, terms: [...wordOf.keys()], wordOf, hints: hintsOf(text) }
}
