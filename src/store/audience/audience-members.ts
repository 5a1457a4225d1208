import { type AudienceSize, EMPTY } from '../../domain/audience/audience.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { forEachChunk } from '../chunks.ts'
import type { Db } from '../database.ts'

/** A person in an audience: pseudonyms only. */
export interface Member {
  readonly member: string
  readonly identifiers: readonly { readonly kind: string; readonly pseudonym: string; readonly matched: boolean }[]
}

type Tenant = Pick<PrincipalRef, 'tenantId'>

/** Puts people into an audience; one who is in it already is there with the new identifiers too. Returns whether that changed anything. */
export async function addMembers(
  tx: Db,
  { tenantId }: Tenant,
  sellerId: string,
  members: readonly Member[],
  now: Date,
): Promise<boolean> {
  const before = await countRows(tx, tenantId, sellerId)
  const key = { tenant_id: tenantId, seller_id: sellerId }
  const rows = new Map(
    members.map(({ member, identifiers }) => [
      member,
      { ...key, member, matched: identifiers.some(({ matched }) => matched) ? 1 : 0, added_at: now.toISOString() },
    ]),
  )
  await forEachChunk([...rows.values()], (chunk) =>
    tx
      .insertInto('audience_members')
      .values(chunk)
      .onConflict((c) =>
        c.columns(['tenant_id', 'seller_id', 'member']).doUpdateSet((e) => ({
          added_at: e.ref('excluded.added_at'),
          // Known by an older identifier is still known.
          matched: e
            .case()
            .when('excluded.matched', '>', e.ref('audience_members.matched'))
            .then(e.ref('excluded.matched'))
            .else(e.ref('audience_members.matched'))
            .end(),
        })),
      )
      .execute(),
  )
  const identifiers = members.flatMap(({ member, identifiers }) =>
    identifiers.map(({ kind, pseudonym, matched }) => ({ ...key, member, kind, pseudonym, matched: matched ? 1 : 0 })),
  )
  await forEachChunk(identifiers, (chunk) =>
    tx
      .insertInto('audience_identifiers')
      .values(chunk)
      .onConflict((c) => c.doNothing())
      .execute(),
  )
  return (await countRows(tx, tenantId, sellerId)) !== before
}

/** Takes people out of an audience: by the buyer's id of them, and everyone with one of their identifiers. Returns how many left. */
export async function removeMembers(tx: Db, { tenantId }: Tenant, sellerId: string, members: readonly Member[]): Promise<number> {
  const pseudonyms = members.flatMap(({ identifiers }) => identifiers.map(({ pseudonym }) => pseudonym))
  const leaving = new Set(members.map(({ member }) => member))
  await forEachChunk(pseudonyms, async (chunk) => {
    const rows = await tx
      .selectFrom('audience_identifiers')
      .select('member')
      .distinct()
      .where('tenant_id', '=', tenantId)
      .where('seller_id', '=', sellerId)
      .where('pseudonym', 'in', chunk)
      .execute()
    for (const { member } of rows) leaving.add(member)
  })
  let left = 0
  await forEachChunk([...leaving], async (chunk) => {
    const { numDeletedRows } = await tx
      .deleteFrom('audience_members')
      .where('tenant_id', '=', tenantId)
      .where('seller_id', '=', sellerId)
      .where('member', 'in', chunk)
      .executeTakeFirst()
    left += Number(numDeletedRows)
  })
  return left
}

/** Sizes of audiences by our id; one without members has no entry of its own in the store and is empty here. */
export async function sizesOf(
  db: Db,
  tenantId: string,
  sellerIds: readonly string[],
): Promise<ReadonlyMap<string, AudienceSize>> {
  const sizes = new Map<string, AudienceSize>(sellerIds.map((id) => [id, EMPTY]))
  if (sellerIds.length === 0) return sizes
  const members = await db
    .selectFrom('audience_members')
    .select((e) => ['seller_id', e.fn.countAll().as('members'), e.fn.sum('matched').as('matched')])
    .where('tenant_id', '=', tenantId)
    .where('seller_id', 'in', sellerIds)
    .groupBy('seller_id')
    .execute()
  // A member may have several identifiers of a kind: universal ids of several devices.
  const perMember = db
    .selectFrom('audience_identifiers')
    .select((e) => ['seller_id', 'kind', 'member', e.fn.max('matched').as('matched')])
    .where('tenant_id', '=', tenantId)
    .where('seller_id', 'in', sellerIds)
    .groupBy(['seller_id', 'kind', 'member'])
  const kinds = await db
    .selectFrom(perMember.as('m'))
    .select((e) => ['seller_id', 'kind', e.fn.countAll().as('submitted'), e.fn.sum('matched').as('matched')])
    .groupBy(['seller_id', 'kind'])
    .orderBy('kind')
    .execute()
  for (const row of members) {
    sizes.set(row.seller_id, {
      members: Number(row.members),
      matched: Number(row.matched),
      byKind: kinds
        .filter(({ seller_id }) => seller_id === row.seller_id)
        .map(({ kind, submitted, matched }) => ({ kind, submitted: Number(submitted), matched: Number(matched) })),
    })
  }
  return sizes
}

async function countRows(db: Db, tenantId: string, sellerId: string): Promise<number> {
  const count = async (table: 'audience_members' | 'audience_identifiers') => {
    const { rows } = await db
      .selectFrom(table)
      .select((e) => e.fn.countAll().as('rows'))
      .where('tenant_id', '=', tenantId)
      .where('seller_id', '=', sellerId)
      .executeTakeFirstOrThrow()
    return Number(rows)
  }
  return (await count('audience_members')) + (await count('audience_identifiers'))
}
