import type { Exposure } from '../../../domain/trusted-match/identity/frequency-caps.ts'
import { forEachChunk } from '../../chunks.ts'
import type { Db } from '../../database.ts'

/** Notes that a token is used now; true when it was used before. */
export async function useNonce(tx: Db, tenantId: string, nonce: string, now: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('match_nonces')
    .values({ tenant_id: tenantId, nonce, used_at: now.toISOString() })
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 0n
}

/** Adds an impression to the log of each identity; false when it is in all of them already. */
export async function addMatchExposure(
  tx: Db,
  tenantId: string,
  identities: readonly string[],
  { impressionId, labels, at }: Exposure,
): Promise<boolean> {
  if (identities.length === 0) return false
  const values = {
    tenant_id: tenantId,
    impression_id: impressionId,
    labels: JSON.stringify(labels),
    seen_at: new Date(at).toISOString(),
  }
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('match_exposures')
    .values(identities.map((identity) => ({ ...values, identity })))
    .onConflict((c) => c.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** Most impressions of one user that are looked at; a person does not see more in a month. */
const MOST_EXPOSURES = 10_000

/** Impressions of any of these identities since a time, the newest first. */
export async function matchExposuresSince(
  db: Db,
  tenantId: string,
  identities: readonly string[],
  since: Date,
): Promise<readonly Exposure[]> {
  if (identities.length === 0) return []
  const rows = await db
    .selectFrom('match_exposures')
    .select(['impression_id', 'labels', 'seen_at'])
    .where('tenant_id', '=', tenantId)
    .where('identity', 'in', identities)
    .where('seen_at', '>=', since.toISOString())
    .orderBy('seen_at', 'desc')
    .limit(MOST_EXPOSURES)
    .execute()
  return rows.map((row) => ({
    impressionId: row.impression_id,
    labels: JSON.parse(row.labels),
    at: Date.parse(row.seen_at),
  }))
}

/** Holds packages back from identities by a rule until a time; a later time of before stays. */
export async function capPackages(
  tx: Db,
  tenantId: string,
  identities: readonly string[],
  packages: readonly { readonly sellerAgentUrl: string; readonly packageId: string }[],
  { rule, until }: { readonly rule: string; readonly until: Date },
): Promise<void> {
  const rows = identities.flatMap((identity) =>
    packages.map(({ sellerAgentUrl, packageId }) => ({
      tenant_id: tenantId,
      identity,
      seller: sellerAgentUrl,
      package_id: packageId,
      rule,
      until: until.toISOString(),
    })),
  )
  await forEachChunk(rows, (chunk) =>
    tx
      .insertInto('match_caps')
      .values(chunk)
      .onConflict((c) =>
        c.columns(['tenant_id', 'identity', 'seller', 'package_id', 'rule']).doUpdateSet((e) => ({
          until: e
            .case()
            .when('excluded.until', '>', e.ref('match_caps.until'))
            .then(e.ref('excluded.until'))
            .else(e.ref('match_caps.until'))
            .end(),
        })),
      )
      .execute(),
  )
}

/** A seller's packages that are held back from any of these identities now, by which rules. */
export async function cappedPackages(
  db: Db,
  tenantId: string,
  identities: readonly string[],
  seller: string,
  now: Date,
): Promise<readonly { readonly packageId: string; readonly rule: string }[]> {
  if (identities.length === 0) return []
  const rows = await db
    .selectFrom('match_caps')
    .select(['package_id', 'rule'])
    .where('tenant_id', '=', tenantId)
    .where('identity', 'in', identities)
    .where('seller', '=', seller)
    .where('until', '>', now.toISOString())
    .execute()
  return rows.map((row) => ({ packageId: row.package_id, rule: row.rule }))
}

/** Drops what no cap and no token needs any more. */
export async function sweepMatchUsers(
  tx: Db,
  { exposures, nonces, now }: { readonly exposures: Date; readonly nonces: Date; readonly now: Date },
): Promise<void> {
  await tx.deleteFrom('match_exposures').where('seen_at', '<', exposures.toISOString()).execute()
  await tx.deleteFrom('match_nonces').where('used_at', '<', nonces.toISOString()).execute()
  await tx.deleteFrom('match_caps').where('until', '<=', now.toISOString()).execute()
}
