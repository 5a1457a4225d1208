import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import { matchKeyPlace } from '../../security/secrets/match-secret-places.ts'
import { addMatchKey, listMatchKeys, type MatchKeyRow, revokeMatchKey } from '../../store/trusted-match/match-keys.ts'
import type { ActContext } from '../act.ts'
import { readMoment } from '../moment.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A key of a publisher's router, in lists. */
export type ShownMatchKey = Omit<MatchKeyRow, 'sealed' | 'tenant_id'>

/** Keys of a publisher's router, the signing one first. */
export async function showMatchKeys({ store }: OperatorContext, tenantId: string): Promise<readonly ShownMatchKey[]> {
  return (await listMatchKeys(store.read, tenantId)).map(({ sealed: _sealed, tenant_id: _tenant, ...shown }) => shown)
}

/** Makes the key that a publisher's router signs with from now on. The one before stays published, for signatures of yesterday. */
export async function makeMatchKey(context: ActContext): Promise<{ readonly kid: string; readonly x: string }> {
  const { tenantId } = context
  const now = context.clock()
  const kid = `${now.toISOString().slice(0, 10)}-${randomBytes(3).toString('hex')}`
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const box = await context.services.matchBox()
  const sealed = box.seal(String(privateKey.export({ format: 'pem', type: 'pkcs8' })), matchKeyPlace(tenantId, kid))
  context.noteSubject(kid)
  await context.store.transaction((tx) => addMatchKey(tx, { tenant_id: tenantId, kid, x, sealed }, now))
  return { kid, x }
}

/**
 * Revokes a key that leaked: verifiers refuse its signatures of days from `from` on (a day, a time or a span; default: now). The signing key has to be
 * replaced first. Throws REFERENCE_NOT_FOUND and INVALID_REQUEST.
 */
export async function revokeMatchKeyOf(
  context: ActContext,
  { kid, from }: { readonly kid: string; readonly from?: string | undefined },
): Promise<void> {
  const { tenantId } = context
  const now = context.clock()
  const key = (await listMatchKeys(context.store.read, tenantId)).find((each) => each.kid === kid)
  if (!key)
    throw new AdcpError('REFERENCE_NOT_FOUND', `there is no key "${kid}"; trusted-match keys list shows all`, { field: 'kid' })
  if (key.retired_at === null)
    throw new AdcpError('INVALID_REQUEST', `"${kid}" signs now; run trusted-match keys rotate first, then revoke it`, {
      field: 'kid',
    })
  const at = from === undefined ? now : readMoment(from, now, 'from')
  await context.store.transaction((tx) => revokeMatchKey(tx, tenantId, kid, at))
}
