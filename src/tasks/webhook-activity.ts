import { type AttemptSubject, presentAttempt } from '../domain/webhook/webhook-attempt.ts'
import type { AuthenticatedContext, InTransaction } from '../pipeline/task.ts'
import { listAttempts } from '../store/webhook/webhook-attempts.ts'
import { endpointsOfKind, followedMediaBuys } from '../store/webhook/webhook-endpoints.ts'

type Context = InTransaction<AuthenticatedContext>

/** AdCP 3.1, `webhook_activity_limit`. */
const DEFAULT_LIMIT = 50

/** How many attempts of each row a request of 3.1 asks for; undefined when it asks for none. */
function activityLimit(request: object, { contract }: Context): number | undefined {
  if (!contract.rules.webhookActivity) return undefined
  const wanted: { include_webhook_activity?: unknown; webhook_activity_limit?: unknown } = request
  if (wanted.include_webhook_activity !== true) return undefined
  return typeof wanted.webhook_activity_limit === 'number' ? wanted.webhook_activity_limit : DEFAULT_LIMIT
}

/**
 * The attempts to notify the caller of each of these media buys, newest first, by media buy id. Without an entry: nothing of the buy goes to the caller
 * (snapshot-and-log page, "Three-state presence semantics").
 */
export async function activityOfMediaBuys(
  request: object,
  context: Context,
  mediaBuyIds: readonly string[],
): Promise<ReadonlyMap<string, readonly object[]>> {
  const limit = activityLimit(request, context)
  if (limit === undefined) return new Map()
  const followed = await followedMediaBuys(context.tx, context.principal, mediaBuyIds)
  const subjects = mediaBuyIds.map((id): AttemptSubject => ({ kind: 'media_buy', id }))
  return activityOf(context, subjects, { limit, isFollowed: ({ id }) => followed.has(id) })
}

/** The same for creatives, which the subscribers of their account are notified of; by the id of the creative. */
export async function activityOfCreatives(
  request: object,
  context: Context,
  creatives: readonly { readonly creativeId: string; readonly accountId: string }[],
): Promise<ReadonlyMap<string, readonly object[]>> {
  const limit = activityLimit(request, context)
  if (limit === undefined) return new Map()
  const accounts = new Set((await endpointsOfKind(context.tx, context.principal, 'account')).map(({ taskId }) => taskId))
  const isFollowed = new Set(
    creatives.flatMap(({ creativeId, accountId }) =>
      accounts.has(accountId) || (accountId === '' && accounts.size > 0) ? [creativeId] : [],
    ),
  )
  const subjects = creatives.map(({ creativeId: id }): AttemptSubject => ({ kind: 'creative', id }))
  return activityOf(context, subjects, { limit, isFollowed: ({ id }) => isFollowed.has(id) })
}

async function activityOf(
  { tx, principal, now }: Context,
  subjects: readonly AttemptSubject[],
  { limit, isFollowed }: { readonly limit: number; readonly isFollowed: (subject: AttemptSubject) => boolean },
): Promise<ReadonlyMap<string, readonly object[]>> {
  const found = new Map<string, readonly object[]>()
  for (const subject of subjects) {
    const attempts = await listAttempts(tx, principal, subject, { now, limit })
    if (attempts.length > 0 || isFollowed(subject)) found.set(subject.id, attempts.map(presentAttempt))
  }
  return found
}
