import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebhookCall } from '../../features/webhooks/webhook-types.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { SealBroken } from '../../security/secrets/secret-box.ts'
import { CommitUnknown } from '../../store/database.ts'
import { settleAll } from '../../store/settle-all.ts'
import { anchorOf } from '../../store/task/answer-place.ts'
import type { ClaimResult, IdempotencyScope } from '../../store/task/idempotency.ts'
import { claimKey, EVERY_ACCOUNT, publishResponse, releaseClaim } from '../../store/task/idempotency.ts'
import { auditSubject } from '../audit-subject.ts'
import { changesState } from '../mutating.ts'
import { presentAnswer } from '../present-answer.ts'
import { requestHash } from '../request-hash.ts'
import type { Next, Result, State, Step } from '../state.ts'
import type { PublicContext } from '../task.ts'
import { factsOf } from './map-errors.ts'

/** How often a duplicate checks whether the first request is done. */
const POLL_MS = 20

/**
 * Idempotency (AdCP security: "Idempotency"): two short transactions. The first claims the key; the second holds the handler's
 * writes and the stored response, so that both commit or neither. Only successes are stored: a throw gives the key back,
 * and a claim whose owner died is taken over, at once by a process that knows it, else when its lease ends. Opens the transaction for tasks without a key too.
 */
export const replay: Step = async (state, next) => {
  const scope = scopeOf(state)
  if (!scope) return execute(state, next, randomUUID(), undefined)
  const hash = await inTurns(requestHash(state.task?.name, state.request ?? {}))
  const { claims } = state.deps
  const claim = claims.begin()
  try {
    return await claimed(state, next, scope, hash, claim)
  } finally {
    claims.end(claim)
  }
}

async function claimed(state: State, next: Next, scope: IdempotencyScope, hash: string, claim: string): Promise<Result> {
  const outcome = await claimOrWait(state, scope, hash, claim)
  if (outcome.kind === 'replay')
    return { payload: presented(state, await storedAnswer(state, scope, outcome.response)), replayed: true }
  if (outcome.kind !== 'claimed') throw refusalOf(outcome)
  try {
    return await execute(state, next, anchorOf(scope), { scope, claim })
  } catch (error) {
    await release(state, scope, claim, error)
    throw error
  }
}

/**
 * Gives the key of a failed call back. Not when it is unknown whether the call was committed: then its retry is told by what stands
 * in the store, or takes the claim over. So it is when the release fails.
 */
async function release({ deps, log }: State, scope: IdempotencyScope, claim: string, reason: unknown): Promise<void> {
  if (reason instanceof CommitUnknown) return
  await deps.store
    .transaction((tx) => releaseClaim(tx, scope, claim), { isolation: 'statement' })
    .catch((cause: unknown) => log.warn({ err: cause }, 'a claim stays until it is taken over'))
}

/**
 * A key belongs to the agent, whatever the task and the account: were the account a part of it, the same key would have a second effect on a
 * task that names no account (DIVERGENCES, Idempotency). Without a principal there is nothing to scope it by.
 */
function scopeOf({ principal, request }: State): IdempotencyScope | undefined {
  if (!principal || !request || !('idempotency_key' in request) || typeof request.idempotency_key !== 'string') return undefined
  return {
    tenantId: principal.tenantId,
    principalId: principal.principalId,
    accountId: EVERY_ACCOUNT,
    key: request.idempotency_key,
  }
}

/** A stored answer in the caller's release, which may be another than that of the first call. */
function presented({ contract, task }: State, payload: Result['payload']): Result['payload'] {
  return task ? presentAnswer(contract, task.name, payload) : payload
}

/** An answer that was sealed under another deployment secret (the store was restored without it) is lost to its caller. */
async function storedAnswer({ deps }: State, scope: IdempotencyScope, text: string): Promise<Result['payload']> {
  try {
    return await deps.answerSeal.read(text, anchorOf(scope))
  } catch (error) {
    if (error instanceof SealBroken) throw expired(error)
    throw error
  }
}

async function claimOrWait(state: State, scope: IdempotencyScope, hash: string, claim: string): Promise<ClaimResult> {
  const { store, idempotency, claims } = state.deps
  const deadline = performance.now() + idempotency.waitMs
  for (;;) {
    const now = state.deps.clock()
    const latest = new Date(now.getTime() + idempotency.leaseMs)
    const times = {
      now,
      leaseUntil: claims.leaseUntil(now, latest),
      expiresAt: new Date(now.getTime() + idempotency.ttlMs),
      forgetAt: new Date(now.getTime() + idempotency.ttlMs + idempotency.tombstoneMs),
    }
    // A claim that a crash takes away was of a call that the crash ended as well: what that call commits holds only with its claim.
    const result = await store.transaction((tx) => claimKey(tx, scope, hash, claim, times, claims.isOver), {
      isolation: 'statement',
      durability: 'lazy',
    })
    if (result.kind === 'claimed') claims.keep(claim, scope, latest)
    if (result.kind !== 'in-flight' || performance.now() >= deadline) return result
    await sleep(POLL_MS)
  }
}

function refusalOf(result: Exclude<ClaimResult, { kind: 'claimed' | 'replay' }>): AdcpError {
  switch (result.kind) {
    case 'conflict': {
      const repair = 'send a new key with a new request, or the first request unchanged to get its answer again'
      return new AdcpError('IDEMPOTENCY_CONFLICT', `this idempotency_key was used with a different request: ${repair}`)
    }
    case 'expired':
      return expired()
    case 'in-flight':
      return new AdcpError('IDEMPOTENCY_IN_FLIGHT', 'the first request with this key is still running', { retryAfter: 1 })
  }
}

function expired(cause?: unknown): AdcpError {
  return new AdcpError('IDEMPOTENCY_EXPIRED', 'the result of this idempotency key is no longer stored', {
    field: 'idempotency_key',
    suggestion: 'check the effect (e.g. get_media_buys) before using a new key',
    cause,
  })
}

/** Prepares outside any transaction, then runs the inner steps inside one when the task changes something. */
async function execute(
  state: State,
  next: Next,
  anchor: string,
  owner: { scope: IdempotencyScope; claim: string } | undefined,
): Promise<Result> {
  const { deps, task } = state
  if (!task) throw new Error('a call without a task reached its execution')
  const { webhooks } = deps.services
  const webhookCall = webhookCallOf(state)
  if (webhookCall) await webhooks.check(webhookCall)
  const context = { ...contextOf(state), anchor }
  const prepared = await task.prepare?.(state.request ?? {}, context)
  const reads = !changesState(task, state.request)
  // What only reads may ask an ad server, and has no effect that the transaction would have to hold together with the answer.
  const read = reads ? await next({ ...state, execution: { tx: deps.store.read, prepared } }) : undefined
  if (read && !owner) return read
  try {
    let due = false
    const isolation = task.isolation?.(state.request ?? {}, prepared) ?? 'serializable'
    const result = await deps.store.transaction(
      async (tx) => {
        const result = read ?? (await next({ ...state, execution: { tx, prepared } }))
        const answer = owner && (await deps.answerSeal.write(result.neutral ?? result.payload, anchorOf(owner.scope)))
        if (webhookCall) due = await webhooks.record(tx, webhookCall, result.neutral ?? result.payload)
        const [isPublished] = await settleAll([
          owner && answer !== undefined ? publishResponse(tx, owner.scope, owner.claim, answer) : true,
          reads ? undefined : deps.audit.change(tx, { ...factsOf(state), ...auditSubject(result.neutral ?? result.payload) }),
        ])
        if (!isPublished) {
          throw new AdcpError('IDEMPOTENCY_IN_FLIGHT', 'another request with this key took over', { retryAfter: 1 })
        }
        return result
      },
      { isolation, origin: 'adcp' },
    )
    if (due) webhooks.wake()
    return result
  } catch (error) {
    // A claim that was taken over has a new owner, who relies on the same outside effects: they share the anchor. So does the
    // retry of a call that may or may not have been committed.
    const mayStand = error instanceof CommitUnknown || (error instanceof AdcpError && error.code === 'IDEMPOTENCY_IN_FLIGHT')
    if (!mayStand)
      await task.undo?.(state.request ?? {}, context, prepared).catch((cause) => state.log.error({ err: cause }, 'undo failed'))
    throw error
  }
}

/** The call as webhooks see it; only a known agent can register any. */
function webhookCallOf({ task, contract, request, principal, account, now, log, call }: State): WebhookCall | undefined {
  return task && request && principal && { task, contract, request, principal, account, native: call.nativePush, now, log }
}

/** The part of the state that tasks may see. */
export function contextOf(state: State): PublicContext {
  const { call, tenant, principal, account, contract, now, log, deps } = state
  if (!tenant) throw new Error('a call without a tenant reached its task')
  const { remoteAddress } = call.credentials
  const received = { tool: call.tool, arguments: call.arguments }
  return { tenant, principal, account, contract, now, remoteAddress, received, log, services: deps.services, db: deps.store.read }
}
