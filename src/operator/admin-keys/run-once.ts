import { randomUUID } from 'node:crypto'
import { AdcpError } from '../../protocol/errors.ts'
import { SealBroken } from '../../security/secrets/secret-box.ts'
import {
  addRequest,
  answerPlace,
  changeRequest,
  forgetRequest,
  type RequestName,
  sweepAdminRequests,
} from '../../store/identity/admin-requests.ts'
import { notedStore } from '../audited-store.ts'
import type { OperatorContext } from '../operator-context.ts'

/** A request with an idempotency key; `hash` is the digest of its operation and members. */
export interface OnceRequest extends RequestName {
  readonly hash: string
}

export interface OnceAnswer<A> {
  readonly answer: A
  /** Whether it is the stored answer of an earlier request. */
  readonly replayed: boolean
}

/**
 * How long a request is held without news of its process, which renews it while the operation runs: who repeats a request whose process died waits so long. Longer
 * than a process is ever silent, so that none is taken from a process that lives; a change of one that had been taken over would be refused.
 */
const LEASE_MS = 15_000
const RENEW_MS = 5_000
const KEEP_MS = 24 * 3_600_000

/**
 * Runs an operation once for each idempotency key (draft-ietf-httpapi-idempotency-key-header-07 §2). The first change of the operation commits
 * together with a note of it, so that a request whose process died after it is never carried out again. A request that was refused before it
 * changed anything may be repeated under the same key, and so may one whose process died before: what it had asked of other systems meanwhile is asked again. Keys are kept for a day, answers sealed under the deployment's secret. Throws CONFLICT while the first request runs, for another request under
 * the same key, and when the change was made but its answer was lost.
 */
export async function runOnce<A extends object>(
  context: OperatorContext,
  request: OnceRequest,
  run: (context: OperatorContext) => Promise<A>,
): Promise<OnceAnswer<A>> {
  const { store, clock } = context
  const lease = randomUUID()
  const stored = await claim<A>(context, request, lease)
  if (stored !== undefined) return { answer: stored, replayed: true }
  const renewal = setInterval(() => renew(context, request, lease), RENEW_MS).unref()
  try {
    const noted = notedStore(store, async (tx) => async () => {
      if (!(await changeRequest(tx, request, { lease, from: ['running', 'changed'] }, { state: 'changed' })))
        throw refusal('another process has taken this request over; repeat it')
      return true
    })
    const answer = await run({ ...context, store: noted })
    const box = await context.services.answerBox()
    const change = { state: 'answered' as const, answer: box.seal(JSON.stringify(answer), answerPlace(request)) }
    await store.transaction((tx) => changeRequest(tx, request, { lease, from: ['running', 'changed'] }, change))
    return { answer, replayed: false }
  } catch (error) {
    await store.transaction((tx) => forgetRequest(tx, request, lease))
    throw error
  } finally {
    clearInterval(renewal)
    await store.transaction((tx) => sweepAdminRequests(tx, new Date(clock().getTime() - KEEP_MS)))
  }
}

/** Says that the process of a request lives. What fails is tried again with the next one. */
function renew({ store, clock }: OperatorContext, request: OnceRequest, lease: string): void {
  const change = { lease_until: leaseEnd(clock()) }
  store.transaction((tx) => changeRequest(tx, request, { lease, from: ['running', 'changed'] }, change)).catch(() => undefined)
}

function leaseEnd(now: Date): string {
  return new Date(now.getTime() + LEASE_MS).toISOString()
}

/** Takes a request; gives the stored answer when it was carried out before. */
async function claim<A>(
  { store, clock, services }: OperatorContext,
  request: OnceRequest,
  lease: string,
): Promise<A | undefined> {
  const now = clock()
  const until = leaseEnd(now)
  const row = {
    key_id: request.keyId,
    idempotency_key: request.idempotencyKey,
    request_hash: request.hash,
    lease,
    lease_until: until,
    created_at: now.toISOString(),
  }
  const answered = await store.transaction(async (tx) => {
    const known = await addRequest(tx, row)
    if (!known) return undefined
    if (known.request_hash !== request.hash)
      throw refusal('this idempotency key was used for another request; send a new one', 422)
    if (known.state === 'answered') return known.answer ?? ''
    if (known.state === 'changed' && known.lease_until <= now.toISOString()) throw refusal(ANSWER_LOST)
    const isFree = known.lease_until <= now.toISOString()
    const taken =
      isFree && (await changeRequest(tx, request, { lease: known.lease, from: ['running'] }, { lease, lease_until: until }))
    if (!taken) throw refusal('the request with this idempotency key is still running; repeat it later')
    return undefined
  })
  if (answered === undefined) return undefined
  try {
    return JSON.parse((await services.answerBox()).open(answered, answerPlace(request)))
  } catch (error) {
    // Its secret was retired within the day.
    throw error instanceof SealBroken ? refusal(ANSWER_LOST) : error
  }
}

const ANSWER_LOST = 'the request with this idempotency key was carried out, but its answer was lost; read what it changed'

function refusal(message: string, status = 409): AdcpError {
  return new AdcpError('CONFLICT', message, { field: 'Idempotency-Key', http: { status } })
}
