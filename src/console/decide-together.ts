import { AdcpError } from '../protocol/errors.ts'
import { html } from './html.ts'
import { heading } from './parts/parts.ts'
import { type Answer, page, redirect, type TenantCall } from './route.ts'

/** Creatives that one form decides on; no page shows more. Each is an act of its own, and a request has to end. */
const MOST_TOGETHER = 200

/** One decision on several creatives. */
export interface Together<T> {
  readonly chosen: readonly T[]
  /** The input that names a creative. */
  readonly field: string
  readonly nameOf: (each: T) => string
  readonly decide: (each: T) => Promise<unknown>
  readonly done: 'approved' | 'rejected'
  /** Path below the publisher and words of the page to go back to. */
  readonly back: readonly [path: string, words: string]
}

/**
 * Decides on each of the chosen creatives; those that cannot be decided (any more) are named with the reason, the others are decided. Throws INVALID_REQUEST, before
 * any is decided, for none and for more than 200; a refusal of the reason of a rejection concerns all of them and is thrown too.
 */
export async function decideTogether<T>(
  { base }: TenantCall,
  { chosen, field, nameOf, decide, done, back: [path, words] }: Together<T>,
): Promise<Answer> {
  if (chosen.length === 0) throw new AdcpError('INVALID_REQUEST', 'choose at least one creative', { field })
  if (chosen.length > MOST_TOGETHER) {
    const message = `choose at most ${MOST_TOGETHER} creatives at once; these are ${chosen.length}, and none was decided`
    throw new AdcpError('INVALID_REQUEST', message, { field })
  }
  const refused: string[] = []
  for (const each of chosen) {
    try {
      await decide(each)
    } catch (error) {
      // A reason that is missing is missing for all of them.
      if (!(error instanceof AdcpError) || error.field === 'reason') throw error
      refused.push(`${nameOf(each)}: ${error.message}`)
    }
  }
  if (refused.length === 0) return redirect(`${base}${path}`, done)
  const back = html`<a class="button" href="${base}${path}">${words}</a>`
  const body = html`${heading(`${chosen.length - refused.length} of ${chosen.length} decided`, back)}
<div class="notice warn" role="alert"><p>These stay as they are:</p><ul>${refused.map((text) => html`<li>${text}</li>`)}</ul></div>`
  return page('Creatives', body, { status: 409 })
}
