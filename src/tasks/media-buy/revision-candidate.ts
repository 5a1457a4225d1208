import type { AuthenticatedContext } from '../../pipeline/task.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { findMediaBuys } from '../../store/media-buy/media-buys.ts'
import { optionCandidates } from './option-candidates.ts'

/**
 * The revision that the named media buy is at, for a call that sends none or no number ("latest"); else what packages can be repaired with
 * ({@link optionCandidates}). The request may be of any form.
 */
export async function changeCandidates(
  finding: Issue,
  request: object,
  context: AuthenticatedContext,
): Promise<string | undefined> {
  if (finding.pointer !== '/revision') return optionCandidates(finding, request, context)
  if (!isObject(request) || typeof request.media_buy_id !== 'string') return undefined
  const [buy] = await findMediaBuys(context.db, context.principal, [request.media_buy_id])
  return buy && `the media buy is at ${buy.revision}`
}
