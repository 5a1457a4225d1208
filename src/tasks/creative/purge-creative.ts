import type { Creative } from '../../domain/creative/creative.ts'
import type { Purge } from '../../domain/creative/purge.ts'
import type { ActingPrincipal } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { endServing } from '../../store/creative/creative-assignments.ts'
import { deleteTombstone, insertTombstone } from '../../store/creative/creative-tombstones.ts'
import { deleteCreative, findCreative } from '../../store/creative/creatives.ts'
import type { Db, Store } from '../../store/database.ts'
import { findPrincipal } from '../../store/identity/principals.ts'
import type { NamedCreative } from './decide-creative.ts'
import { notifyOfPurge } from './tell-creative-subscribers.ts'

/**
 * Destroys a creative (AdCP 3.1, `creative.purged`): it stops serving and leaves the library, a soft purge leaves a tombstone, and the subscribers of its
 * account are notified. Runs in the transaction `tx`.
 */
export async function purgeCreative(
  { tx, principal, now }: { readonly tx: Db; readonly principal: ActingPrincipal; readonly now: Date },
  creative: Creative,
  purge: Purge,
): Promise<void> {
  if (creative.status === 'approved') await endServing(tx, principal, creative, now)
  await deleteCreative(tx, principal, creative)
  if (purge.kind === 'soft') await insertTombstone(tx, principal, creative, purge.reason, now)
  else await deleteTombstone(tx, principal, creative)
  await notifyOfPurge(tx, principal, creative, purge, now)
}

/** A person at the publisher destroys a creative. Throws CREATIVE_NOT_FOUND when there is none. */
export async function purgeNamedCreative(
  store: Store,
  { creativeId, ...reach }: NamedCreative,
  purge: Purge,
  now: Date,
): Promise<void> {
  await store.transaction(async (tx) => {
    const row = await findPrincipal(tx, reach.tenantId, reach.principalId)
    const creative = row && (await findCreative(tx, reach, creativeId))
    if (!creative)
      throw new AdcpError('CREATIVE_NOT_FOUND', `${reach.principalId} has no creative ${creativeId}`, { field: 'creative' })
    const principal = { tenantId: reach.tenantId, principalId: reach.principalId, sandbox: row.sandbox === 1 }
    await purgeCreative({ tx, principal, now }, creative, purge)
  })
}
