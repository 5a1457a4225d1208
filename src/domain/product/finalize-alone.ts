import { AdcpError } from '../../protocol/errors.ts'
import type { RefineEntry } from './product-question.ts'

/**
 * Finalizing commits the seller, so a request that finalizes a proposal does nothing else: every entry of `refine` finalizes one, and all of them take
 * effect together or none does. Throws INVALID_REQUEST naming the first entry that does something else (AdCP 3.1, get_products, "Finalize is exclusive").
 */
export function requireFinalizeAlone(refine: readonly RefineEntry[] = []): void {
  const finalizes = refine.map((entry) => entry.scope === 'proposal' && entry.action === 'finalize')
  const other = finalizes.indexOf(false)
  if (other < 0 || !finalizes.includes(true)) return
  const field = `refine[${other}]`
  throw new AdcpError(
    'INVALID_REQUEST',
    `${field} does not finalize a proposal, and finalizing goes with nothing else; send it in another call`,
    {
      field,
    },
  )
}
