import { randomUUID } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import type { Store } from '../../store/database.ts'
import { appendToLog, findEntry } from '../../store/governance/governance-log.ts'
import { tokenIdOf } from './governance-context.ts'

/**
 * Takes back the token of a check; sellers learn it from the published list. Throws REFERENCE_NOT_FOUND for a check without a token. What is
 * bought already stays bought.
 */
export async function revokeToken(
  store: Store,
  tenantId: string,
  checkId: string,
  by: { readonly actor: string; readonly reason: string; readonly at: Date },
): Promise<string> {
  return store.transaction(async (tx) => {
    const entry = await findEntry(tx, tenantId, checkId)
    const jti = tokenIdOf(entry?.document.governanceContext)
    if (entry?.kind !== 'check' || jti === undefined)
      throw new AdcpError('REFERENCE_NOT_FOUND', `check ${checkId} gave out no token`, { field: 'check' })
    if (by.actor.trim() === '') throw new AdcpError('INVALID_REQUEST', 'say who decides', { field: 'by' })
    const document = { at: by.at.toISOString(), actor: by.actor, reason: by.reason, checkId, jti }
    await appendToLog(tx, entry, entry.planId, [
      { entryId: `rvk_${randomUUID()}`, kind: 'revocation', actionId: entry.actionId, document },
    ])
    return jti
  })
}
