import { policyWords } from '../../domain/media-buy/cancellation-ahead.ts'
import type { CancellationPolicy } from '../../domain/media-buy/cancellation-policy.ts'

/** A product of a list, and what cancelling it costs; undefined: nothing is said. */
export interface RowTerms {
  readonly id: string
  readonly policy: CancellationPolicy | undefined
  /** Its prices. */
  readonly prices: readonly { readonly currency: string }[]
}

/** Cancellation terms as a list of products says them, each sentence once. */
export interface SaidTerms {
  /** What holds for all of several rows; empty: nothing does. */
  readonly ofAll: string
  /** What each row says, in the order of the rows; later rows with the same terms name the first of them. */
  readonly ofRows: readonly string[]
}

export function saidTerms(rows: readonly RowTerms[]): SaidTerms {
  const words = rows.map(({ policy, prices }) =>
    policy
      ? policyWords(
          policy,
          prices.map(({ currency }) => currency),
        )
      : '',
  )
  const [first = '', ...others] = words
  if (others.length > 0 && others.every((each) => each === first)) return { ofAll: first, ofRows: rows.map(() => '') }
  const firstOf = new Map<string, string>()
  const ofRows = words.map((text, index) => {
    const id = rows[index]?.id ?? ''
    const said = firstOf.get(text)
    if (said === undefined) firstOf.set(text, id)
    return text === '' || said === undefined ? text : `cancelling as ${said}`
  })
  return { ofAll: '', ofRows }
}
