import { DAY_MS, HOUR_MS } from '../../domain/calendar/instant.ts'
import { noTransition } from '../../domain/compliance/outcome.ts'
import { oneOf } from '../../domain/compliance/params.ts'
import { COUNTED_AFTER_MS, localDays, localLab, SOURCE_ZONE } from '../../domain/compliance/reporting-lab.ts'
import { OFFICIAL_AFTER_DAYS } from '../../domain/reporting/form.ts'
import { dueAt, endedPeriods } from '../../domain/reporting/generation.ts'
import { sliceOf } from '../../domain/reporting/obligation.ts'
import { tellSubscribers } from '../../store/reporting/tell-subscribers.ts'
import { prepare } from './probe-reporting.ts'
import {
  countInLab,
  labFacts,
  ledgerAbout,
  moveLab,
  notBefore,
  type PreparedLab,
  preparedLab,
  prepareLab,
} from './reporting-lab.ts'
import type { Scenario } from './scenario.ts'

type Context = Parameters<Scenario>[1]

/**
 * `reliable_reporting_core_integrity_probe` (AdCP 3.2): days of a time zone whose clocks change, a final report and its correction, in an account whose clock the
 * caller moves. Throws INVALID_STATE before `prepare`.
 */
export const probeReportingIntegrity: Scenario = async (params, context, { account }) => {
  const operation = oneOf(params.operation, ['prepare', 'probe_scheduler_dst', 'publish_official_adjustment'], 'operation')
  if (operation === 'probe_scheduler_dst') return { success: true, simulated: clockChanges() }
  const beginning = localLab()
  if (operation === 'prepare') return prepare(await prepareLab(account, beginning, context))
  const prepared = await preparedLab(account, beginning.generation.configId, context)
  return { success: true, simulated: await publishOfficialAdjustment(prepared, context) }
}

/** The days of the source on which its clocks change in 2026, with when their reports are due. */
function clockChanges(): object {
  const day = (midnight: string) => {
    const generation = localDays(midnight)
    const [period] = endedPeriods(generation, new Date(Date.parse(midnight) + 2 * DAY_MS), new Date(midnight))
    if (!period) throw new Error('a day is over two days after its begin')
    return { ...period, expected_at: dueAt(generation, period) }
  }
  return {
    period_timezone: SOURCE_ZONE,
    fall_back: day('2026-11-01T04:00:00.000Z'),
    spring_forward: day('2026-03-08T05:00:00.000Z'),
  }
}

/** Lets the first day become final, and the source count more of it an hour later. Subscribers hear of the correction first, and once more at the end. */
async function publishOfficialAdjustment(prepared: PreparedLab, context: Context): Promise<object> {
  const { owner, lab, obligation } = prepared
  const { start, end } = obligation.period
  const before = await ledgerAbout(prepared, context)
  if (before.revisions.size > 0) throw noTransition('official', 'official')
  const noon = new Date((Date.parse(start) + Date.parse(end)) / 2)
  await countInLab({ count: 1, times: 500, at: noon }, context)
  const officialAt = notBefore(lab, Date.parse(end) + OFFICIAL_AFTER_DAYS * DAY_MS + COUNTED_AFTER_MS)
  await moveLab(owner, { now: officialAt, countedUntil: end }, context, { isQuiet: true })
  await countInLab({ count: 1, times: 10, at: noon }, context)
  const now = new Date(Date.parse(officialAt) + HOUR_MS).toISOString()
  await moveLab(owner, { now, countedUntil: end }, context, { isQuiet: true })
  const { revisions, adjustments } = await ledgerAbout(prepared, context)
  const sliceId = sliceOf(obligation)
  const [[revision], [adjustment]] = [revisions.get(sliceId) ?? [], adjustments.get(sliceId) ?? []]
  if (!revision || !adjustment) throw noTransition('unpublished', 'official')
  const corrected = { kind: 'adjustment', sliceId, adjustment } as const
  const told = [corrected, { kind: 'revision', sliceId, revision } as const, corrected]
  for (const record of told) await tellSubscribers(context.tx, owner, [record], context.now)
  return {
    ...labFacts(prepared, now),
    reporting_revision_id: revision.reporting_revision_id,
    reporting_adjustment_id: adjustment.reporting_adjustment_id,
    notification_order: told.map(({ kind }) => kind),
  }
}
