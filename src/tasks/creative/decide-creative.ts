import type { Creative, CreativeStatus } from '../../domain/creative/creative.ts'
import { transition } from '../../domain/creative/lifecycle.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import type { Db, Store } from '../../store/database.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import { tellCreativeSubscribers } from './tell-creative-subscribers.ts'
import { replaceCreative } from './upsert-creatives.ts'

/** Which creative a reviewer means. An id is unique within an account; without one, the agent's newest of that id. */
export interface NamedCreative {
  readonly tenantId: string
  readonly principalId: string
  readonly accountId: string | undefined
  readonly creativeId: string
}

/**
 * A person at the publisher decides on a creative. Throws CREATIVE_NOT_FOUND when there is none, INVALID_STATE when its status
 * does not lead to the decision. A decision that was made before stores nothing. Throws what `check` throws of the creative as the decision finds it.
 */
export async function decideCreative(
  store: Store,
  { creativeId, ...reach }: NamedCreative,
  status: CreativeStatus & ('approved' | 'rejected'),
  reason: string | undefined,
  now: Date,
  check?: (creative: Creative) => void,
): Promise<Creative> {
  const decide = async (db: Db) => {
    const row = await findPrincipal(db, reach.tenantId, reach.principalId)
    const creative = row && (await findCreative(db, reach, creativeId))
    if (!creative)
      throw new AdcpError('CREATIVE_NOT_FOUND', `${reach.principalId} has no creative ${creativeId}`, { field: 'creative' })
    check?.(creative)
    return { row, creative, decided: transition(creative, status, now, kept(creative, status, reason)) }
  }
  const { creative: known, decided: same } = await decide(store.read)
  if (same === known) return known
  return store.transaction(async (tx) => {
    const { row, creative, decided } = await decide(tx)
    const principal = { tenantId: reach.tenantId, principalId: reach.principalId, sandbox: row.sandbox === 1 }
    if (decided !== creative) {
      await replaceCreative({ tx, principal, now }, creative, decided)
      await tellCreativeSubscribers(tx, principal, { before: creative, after: decided }, now)
    }
    return decided
  })
}

/** What its buyer is told: the same decision again, without a word, leaves what the buyer was told. */
function kept(creative: Creative, status: CreativeStatus, reason: string | undefined): string | undefined {
  return reason ?? (creative.status === status ? creative.statusReason : undefined)
}
