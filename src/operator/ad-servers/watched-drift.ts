import { AdcpError } from '../../protocol/errors.ts'
import { getDrift, type StoredDrift } from '../../store/ad-serving/ad-server-drift.ts'
import type { Db } from '../../store/database.ts'
import type { Watching } from '../act.ts'

/** The state of drift, for the audit log. Throws REFERENCE_NOT_FOUND. */
export async function watchedDrift(tx: Db, { tenantId }: Watching, { drift }: { readonly drift: string }): Promise<object> {
  return { state: (await getDrift(tx, tenantId, drift)).state }
}

/** Drift about which nothing was decided yet. Throws REFERENCE_NOT_FOUND, INVALID_STATE. */
export async function openDrift(tx: Db, tenantId: string, driftId: string): Promise<StoredDrift> {
  const drift = await getDrift(tx, tenantId, driftId)
  if (drift.state === 'open') return drift
  throw new AdcpError('INVALID_STATE', `drift ${driftId} is ${drift.state}`, { field: 'drift_id' })
}
