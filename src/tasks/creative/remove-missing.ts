import type { SyncCreativesSuccess } from '@adcp/sdk/types'
import type { SentCreative } from '../../domain/creative/creative.ts'
import { canTransition, transition } from '../../domain/creative/lifecycle.ts'
import type { AuthenticatedContext, InTransaction } from '../../pipeline/task.ts'
import { deleteCreative, listOtherCreatives } from '../../store/creative/creatives.ts'
import { replaceCreative } from './upsert-creatives.ts'

/**
 * Takes creatives that a full sync no longer lists out of the account's library: approved ones are archived and can come back,
 * those that never passed review are gone.
 */
export async function removeMissing(
  context: InTransaction<AuthenticatedContext>,
  accountId: string,
  kept: readonly SentCreative[],
  dryRun: boolean,
): Promise<SyncCreativesSuccess['creatives']> {
  const { tx, principal, now } = context
  const ids = kept.map((creative) => creative.creative_id)
  const others = await listOtherCreatives(tx, principal, accountId, ids)
  for (const creative of dryRun ? [] : others) {
    if (canTransition(creative.status, 'archived')) {
      await replaceCreative(context, creative, transition(creative, 'archived', now))
    } else {
      await deleteCreative(tx, principal, creative)
    }
  }
  return others.map((creative) => ({ creative_id: creative.creativeId, action: 'deleted' }))
}
