import { HOUR_MS } from '../../domain/calendar/instant.ts'
import { noTransition } from '../../domain/compliance/outcome.ts'
import { oneOf, type Params, requiredText } from '../../domain/compliance/params.ts'
import {
  COUNTED_AFTER_MS,
  hourlyLab,
  JUST_AFTER_MS,
  LAB_DELIVERIES,
  LAB_REVISION_ID,
} from '../../domain/compliance/reporting-lab.ts'
import { presentPeriod } from '../../domain/reporting/obligation.ts'
import type { Revision } from '../../domain/reporting/revision.ts'
import {
  countInLab,
  labFacts,
  ledgerAbout,
  moveLab,
  notBefore,
  type PreparedLab,
  preparedLab,
  prepareLab,
  recoveryDeadline,
  revisionsOf,
} from './reporting-lab.ts'
import type { Scenario } from './scenario.ts'

type Context = Parameters<Scenario>[1]
/** What an operation is about. */
interface Asked {
  readonly params: Params
  readonly prepared: PreparedLab
  readonly context: Context
}

/** Of the operations that the schema lists, none that hides what is owed, and none about a time of escalation: this agent promises none. */
const OPERATIONS = {
  advance_time: advanceTime,
  publish_zero_row: publishZeroRow,
  publish_nonempty: publishNonempty,
  restate_snapshot: restateSnapshot,
  restate_after_received: restateAfterReceived,
  advance_past_status_deadline: advancePastStatusDeadline,
} as const
const NAMES = ['prepare', ...(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[])] as const

/**
 * `reporting_core_lifecycle_probe` (AdCP 3.2): hourly reports of an account whose clock the caller moves. What is owed, late and published follows from clock,
 * configuration and delivery as it does for every account; until an operation says otherwise, its ad server has counted nothing. Throws INVALID_STATE before `prepare`.
 */
export const probeReporting: Scenario = async (params, context, { account }) => {
  const operation = oneOf(params.operation, NAMES, 'operation')
  const beginning = hourlyLab()
  if (operation === 'prepare') return prepare(await prepareLab(account, beginning, context))
  const prepared = await preparedLab(account, beginning.generation.configId, context)
  return { success: true, simulated: await OPERATIONS[operation]({ params, prepared, context }) }
}

/** The answer to `prepare` of a scenario about reports. */
export function prepare(prepared: PreparedLab): object {
  const { generation, obligation, lab } = prepared
  const period = presentPeriod(obligation)
  const { schedule } = generation.config
  return {
    success: true,
    simulated: {
      ...labFacts(prepared, lab.now),
      configuration: generation.config,
      period,
      period_timezone: period.source_timezone,
      ...(schedule && { period_duration: schedule.period_duration }),
    },
  }
}

async function advanceTime({ params, prepared, context }: Asked) {
  const target = oneOf(params.target_health, ['delayed', 'action_required'], 'target_health')
  const { obligation } = prepared
  const boundary = target === 'delayed' ? Date.parse(obligation.expectedAt) : recoveryDeadline(obligation)
  const now = await goTo(boundary + JUST_AFTER_MS, prepared, context)
  return { ...labFacts(prepared, now), target_health: target }
}

async function advancePastStatusDeadline({ prepared, context }: Asked) {
  const deadline = recoveryDeadline(prepared.obligation)
  const now = await goTo(deadline + JUST_AFTER_MS, prepared, context)
  const seconds = (deadline - Date.parse(prepared.obligation.expectedAt)) / 1_000
  const status_deadline = new Date(deadline).toISOString()
  return {
    ...labFacts(prepared, now),
    automated_recovery_window_seconds: seconds,
    consumer_status_deadline: status_deadline,
  }
}

async function goTo(at: number, { owner, lab }: PreparedLab, context: Context): Promise<string> {
  const now = notBefore(lab, at)
  await moveLab(owner, { ...lab, now }, context)
  return now
}

async function publishZeroRow({ prepared, context }: Asked) {
  const revision = await publish(prepared, context)
  if (revision.row_count > 0) throw noTransition('nonempty', 'zero_row')
  return publishedFacts(prepared, revision, context)
}

async function publishNonempty({ prepared, context }: Asked) {
  const before = await revisionsOf(prepared, context)
  if (before.length === 0) {
    const at = new Date(Date.parse(prepared.obligation.period.start) + HOUR_MS / 2)
    await countInLab({ count: LAB_DELIVERIES.length, at }, context)
  }
  const revision = await publish(prepared, context, LAB_REVISION_ID)
  if (revision.row_count === 0) throw noTransition('zero_row', 'nonempty')
  return publishedFacts(prepared, revision, context)
}

/** Lets the source count the first period, and gives the report that is required then. */
async function publish({ owner, lab, obligation }: PreparedLab, context: Context, revisionId?: string): Promise<Revision> {
  const { end } = obligation.period
  const known = (await revisionsOf({ owner, obligation }, context)).at(-1)
  if (known) return known
  const now = notBefore(lab, Date.parse(end) + COUNTED_AFTER_MS)
  await moveLab(owner, { now, countedUntil: end, revisionId }, context)
  return requireRevision(await revisionsOf({ owner, obligation }, context))
}

function requireRevision(revisions: readonly Revision[]): Revision {
  const revision = revisions.at(-1)
  if (!revision) throw noTransition('unpublished', 'published')
  return revision
}

async function publishedFacts(prepared: PreparedLab, revision: Revision, context: Context) {
  const { lab } = await preparedLab({ account_id: prepared.owner.accountId }, prepared.generation.configId, context)
  const { reporting_revision_id, row_count, revision_content_sha256, finality } = revision
  return { ...labFacts(prepared, lab.now), reporting_revision_id, row_count, revision_content_sha256, finality }
}

async function restateSnapshot({ prepared, context }: Asked) {
  const before = requireRevision(await revisionsOf(prepared, context))
  const after = await restate(prepared, context)
  const supersedes_reporting_revision_id = before.reporting_revision_id
  return { ...(await publishedFacts(prepared, after, context)), supersedes_reporting_revision_id }
}

/** The source counts more of the first period an hour later, when it is asked again. */
async function restate(prepared: PreparedLab, context: Context): Promise<Revision> {
  const { owner, lab, obligation } = prepared
  await countInLab({ count: 1, at: new Date(Date.parse(obligation.period.start) + HOUR_MS / 2) }, context)
  await moveLab(owner, { ...lab, now: new Date(Date.parse(lab.now) + HOUR_MS).toISOString() }, context)
  return requireRevision(await revisionsOf(prepared, context))
}

/** Restates the report that the buyer has said to have received, once; again, only the clock goes on. */
async function restateAfterReceived({ params, prepared, context }: Asked) {
  const received = requiredText(params, 'received_reporting_revision_id')
  const isPast = oneOf(params.advance_to ?? 'within_grace', ['within_grace', 'past_grace'], 'advance_to') === 'past_grace'
  const { statements } = await ledgerAbout(prepared, context)
  const said = statements.get(prepared.obligation.obligationId)?.at(-1)
  if (said?.consumer_status !== 'received' || said.reporting_revision_id !== received)
    throw noTransition('not_received', 'restated')
  const published = await revisionsOf(prepared, context)
  const at = published.findIndex((each) => each.reporting_revision_id === received)
  if (at === -1) throw noTransition('unpublished', 'restated')
  const restated = published[at + 1] ?? (await restate(prepared, context))
  const { period, expectedAt } = prepared.obligation
  const grace = Date.parse(restated.created_at) + Date.parse(expectedAt) - Date.parse(period.end)
  const current = await preparedLab({ account_id: prepared.owner.accountId }, prepared.generation.configId, context)
  await goTo(isPast ? grace + JUST_AFTER_MS : Date.parse(restated.created_at) + JUST_AFTER_MS, current, context)
  return {
    ...(await publishedFacts(prepared, restated, context)),
    ...{ supersedes_reporting_revision_id: received, received_reporting_revision_id: received },
    ...{ restated_at: restated.created_at, stale_received_grace_deadline: new Date(grace).toISOString() },
  }
}
