import { randomUUID } from 'node:crypto'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import type { AttemptSubject, WebhookAttempt } from '../../domain/webhook/webhook-attempt.ts'
import type { Db } from '../database.ts'

/** Most attempts of one subject that an answer may have (AdCP 3.1, `webhook_activity_limit`). Older ones could never be read, so they are dropped. */
const MOST_OF_ONE = 200
/** A record is readable for at least 30 days (snapshot-and-log page, "Retention"); a day more covers clocks that differ. */
const RETENTION_MS = 31 * 86_400_000

/** Records an attempt, and drops what is too old a record of the same subject ever to be shown. */
export async function insertAttempt(
  tx: Db,
  owner: PrincipalRef,
  subject: AttemptSubject,
  attempt: WebhookAttempt,
): Promise<void> {
  const { result } = attempt
  await tx
    .insertInto('webhook_attempts')
    .values({
      attempt_id: `wha_${randomUUID()}`,
      tenant_id: owner.tenantId,
      principal_id: owner.principalId,
      subject_kind: subject.kind,
      subject_id: subject.id,
      idempotency_key: attempt.idempotencyKey,
      notification_type: attempt.notificationType,
      subscriber_id: attempt.subscriberId ?? null,
      sequence_number: attempt.sequenceNumber ?? null,
      attempt: attempt.attempt,
      fired_at: attempt.firedAt,
      completed_at: attempt.completedAt,
      url: attempt.url,
      http_status: result.status ?? null,
      timed_out: result.timedOut === true ? 1 : 0,
      bytes: result.bytes ?? null,
    })
    .execute()
  const superfluous = attemptsOf(tx, owner, subject).select('attempt_id').limit(MOST_OF_ONE).offset(MOST_OF_ONE)
  await tx.deleteFrom('webhook_attempts').where('attempt_id', 'in', superfluous).execute()
}

/** The latest attempts of a buyer's subject, newest first. `limit` is at most 200. */
export async function listAttempts(
  db: Db,
  owner: PrincipalRef,
  subject: AttemptSubject,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<WebhookAttempt[]> {
  const rows = await attemptsOf(db, owner, subject)
    .selectAll()
    .where('completed_at', '>', retainedSince(now))
    .limit(Math.min(limit, MOST_OF_ONE))
    .execute()
  return rows.map((row) => ({
    idempotencyKey: row.idempotency_key,
    notificationType: row.notification_type,
    subscriberId: row.subscriber_id ?? undefined,
    sequenceNumber: row.sequence_number ?? undefined,
    attempt: row.attempt,
    firedAt: row.fired_at,
    completedAt: row.completed_at,
    url: row.url,
    result: { status: row.http_status ?? undefined, timedOut: row.timed_out === 1, bytes: row.bytes ?? undefined },
  }))
}

/** Drops what is no longer shown. */
export async function sweepAttempts(tx: Db, now: Date): Promise<void> {
  await tx.deleteFrom('webhook_attempts').where('completed_at', '<=', retainedSince(now)).execute()
}

function attemptsOf(db: Db, { tenantId, principalId }: PrincipalRef, { kind, id }: AttemptSubject) {
  return db
    .selectFrom('webhook_attempts')
    .where('tenant_id', '=', tenantId)
    .where('principal_id', '=', principalId)
    .where('subject_kind', '=', kind)
    .where('subject_id', '=', id)
    .orderBy('fired_at', 'desc')
    .orderBy('attempt', 'desc')
    .orderBy('attempt_id')
}

function retainedSince(now: Date): string {
  return new Date(now.getTime() - RETENTION_MS).toISOString()
}
