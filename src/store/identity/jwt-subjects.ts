import type { Identity } from '../../domain/identity/identity.ts'
import type { Db } from '../database.ts'
import { findIdentity, getPrincipal } from './identities.ts'

/** Lets a token issuer's subject act as a principal. Throws REFERENCE_NOT_FOUND. */
export async function addJwtSubject(
  tx: Db,
  entry: { tenantId: string; principalId: string; issuer: string; subject: string },
  now: Date,
): Promise<void> {
  await getPrincipal(tx, entry.tenantId, entry.principalId)
  await tx
    .insertInto('jwt_subjects')
    .values({
      tenant_id: entry.tenantId,
      issuer: entry.issuer,
      subject: entry.subject,
      principal_id: entry.principalId,
      created_at: now.toISOString(),
    })
    .onConflict((c) => c.columns(['tenant_id', 'issuer', 'subject']).doUpdateSet({ principal_id: entry.principalId }))
    .execute()
}

export async function findJwtSubject(db: Db, tenantId: string, issuer: string, subject: string): Promise<Identity | undefined> {
  const row = await db
    .selectFrom('jwt_subjects')
    .select('principal_id')
    .where('tenant_id', '=', tenantId)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
  return row && findIdentity(db, tenantId, row.principal_id)
}
