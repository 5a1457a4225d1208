import { CHANGES_KEPT_DAYS } from '../domain/account/account-change.ts'
import { SESSION_TTL_SECONDS } from '../domain/si/session.ts'
import { sweepChanges } from './account/account-changes.ts'
import { sweepTombstones } from './creative/creative-tombstones.ts'
import type { Db, Store } from './database.ts'
import { firstLoggedHour, sweepEmbeddedEvents } from './embedded/events.ts'
import { sweepExposures } from './embedded/exposures.ts'
import { sweepEmbeddedFiles } from './embedded/files.ts'
import { sweepEmbeddedLists } from './embedded/lists.ts'
import { pruneNonces } from './identity/nonces.ts'
import { sweepOauth } from './identity/oauth-records.ts'
import type { SharedLimits } from './limits/shared-limits.ts'
import { sweepHolds } from './media-buy/inventory-holds.ts'
import { sweepInvitations } from './people/person-invitations.ts'
import { sweepPersonSessions } from './people/person-sessions.ts'
import { sweepPersonalData } from './privacy/personal-data.ts'
import { sweepProposals } from './product/proposals.ts'
import { sweepSessions } from './si/si-sessions.ts'
import { sweepIdempotency } from './task/idempotency.ts'
import { sweepMatchUsers } from './trusted-match/identity/exposures.ts'
import { sweepAttempts } from './webhook/webhook-attempts.ts'

/** Keys of signed requests that are dropped at a time. */
const SWEEP_KEYS = 1000
/** Answers to retries that one transaction drops: a few milliseconds of a server that other calls wait for. */
const SWEEP_ANSWERS = 500
/** Events of ads that one transaction drops. */
const SWEEP_EVENTS = 5000
/** Changes of accounts that one transaction drops. */
const SWEEP_CHANGES = 500
/** They are promised for 90 days, and a day more does not hurt. */
const CHANGES_MS = (CHANGES_KEPT_DAYS + 1) * 86_400_000
/** Hosted files that one transaction drops. */
const SWEEP_FILES = 20
/** A file that is being written for a creative is not used yet. */
const UNUSED_FILES_MS = 86_400_000
/** How long after its end a proposal is still known as expired. */
const PROPOSALS_MS = 30 * 86_400_000
/** Frequency caps over a whole flight look back as far as it lasts; longer flights are rare. */
const EXPOSURES_MS = 400 * 86_400_000
/** Exposure tokens of Trusted Match are refused when they are older than seven days. */
const EXPOSURE_TOKENS_MS = 8 * 86_400_000

export interface SweepOptions {
  readonly privacy: Parameters<typeof sweepPersonalData>[2]
  readonly limits: Pick<SharedLimits, 'sweep'>
  /** Whether people log in here, so that there are grants to drop. */
  readonly withOauth: boolean
  readonly clock: () => Date
}

/**
 * One round of dropping what is over: idempotency records, proposals and what they held, grants, nonces, counts of limits, events of ads, files that nothing uses, data of
 * persons and conversations. In many short transactions, so that calls come in between. True when there may be more to drop.
 */
export async function sweep(store: Store, { privacy, limits, withOauth, clock }: SweepOptions): Promise<boolean> {
  const now = clock()
  const drop = <T>(work: (tx: Db) => Promise<T>) => store.transaction(work, { isolation: 'statement' })
  const answers = await drop((tx) => sweepIdempotency(tx, now, SWEEP_ANSWERS))
  const holds = await store.transaction((tx) => sweepHolds(tx, now), { isolation: 'read-committed' })
  await drop((tx) => sweepProposals(tx, new Date(now.getTime() - PROPOSALS_MS)))
  if (withOauth) await drop((tx) => sweepOauth(tx, now))
  await pruneNonces(store, now.getTime() / 1000, SWEEP_KEYS)
  await limits.sweep(now)
  await drop((tx) => sweepPersonalData(tx, now, privacy))
  await drop((tx) => sweepExposures(tx, new Date(now.getTime() - EXPOSURES_MS)))
  const events = await drop((tx) => sweepEmbeddedEvents(tx, firstLoggedHour(now), SWEEP_EVENTS))
  const files = await drop((tx) => sweepEmbeddedFiles(tx, new Date(now.getTime() - UNUSED_FILES_MS), SWEEP_FILES))
  await drop((tx) => sweepEmbeddedLists(tx, now))
  await drop((tx) => sweepSessions(tx, now, SESSION_TTL_SECONDS))
  await drop((tx) => sweepPersonSessions(tx, now))
  await drop((tx) => sweepInvitations(tx, now))
  const ago = (ms: number) => new Date(now.getTime() - ms)
  await drop((tx) => sweepMatchUsers(tx, { exposures: ago(EXPOSURES_MS), nonces: ago(EXPOSURE_TOKENS_MS), now }))
  await drop((tx) => sweepTombstones(tx, now))
  await drop((tx) => sweepAttempts(tx, now))
  const changes = await drop((tx) => sweepChanges(tx, ago(CHANGES_MS), SWEEP_CHANGES))
  return holds || changes === SWEEP_CHANGES || answers === SWEEP_ANSWERS || events === SWEEP_EVENTS || files === SWEEP_FILES
}
