import { type Constraints, type ProductChanges, unmetChanges, unmetConstraints } from './constraints.ts'
import type { Snapshot } from './negotiated.ts'

/** What a buyer wants changed of a proposal (AdCP 3.2 media-buy/proposal-refinement.json, action `revise`). */
export interface Revision {
  readonly proposal_id: string
  readonly ask?: string
  readonly constraints?: Constraints
  readonly product_changes?: ProductChanges
  readonly alternatives?: { readonly count: number }
}

/** What a revision came to (media-buy/refine-proposals-response.json, `results`). */
export interface Verdict {
  readonly outcome: 'revised' | 'partial' | 'unable'
  readonly reason_code?: string
  readonly reason?: string
  readonly unsatisfied_constraints?: readonly string[]
  readonly unsatisfied_product_changes?: ProductChanges
  readonly suggestions?: readonly string[]
}

/** What is known of the drafts of a revision beside their terms: why one could not be made, and what of the ask was done and was not. */
interface Facts {
  readonly count: number
  readonly fault: string | undefined
  readonly applied: readonly string[]
  readonly refused: readonly string[]
  readonly isUnread: boolean
}

/** What a revision came to by the drafts that are shown. */
export function verdictOf(
  entry: Revision,
  drafts: readonly Snapshot[],
  { count, fault, applied, refused, isUnread }: Facts,
): Verdict {
  const { constraints = {}, product_changes: changes = {}, ask } = entry
  const terms = drafts.map(({ negotiated }) => negotiated.terms)
  const keys = [...new Set(terms.flatMap((each) => unmetConstraints(constraints, each)))]
  const products: ProductChanges = Object.assign({}, ...terms.map((each) => unmetChanges(changes, each)))
  const outcome = drafts.length > 0 ? 'partial' : 'unable'
  const none = drafts.length === 0
  const unmet = none ? Object.keys(constraints) : keys
  const missed = none && unmet.length === 0 ? changes : products
  const done = doneWords(appliedOf(entry, drafts, applied))
  const undone = refused.length > 0 ? [`not possible: ${refused.join('; ')}`] : []
  if (unmet.length > 0 || Object.keys(missed).length > 0) {
    const names = [...unmet, ...Object.keys(missed)].join(', ')
    return {
      outcome,
      reason_code: 'constraint_unsatisfiable',
      reason: `${done}${[`cannot be met: ${names}`, ...(fault === undefined ? [] : [fault]), ...undone].join('; ')}`,
      ...(unmet.length > 0 && { unsatisfied_constraints: unmet }),
      ...(Object.keys(missed).length > 0 && { unsatisfied_product_changes: missed }),
    }
  }
  if (none) return { outcome, reason_code: 'source_unavailable', reason: fault ?? 'the proposal can no longer be offered' }
  if (drafts.length < count) {
    return {
      outcome,
      reason_code: 'alternatives_unavailable',
      reason: `${done}${[`${drafts.length} of ${count} plans with terms of their own can be made`, ...undone].join('; ')}`,
    }
  }
  if (ask === undefined || refused.length === 0) return { outcome: 'revised' }
  return { outcome: 'partial', reason_code: refusalCode(isUnread), reason: `${done}${undone.join('')}` }
}

/** What of a revision the drafts that are shown have, in words: constraints and product changes that are met, and what of the ask was `applied`. */
export function appliedOf(
  { constraints = {}, product_changes: changes = {} }: Revision,
  drafts: readonly Snapshot[],
  applied: readonly string[],
): readonly string[] {
  if (drafts.length === 0) return []
  const terms = drafts.map(({ negotiated }) => negotiated.terms)
  const unmet = new Set(
    terms.flatMap((each) => [...unmetConstraints(constraints, each), ...Object.keys(unmetChanges(changes, each))]),
  )
  const met = [...Object.keys(constraints), ...Object.keys(changes)].filter((name) => !unmet.has(name))
  return [...met.map((name) => `${name} is met`), ...applied]
}

/** What of a revision was done, in words that stand before what was not. */
function doneWords(done: readonly string[]): string {
  return done.length > 0 ? `applied: ${done.join('; ')}. ` : ''
}

/**
 * A verdict with why the plan was lowered to what can be had. A refusal of words (`commercially_declined`) is of an ask: where nothing typed is missed and
 * nothing was asked in words, the revision stands and says so as a suggestion.
 */
export function withShortfall(verdict: Verdict, ask: string | undefined, why: string, applied: readonly string[] = []): Verdict {
  const { reason_code: code, reason } = verdict
  if (code !== undefined) return { ...verdict, reason: reason?.includes(why) ? reason : `${why}; ${reason}` }
  if (ask === undefined) return { ...verdict, suggestions: [`the budget is lowered: ${why}`] }
  return { outcome: 'partial', reason_code: refusalCode(false), reason: `${doneWords(applied)}not possible: ${why}` }
}

/** The code of an ask that was not carried out. */
export function refusalCode(isUnread: boolean): string {
  return isUnread ? 'uninterpreted' : 'commercially_declined'
}
