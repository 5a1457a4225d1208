import type { Db } from '../../database.ts'

/** A buyer's audience as its orders name it. */
export interface AudienceName {
  readonly principalId: string
  readonly accountId: string
  readonly audienceId: string
}

/** Our ids of a publisher's audiences, by the buyer's names of them. */
export async function audienceIds(db: Db, tenantId: string): Promise<(name: AudienceName) => string | undefined> {
  const rows = await db
    .selectFrom('audiences')
    .select(['principal_id', 'account_id', 'audience_id', 'seller_id'])
    .where('tenant_id', '=', tenantId)
    .execute()
  const keyOf = (principalId: string, accountId: string, audienceId: string) =>
    JSON.stringify([principalId, accountId, audienceId])
  const ids = new Map(rows.map((row) => [keyOf(row.principal_id, row.account_id, row.audience_id), row.seller_id]))
  return ({ principalId, accountId, audienceId }) => ids.get(keyOf(principalId, accountId, audienceId))
}

/** Which of these audiences somebody with one of these pseudonyms is in. */
export async function audiencesWith(
  db: Db,
  tenantId: string,
  { pseudonyms, asked }: { readonly pseudonyms: readonly string[]; readonly asked: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (pseudonyms.length === 0 || asked.length === 0) return new Set()
  const rows = await db
    .selectFrom('audience_identifiers')
    .select('seller_id')
    .distinct()
    .where('tenant_id', '=', tenantId)
    .where('pseudonym', 'in', pseudonyms)
    .execute()
  const wanted = new Set(asked)
  return new Set(rows.map((row) => row.seller_id).filter((id) => wanted.has(id)))
}
