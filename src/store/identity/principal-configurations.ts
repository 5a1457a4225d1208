import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { ShownSubscriber } from '../../domain/account/notification-configs.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { Db } from '../database.ts'
import type { PrincipalConfigurationTables } from './rows.ts'

export interface PrincipalConfiguration extends PrincipalRef {
  readonly version: string
  readonly subscribers: readonly ShownSubscriber[]
  readonly knownCapabilities: string | undefined
}

/** What an agent asked to be kept; undefined as long as it asked for nothing. */
export async function findConfiguration(db: Db, owner: PrincipalRef): Promise<PrincipalConfiguration | undefined> {
  const row = await rowsOf(db)
    .where('tenant_id', '=', owner.tenantId)
    .where('principal_id', '=', owner.principalId)
    .executeTakeFirst()
  return row && configurationOf(row)
}

/** Agents that follow the capabilities document, in order, `limit` at most, behind the given one. */
export async function listFollowers(
  db: Db,
  after: PrincipalRef | undefined,
  limit: number,
): Promise<readonly PrincipalConfiguration[]> {
  let query = rowsOf(db).where('known_capabilities', 'is not', null)
  if (after) {
    const { tenantId, principalId } = after
    query = query.where((e) => e(e.refTuple('tenant_id', 'principal_id'), '>', e.tuple(tenantId, principalId)))
  }
  return (await query.orderBy('tenant_id').orderBy('principal_id').limit(limit).execute()).map(configurationOf)
}

/** Replaces what an agent asked to be kept, under a new version, which is returned. */
export async function saveConfiguration(
  tx: Db,
  owner: PrincipalRef,
  { subscribers, knownCapabilities }: Pick<PrincipalConfiguration, 'subscribers' | 'knownCapabilities'>,
  now: Date,
): Promise<string> {
  const row = {
    version: `pcv_${randomUUID()}`,
    notification_configs: JSON.stringify(subscribers),
    known_capabilities: knownCapabilities ?? null,
    updated_at: now.toISOString(),
  }
  await tx
    .insertInto('principal_configurations')
    .values({ tenant_id: owner.tenantId, principal_id: owner.principalId, ...row })
    .onConflict((c) => c.columns(['tenant_id', 'principal_id']).doUpdateSet(row))
    .execute()
  return row.version
}

/** Notes that an agent's subscribers were told of a version of the capabilities. False when another process did, or the agent changed its subscribers. */
export async function noteTold(tx: Db, told: PrincipalConfiguration, capabilities: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('principal_configurations')
    .set({ known_capabilities: capabilities })
    .where('tenant_id', '=', told.tenantId)
    .where('principal_id', '=', told.principalId)
    .where('version', '=', told.version)
    .where('known_capabilities', '=', told.knownCapabilities ?? '')
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

function rowsOf(db: Db) {
  return db.selectFrom('principal_configurations').selectAll()
}

function configurationOf(row: Selectable<PrincipalConfigurationTables['principal_configurations']>): PrincipalConfiguration {
  return {
    tenantId: row.tenant_id,
    principalId: row.principal_id,
    version: row.version,
    subscribers: JSON.parse(row.notification_configs),
    knownCapabilities: row.known_capabilities ?? undefined,
  }
}
