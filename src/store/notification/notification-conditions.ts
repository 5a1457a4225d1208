import type { NotificationKind } from '../../domain/notification/notification.ts'
import { chunksOf } from '../chunks.ts'
import type { Db } from '../database.ts'

/** A condition that was noticed. */
export interface KnownCondition {
  readonly kind: NotificationKind
  readonly subject: string
  readonly goneAt: string | undefined
}

/** Conditions of some kinds that are known of a publisher. */
export async function knownConditions(
  db: Db,
  tenantId: string,
  kinds: readonly NotificationKind[],
): Promise<readonly KnownCondition[]> {
  const rows = await db
    .selectFrom('notification_conditions')
    .select(['kind', 'subject', 'gone_at'])
    .where('tenant_id', '=', tenantId)
    .where('kind', 'in', kinds)
    .execute()
  return rows.map((row) => ({ kind: row.kind, subject: row.subject, goneAt: row.gone_at ?? undefined }))
}

/** Takes note of a condition. False when it is known already: another process was faster. */
export async function addCondition(
  tx: Db,
  tenantId: string,
  { kind, subject }: Pick<KnownCondition, 'kind' | 'subject'>,
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('notification_conditions')
    .values({ tenant_id: tenantId, kind, subject, found_at: now.toISOString(), gone_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Writes since when conditions of a kind are no longer so; undefined: they are so again. */
export async function setGone(
  tx: Db,
  tenantId: string,
  kind: NotificationKind,
  subjects: readonly string[],
  goneAt: Date | undefined,
): Promise<void> {
  for (const chunk of chunksOf(subjects))
    await tx
      .updateTable('notification_conditions')
      .set({ gone_at: goneAt?.toISOString() ?? null })
      .where('tenant_id', '=', tenantId)
      .where('kind', '=', kind)
      .where('subject', 'in', chunk)
      .execute()
}

/** Forgets conditions that ended before a moment: from then on they are reported again when they come back. */
export async function forgetConditions(tx: Db, before: Date): Promise<void> {
  await tx.deleteFrom('notification_conditions').where('gone_at', '<', before.toISOString()).execute()
}
