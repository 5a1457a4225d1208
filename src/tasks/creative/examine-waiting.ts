import type { ExamineFiles } from '../../ad-serving/embedded/files/examine-files.ts'
import type { Creative } from '../../domain/creative/creative.ts'
import { attemptDue, attemptReason, MOST_ATTEMPTS, UNSEEN_FILES } from '../../domain/creative/examination.ts'
import { transition } from '../../domain/creative/lifecycle.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreatives, saveCreative } from '../../store/creative/creatives.ts'
import { listWaitingFor } from '../../store/creative/unseen-creatives.ts'
import type { Store } from '../../store/database.ts'
import { decideCreative } from './decide-creative.ts'

/** Creatives that are looked through in one go, and how many of them are fetched at once: their files are in memory. */
const MOST_LISTED = 200
const AT_ONCE = 3

export interface ExaminingParts {
  readonly store: Store
  readonly examine: ExamineFiles
  readonly clock: () => Date
  /** Sends the webhooks that decisions made. */
  readonly wake: () => void
}

/**
 * Fetches the files of creatives that wait for it, and decides: approved, rejected with the reason, left to a person, or tried again later, {@link MOST_ATTEMPTS} times at most. What changed
 * meanwhile, or another process took, stays as it is.
 */
export async function examineWaiting(parts: ExaminingParts): Promise<boolean> {
  const { store, clock, wake } = parts
  const waiting = await listWaitingFor(store.read, UNSEEN_FILES, MOST_LISTED)
  const due = waiting.filter(({ creative }) => attemptDue(creative, clock()) !== undefined)
  for (let at = 0; at < due.length; at += AT_ONCE)
    await Promise.all(due.slice(at, at + AT_ONCE).map(({ owner, creative }) => examineOne(owner, creative, parts)))
  if (due.length > 0) wake()
  return false
}

async function examineOne(owner: PrincipalRef, listed: Creative, { store, examine, clock }: ExaminingParts): Promise<void> {
  const attempt = attemptDue(listed, clock())
  // The attempt is taken before the files are fetched: a process that took it meanwhile has another revision by now.
  const taken = attempt === undefined ? undefined : await saved(owner, listed, attemptReason(attempt), { store, clock })
  if (attempt === undefined || !taken) return
  const found = await examine(listed.content.assets)
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
