import { CHANGES_KEPT_DAYS } from '../domain/account/account-change.ts'
import { RETENTION_DAYS } from '../domain/reporting/offering.ts'
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
import { sweepRecords } from './reporting/add-records.ts'
import { sweepReportFiles } from './reporting/files.ts'
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
const REPORTS_MS = (RETENTION_DAYS + 1) * 86_400_000
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
  /** Told of each step that fails, by its name; the others are done all the same. */
  readonly onFailure: (step: string, error: unknown) => void
}

/** Gives whether there may be more to drop. */
type Step = () => Promise<boolean>

/**
 * One round of dropping what is over: idempotency records, proposals and what they held, grants, nonces, counts of limits, events of ads, files that nothing uses, data of
 * persons and conversations. In many short transactions, so that calls come in between; what cannot be dropped keeps nothing else. True when there may be more to drop.
 */
export async function sweep(store: Store, options: SweepOptions): Promise<boolean> {
  let more = false
  for (const [name, step] of Object.entries(stepsOf(store, options))) {
    try {
      more = (await step()) || more
    } catch (error) {
      options.onFailure(name, error)
    }
  }
  return more
}

function stepsOf(store: Store, { privacy, limits, withOauth, clock }: SweepOptions): Readonly<Record<string, Step>> {
  const now = clock()
  const ago = (ms: number) => new Date(now.getTime() - ms)
  const drop = <T>(work: (tx: Db) => Promise<T>) => store.transaction(work, { isolation: 'statement' })
  const all =
    (work: (tx: Db) => Promise<unknown>): Step =>
    async () => {
      await drop(work)
      return false
    }
  const some =
    (most: number, work: (tx: Db) => Promise<number>): Step =>
    async () =>
      (await drop(work)) === most
  return {
    answers: some(SWEEP_ANSWERS, (tx) => sweepIdempotency(tx, now, SWEEP_ANSWERS)),
    holds: () => store.transaction((tx) => sweepHolds(tx, now), { isolation: 'read-committed' }),
    proposals: all((tx) => sweepProposals(tx, ago(PROPOSALS_MS))),
    ...(withOauth && { grants: all((tx) => sweepOauth(tx, now)) }),
    nonces: async () => {
      await pruneNonces(store, Math.floor(now.getTime() / 1000), SWEEP_KEYS)
      return false
    },
    limits: async () => {
      await limits.sweep(now)
      return false
    },
    personal_data: all((tx) => sweepPersonalData(tx, now, privacy)),
    exposures: all((tx) => sweepExposures(tx, ago(EXPOSURES_MS))),
    ad_events: some(SWEEP_EVENTS, (tx) => sweepEmbeddedEvents(tx, firstLoggedHour(now), SWEEP_EVENTS)),
    files: some(SWEEP_FILES, (tx) => sweepEmbeddedFiles(tx, ago(UNUSED_FILES_MS), SWEEP_FILES)),
    lists: all((tx) => sweepEmbeddedLists(tx, now)),
    conversations: all((tx) => sweepSessions(tx, now, SESSION_TTL_SECONDS)),
    person_sessions: all((tx) => sweepPersonSessions(tx, now)),
    invitations: all((tx) => sweepInvitations(tx, now)),
    match_users: all((tx) => sweepMatchUsers(tx, { exposures: ago(EXPOSURES_MS), nonces: ago(EXPOSURE_TOKENS_MS), now })),
    tombstones: all((tx) => sweepTombstones(tx, now)),
    webhook_attempts: all((tx) => sweepAttempts(tx, now)),
    reports: some(SWEEP_CHANGES, (tx) => sweepRecords(tx, ago(REPORTS_MS), SWEEP_CHANGES)),
    report_files: some(SWEEP_CHANGES, (tx) => sweepReportFiles(tx, ago(REPORTS_MS), SWEEP_CHANGES)),
    changes: some(SWEEP_CHANGES, (tx) => sweepChanges(tx, ago(CHANGES_MS), SWEEP_CHANGES)),
  }
}
