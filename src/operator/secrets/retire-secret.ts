import { readFileSync } from 'node:fs'
import { liveHolders } from '../../features/secrets/holders.ts'
import { countOutdated, resealStore } from '../../features/secrets/reseal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { secretId } from '../../security/secrets/deployment-secrets.ts'
import { parseSecretFile, writeSecretFile } from '../../security/secrets/secret-file.ts'
import { findRotation, markRotation, type SecretRotation } from '../../store/secrets/secret-rotations.ts'
import { auditedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'
import { VERIFIES_MS } from './secret-state.ts'

/** What was retired. */
export interface Retired {
  /** Id. */
  readonly retired: string
  /** What was sealed again before. */
  readonly resealed: number
}

/**
 * Takes the earlier secret out of use: nothing opens or verifies with it any more. `now`: before its links have ended, as for a secret that others know. Throws
 * INVALID_STATE when there is none, when it is too early, and while a process still has it where the environment gives it.
 */
export async function retireSecret(context: OperatorContext, { now }: { readonly now: boolean }): Promise<Retired> {
  const { held, given, file } = context.services.secrets()
  const rotation = await requireRetirable(context, now)
  const store = auditedStore(context, { task: 'secrets.retire', subject: rotation.previous_id })
  const resealed = await resealStore(store, held)
  const { earlier: left } = await countOutdated(store.read, held)
  if (left > 0) throw new AdcpError('INVALID_STATE', `${left} texts are still sealed under the earlier secret; run this again`)
  if (given.current === undefined) {
    if (given.previous.length > 0) throw removeFromEnvironment('this command')
    writeSecretFile(file, { ...parseSecretFile(readFileSync(file, 'utf8')), earlier: [] })
    held.reload()
  } else {
    if (held.all().some((secret) => secretId(secret) === rotation.previous_id)) throw removeFromEnvironment('this command')
    const other = (await liveHolders(store.read, new Date())).find(({ opens }) => opens.includes(rotation.previous_id))
    if (other) throw removeFromEnvironment(`process ${other.pid}`)
  }
  await store.transaction((tx) => markRotation(tx, rotation.secret_id, { retired_at: context.clock().toISOString() }))
  return { retired: rotation.previous_id, resealed }
}

async function requireRetirable({ store, clock }: OperatorContext, now: boolean): Promise<SecretRotation> {
  const rotation = await findRotation(store.read)
  if (!rotation || rotation.retired_at !== null) throw new AdcpError('INVALID_STATE', 'there is no earlier secret to retire')
  if (rotation.resealed_at === null)
    throw new AdcpError('INVALID_STATE', 'the rotation was interrupted: finish it first (sales-agent secrets rotate)')
  const from = new Date(Date.parse(rotation.switched_at) + VERIFIES_MS)
  if (!now && clock() < from)
    throw new AdcpError(
      'INVALID_STATE',
      `links that were signed with the earlier secret may be in use until ${from.toISOString()}; --now ends them at once`,
    )
  return rotation
}

function removeFromEnvironment(who: string): AdcpError {
  return new AdcpError(
    'INVALID_STATE',
    `${who} still has the earlier secret: everything is sealed anew, so remove SALES_AGENT_SECRET_PREVIOUS from its environment, start it again, and run this again`,
  )
}
