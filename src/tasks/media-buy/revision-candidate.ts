import { packagesByProduct } from '../../domain/media-buy/not-found.ts'
import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { optionCandidates } from './option-candidates.ts'

/** Where a change has to name a package. */
const PACKAGE = /^\/packages\/(\d+)\/package_id$/
/** Entries without a package that are told which there are: an error shows no more. */
const MOST_TOLD = 12

/**
 * The revision that the named media buy is at, for a call that sends none or no number ("latest"), and its packages for an entry that names none; else what packages can be repaired with
 * ({@link optionCandidates}). The request may be of any form.
 */
export async function changeCandidates(
  finding: Issue,
  request: object,
  context: AuthenticatedContext,
): Promise<string | Issue | undefined> {
  const [, position] = PACKAGE.exec(finding.pointer) ?? []
  if (finding.pointer !== '/revision' && position === undefined) return optionCandidates(finding, request, context)
  if (!isObject(request) || typeof request.media_buy_id !== 'string') return undefined
  if (Number(position ?? 0) >= MOST_TOLD) return undefined
  const [buy] = await findMediaBuys(context.db, context.principal, [request.media_buy_id])
  if (!buy || position === undefined) return buy && `the media buy is at ${buy.revision}`
  const entry: unknown = Array.isArray(request.packages) ? request.packages[Number(position)] : undefined
  const productId = isObject(entry) && typeof entry.product_id === 'string' ? entry.product_id : undefined
  return packagesByProduct(buy, productId)
}
