import { getDrift } from '../../store/ad-serving/ad-server-drift.ts'
import type { Db } from '../../store/database.ts'
import type { Watching } from '../act.ts'

/** The state of drift, for the audit log. Throws REFERENCE_NOT_FOUND. */
export async function watchedDrift(tx: Db, { tenantId }: Watching, { drift }: { readonly drift: string }): Promise<object> {
  return { state: (await getDrift(tx, tenantId, drift)).state }
}
