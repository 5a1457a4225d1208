import type { ExamineFiles } from '../../ad-serving/embedded/files/examine-files.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import { attemptDue, attemptReason, MOST_ATTEMPTS, UNSEEN_FILES, waitingForAttempt } from '../../domain/creative/examination.ts'
import { transition } from '../../domain/creative/lifecycle.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreatives, saveCreative } from '../../store/creative/creatives.ts'
import { listWaitingFor } from '../../store/creative/unseen-creatives.ts'
import type { Store } from '../../store/database.ts'
import { decideCreative } from './decide-creative.ts'

/** Creatives that are examined at once: their files are in memory. */
const AT_ONCE = 4
/** Of them of one buyer: hosts that do not answer hold the others up no longer than one creative takes. */
const OF_BUYER = 2
/** Enough to find one of another publisher and buyer among them. */
const MOST_LISTED = 40

export interface ExaminingParts {
  readonly store: Store
  readonly examine: ExamineFiles
  readonly clock: () => Date
  /** Sends the webhooks that decisions made. */
  readonly wake: () => void
  /** Called when one is done, so that the next is begun. */
  readonly onDone: () => void
  readonly onError: (error: unknown) => void
}

/** Examines the files of creatives that wait for it. */
export interface CreativeExaminer {
  /** Begins to examine as many as may be at once, and waits for none of them. */
  look(): Promise<boolean>
  /** Ends what runs; those creatives are tried again later. */
  stop(): Promise<void>
}

interface Waiting {
  readonly owner: PrincipalRef
  readonly creative: Creative
}

/**
 * Fetches the files of creatives that wait for it, and decides: approved, rejected with the reason, left to a person, or tried again later, {@link MOST_ATTEMPTS} times at most. What changed
 * meanwhile, or another process took, stays as it is. The next creative is of the publisher, and of it the buyer, with the fewest examinations that run; among equals, of the one that was served longest ago.
 */
export function createCreativeExaminer(parts: ExaminingParts): CreativeExaminer {
  const running = new Map<string, { readonly owner: PrincipalRef; readonly done: Promise<void> }>()
  const stopping = new AbortController()
  let served = new Map<string, number>()
  let turn = 0

  const runningOf = (isSame: (owner: PrincipalRef) => boolean) =>
    [...running.values()].filter(({ owner }) => isSame(owner)).length
  const ofBuyer = ({ owner }: Waiting) => runningOf((other) => buyerOf(other) === buyerOf(owner))
  const ofPublisher = ({ owner }: Waiting) => runningOf(({ tenantId }) => tenantId === owner.tenantId)
  const lastTurn = ({ owner }: Waiting) => served.get(buyerOf(owner)) ?? 0

  const nextOf = (waiting: readonly Waiting[]) =>
    waiting
      .filter((each) => !running.has(keyOf(each)) && ofBuyer(each) < OF_BUYER)
      .toSorted((a, b) => ofPublisher(a) - ofPublisher(b) || ofBuyer(a) - ofBuyer(b) || lastTurn(a) - lastTurn(b))[0]

  const begin = (next: Waiting) => {
    turn += 1
    served.set(buyerOf(next.owner), turn)
    const done = examineOne(next, parts, stopping.signal)
      .catch(parts.onError)
      .finally(() => {
        running.delete(keyOf(next))
        parts.wake()
        parts.onDone()
      })
    running.set(keyOf(next), { owner: next.owner, done })
  }

  return {
    async look() {
      if (running.size >= AT_ONCE) return false
      const now = parts.clock()
      const reasons = { reason: UNSEEN_FILES, except: waitingForAttempt(now) }
      const listed = await listWaitingFor(parts.store.read, reasons, MOST_LISTED)
      const due = listed.filter(({ creative }) => attemptDue(creative, now) !== undefined)
      served = new Map([...served].filter(([buyer]) => due.some(({ owner }) => buyerOf(owner) === buyer)))
      while (running.size < AT_ONCE) {
        const next = nextOf(due)
        if (!next) break
        begin(next)
        due.splice(due.indexOf(next), 1)
      }
      return false
    },
    async stop() {
      stopping.abort()
      await Promise.all([...running.values()].map(({ done }) => done))
    },
  }
}

function buyerOf({ tenantId, principalId }: PrincipalRef): string {
  return `${tenantId}/${principalId}`
}

function keyOf({ owner, creative }: Waiting): string {
  return `${buyerOf(owner)}/${creative.accountId}/${creative.creativeId}`
}

async function examineOne(
  { owner, creative: listed }: Waiting,
  { store, examine, clock }: ExaminingParts,
  signal: AbortSignal,
): Promise<void> {
  const attempt = attemptDue(listed, clock())
  // The attempt is taken before the files are fetched: a process that took it meanwhile has another revision by now.
  const taken = attempt === undefined ? undefined : await saved(owner, listed, attemptReason(attempt), { store, clock })
  if (attempt === undefined || !taken) return
  const found = await examine(listed.content.assets, { buyer: buyerOf(owner), signal })
  if (signal.aborted) return
  const current = await reread(owner, taken, store)
  if (current?.revision !== taken.revision) return
  const decide = (status: 'approved' | 'rejected', reason?: string) =>
    decideCreative(store, { ...owner, accountId: taken.accountId, creativeId: taken.creativeId }, status, reason, clock())
  if (found.kind === 'fit') await decide('approved')
  else if (found.kind === 'refused') await decide('rejected', found.reason)
  else if (found.kind === 'person') await saved(owner, current, found.reason, { store, clock })
  else if (attempt >= MOST_ATTEMPTS)
    await decide('rejected', `${found.reason}; ${MOST_ATTEMPTS} attempts failed, send it again once it answers`)
  else await saved(owner, current, attemptReason(attempt, found.reason), { store, clock })
}

/** The creative in review for another reason, as it is stored then; undefined where it changed in between. */
async function saved(
  owner: PrincipalRef,
  creative: Creative,
  reason: string,
  { store, clock }: Pick<ExaminingParts, 'store' | 'clock'>,
): Promise<Creative | undefined> {
  try {
    await store.transaction((tx) => saveCreative(tx, owner, transition(creative, 'pending_review', clock(), reason)))
    return await reread(owner, creative, store)
  } catch (error) {
    if (error instanceof AdcpError && error.code === 'CONFLICT') return undefined
    throw error
  }
}

async function reread(owner: PrincipalRef, { accountId, creativeId }: Creative, store: Store): Promise<Creative | undefined> {
  const found = (await findCreatives(store.read, owner, accountId, [creativeId])).get(creativeId)
  return found?.accountId === accountId ? found : undefined
}
