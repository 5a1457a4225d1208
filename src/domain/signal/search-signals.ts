import { readPart, termsOf } from '../product/brief-terms.ts'
import type { Signal } from './signal.ts'

/** What a hit is worth by the place it is in: a name says more than a description. */
const WEIGHTS = { name: 4, keyword: 3, category: 2, provider: 2, description: 1 } as const

/** Words of every request for signals, which therefore distinguish nothing. */
const GENERIC = new Set(
  termsOf(
    'audience audiences segment segments signal signals user users people person persons data target targeting reach premium quality',
  ),
)

/** Words that mean nearly the same to a person who searches for an audience. */
const ALIKE: readonly (readonly string[])[] = [
  'ev electric',
  'car auto automotive vehicle motor',
  'buy buyer purchase purchaser shopper shopping customer',
  'intent intender market consider consideration',
  'dealer dealership showroom',
  'likely propensity',
  'loyalty loyal member membership',
  'outdoor hiking hiker camping trail',
  'travel traveller traveler trip vacation holiday',
  'parent family child household',
  'electronic electronics tech technology gadget',
  'food grocery cooking recipe',
  'fitness sport running gym',
  'finance financial bank investor',
  'premium luxury affluent',
].map((group) => termsOf(group))

/** A word that is only like the one asked for is worth this share of it. */
const ALIKE_SHARE = 0.6
/** A signal that earns less than this share of the best score is no answer. */
const RELEVANT_SHARE = 0.25

/** What searching signals needs, computed once a revision: for each term the positions of the signals that it occurs in. */
export interface SignalIndex {
  readonly signals: readonly Signal[]
  readonly postings: ReadonlyMap<string, ReadonlyMap<number, number>>
}

/** Builds the index of signals. */
export function indexSignals(signals: readonly Signal[]): SignalIndex {
  const postings = new Map<string, Map<number, number>>()
  signals.forEach((signal, position) => {
    for (const [place, text] of Object.entries(textsOf(signal))) {
      for (const term of termsOf(text)) {
        const list = postings.get(term) ?? new Map<number, number>()
        list.set(position, Math.max(list.get(position) ?? 0, WEIGHTS[place as keyof typeof WEIGHTS]))
        postings.set(term, list)
      }
    }
  })
  return { signals, postings }
}

function textsOf({ document, providerName }: Signal): Record<keyof typeof WEIGHTS, string> {
  return {
    name: document.name,
    keyword: (document.keywords ?? []).join(' '),
    category: (document.categories ?? []).join(' ').replaceAll('_', ' '),
    provider: providerName,
    description: document.description,
  }
}

/**
 * Signals that answer a description, best first; ties preserve the publisher's order. A word that few signals have counts for more. A
 * description of generic words only ("audience segments") asks for all signals; one that nothing answers finds nothing.
 */
export function searchSignals({ signals, postings }: SignalIndex, spec: string): readonly Signal[] {
  const terms = termsOf(readPart(spec)).filter((term) => !GENERIC.has(term))
  if (terms.length === 0) return signals
  const scores = new Map<number, number>()
  for (const term of terms) {
    for (const [position, score] of scoresOf(term, postings, signals.length)) {
      scores.set(position, (scores.get(position) ?? 0) + score)
    }
  }
  const least = Math.max(0, ...scores.values()) * RELEVANT_SHARE
  return [...scores]
    .filter(([, score]) => score >= least)
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
    .flatMap(([position]) => signals[position] ?? [])
}

/** A word and those like it are one wish: a signal earns the best of them, not their sum. */
function scoresOf(term: string, postings: SignalIndex['postings'], total: number): Map<number, number> {
  const earned = new Map<number, number>()
  const alike = ALIKE.filter((group) => group.includes(term)).flat()
  for (const variant of new Set([term, ...alike])) {
    const list = postings.get(variant)
    if (!list) continue
    const worth = Math.log(1 + total / list.size) * (variant === term ? 1 : ALIKE_SHARE)
    for (const [position, weight] of list) earned.set(position, Math.max(earned.get(position) ?? 0, worth * weight))
  }
  return earned
}
