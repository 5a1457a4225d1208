import { type BriefHints, hintsOf } from './brief-hints.ts'
import { readPart } from './brief-terms.ts'
import type { ProductQuestion } from './product-question.ts'

/** The words of a question that say what is wanted of all products: its brief, in mode `refine` where it was sent again, with the asks of the whole request. Undefined: none. */
export function wordsOfQuestion({ buying_mode: mode, brief, refine = [] }: ProductQuestion): string | undefined {
  if (mode === 'brief') return brief
  const asks = refine.flatMap((entry) => (entry.scope === 'request' ? [entry.ask] : []))
  return mode === 'refine' && (brief !== undefined || asks.length > 0) ? [brief ?? '', ...asks].join('\n') : undefined
}

/** What these words say in figures and places; undefined without any. */
export function hintsOfQuestion(question: ProductQuestion): BriefHints | undefined {
  const words = wordsOfQuestion(question)
  return words === undefined ? undefined : hintsOf(readPart(words))
}

/** What a buyer has to know who asks for a change of the whole request: nothing of an earlier answer is known. */
export function forgottenNotes({ buying_mode: mode, brief, refine = [], filters }: ProductQuestion): string[] {
  const isOfProposal = refine.some(({ scope }) => scope === 'proposal')
  if (mode === 'refine' && brief !== undefined && isOfProposal) {
    return ['brief beside refine changed no proposal: what is wanted of one is its ask, refine[].ask.']
  }
  const isAnew = mode === 'refine' && brief === undefined && refine.length > 0 && refine.every(({ scope }) => scope === 'request')
  return isAnew
    ? [
        `Earlier briefs are not remembered: this ask was put to all products${filters ? ' that pass the filters' : ''}. Send brief beside refine to keep its words, places, dates and budget.`,
      ]
    : []
}
