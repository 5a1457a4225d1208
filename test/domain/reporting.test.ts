import { describe, expect, it } from 'vitest'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import type { MediaBuy } from '../../src/domain/media-buy/media-buy.ts'
import { type Adjustment, adjustmentOf } from '../../src/domain/reporting/adjustment.ts'
import type { RecordedStatement } from '../../src/domain/reporting/consumer-status.ts'
import { decimal } from '../../src/domain/reporting/decimal.ts'
import { FORMS } from '../../src/domain/reporting/form.ts'
import { dueAt, endedPeriods, type Generation, newestBoundary, nextPeriodStart } from '../../src/domain/reporting/generation.ts'
import { mismatchOf } from '../../src/domain/reporting/mismatch.ts'
import { obligationOf, sliceOf } from '../../src/domain/reporting/obligation.ts'
import { canPublishAt, configurationOf, OFFERINGS, offeringsFor, scheduleOf } from '../../src/domain/reporting/offering.ts'
import type { ReportRow } from '../../src/domain/reporting/report-row.ts'
import { controlTotals, type Revision, revisionOf, rowsOf } from '../../src/domain/reporting/revision.ts'
import { openSlices, publicationOf } from '../../src/domain/reporting/settle.ts'

const at = (text: string) => new Date(text)
const OF = { accountId: 'acc', destinationRef: 'reporting-destination.1' }
const generation: Generation = {
  configId: 'c',
  version: 1,
  config: {
    ...{ delivery_config_id: 'c', delivery_config_version: 1, offering_id: 'delivery-daily-official' },
    scope: { all_media_buys: true },
  },
  activatedAt: '2026-03-01T10:00:00.000Z',
}
const [period] = endedPeriods(generation, at('2026-03-03T00:00:00Z'), at('2026-01-01T00:00:00Z'))
const buy = (id: string, more: object = {}) =>
  ({
    ...{ mediaBuyId: id, createdAt: '2026-02-01T00:00:00Z', startsAt: '2026-02-10T00:00:00Z', endsAt: '2026-04-01T00:00:00Z' },
    packages: [{ packageId: `${id}-1`, pricing: { currency: 'SEK' } }],
    ...more,
  }) as unknown as MediaBuy
const row = (impressions: number, spend: number): ReportRow => ({
  ...{ period_start: period!.start, period_end: period!.end, currency: 'SEK' },
  dimensions: { media_buy_id: 'a', package_id: 'a-1' },
  metrics: { impressions, clicks: 0, views: 0, completed_views: 0, conversions: 0, spend },
})

describe('periods of reports', () => {
  it('begin at the boundary after the activation, and are owed once they have ended', () => {
    expect(period).toEqual({ start: '2026-03-02T00:00:00.000Z', end: '2026-03-03T00:00:00.000Z' })
    expect(endedPeriods(generation, at('2026-03-02T23:59:59Z'), at('2026-01-01T00:00:00Z'))).toEqual([])
    const stopped = { ...generation, stoppedAt: '2026-03-04T00:00:00.000Z' }
    expect(endedPeriods(stopped, at('2026-05-01T00:00:00Z'), at('2026-01-01T00:00:00Z'))).toHaveLength(2)
    expect(nextPeriodStart(stopped, at('2026-05-01T00:00:00Z'))).toBeUndefined()
    expect(nextPeriodStart(generation, at('2026-05-01T00:00:00Z'))).toBe('2026-05-02T00:00:00.000Z')
  })

  it('cover the orders that were known when they ended and touch them', () => {
    const buys = [
      buy('b'),
      buy('a'),
      buy('late', { createdAt: '2026-03-03T00:00:01Z' }),
      buy('over', { endsAt: '2026-03-02T00:00:00.000Z' }),
      buy('canceled', { cancellation: { canceledAt: '2026-03-01T00:00:00Z' } }),
      buy('refused', { rejection: { rejectedAt: '2026-02-02T00:00:00Z' } }),
    ]
    const { mediaBuyIds, packageIds, expectedAt } = obligationOf(OF, generation, period!, buys)
    expect(mediaBuyIds).toEqual(['a', 'b'])
    expect(packageIds).toEqual(['a-1', 'b-1'])
    expect(expectedAt).toBe('2026-03-10T06:00:00.000Z')
  })

  it('are due as their offering says', () => {
    expect(OFFERINGS.map((offering) => scheduleOf(offering).delivery_sla)).toEqual([
      ...['PT6H', 'P7DT6H', 'PT1H', 'PT4H', 'PT172H', 'PT6H', 'PT6H', 'P7DT6H', 'P7DT6H'],
    ])
  })

  it('are of hours and of local days only where every ad server counts by the hour', () => {
    const names = offeringsFor({ countsHours: false }).map(({ offeringId }) => offeringId)
    expect(OFFERINGS.filter(({ offeringId }) => !names.includes(offeringId)).map(({ form }) => form)).toEqual([
      ...['hour', 'local', 'local'],
    ])
  })
})

describe('periods of a configuration', () => {
  const of = (offeringId: string, timeZone: string, activatedAt: string): Generation => {
    const config = configurationOf(offeringId, 'c', timeZone)
    return { configId: 'c', version: 1, config, activatedAt }
  }
  const ended = (each: Generation, now: string) => endedPeriods(each, at(now), at('2026-01-01T00:00:00Z'))

  it('are hours of UTC, the first of which begins after the configuration', () => {
    const hourly = of('delivery-hourly-snapshot', 'UTC', '2026-03-01T10:20:00.000Z')
    expect(ended(hourly, '2026-03-01T13:59:59Z')).toEqual([
      { start: '2026-03-01T11:00:00.000Z', end: '2026-03-01T12:00:00.000Z' },
      { start: '2026-03-01T12:00:00.000Z', end: '2026-03-01T13:00:00.000Z' },
    ])
    expect(dueAt(hourly, { start: '', end: '2026-03-01T12:00:00.000Z' })).toBe('2026-03-01T13:00:00.000Z')
    expect(nextPeriodStart(hourly, at('2026-03-01T13:00:00Z'))).toBe('2026-03-01T14:00:00.000Z')
    const stopped = { ...hourly, stoppedAt: '2026-03-01T13:00:00.000Z' }
    expect(ended(stopped, '2026-03-01T20:00:00Z')).toHaveLength(2)
    expect(nextPeriodStart(stopped, at('2026-03-01T12:30:00Z'))).toBeUndefined()
  })

  it.each([
    ['America/New_York', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z', 25],
    ['America/New_York', '2026-03-08T05:00:00.000Z', '2026-03-09T04:00:00.000Z', 23],
    ['Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z', 23],
    ['Asia/Kathmandu', '2026-05-01T18:15:00.000Z', '2026-05-02T18:15:00.000Z', 24],
    ['UTC', '2026-05-02T00:00:00.000Z', '2026-05-03T00:00:00.000Z', 24],
  ] as const)('are days of %s from %s to %s, of %i hours', (timeZone, start, end, hours) => {
    const local = of('delivery-local-daily-snapshot', timeZone, start)
    expect(ended(local, end)).toEqual([{ start, end }])
    expect(ended(local, new Date(Date.parse(end) - 1).toISOString())).toEqual([])
    expect((Date.parse(end) - Date.parse(start)) / 3_600_000).toBe(hours)
    expect(Date.parse(dueAt(local, { start, end })) - Date.parse(end)).toBe(4 * 3_600_000)
    expect(nextPeriodStart(local, at(start))).toBe(end)
    expect(newestBoundary([local], new Date(Date.parse(end) - 1)).toISOString()).toBe(start)
  })
})

describe('rows and totals of reports', () => {
  it('have a row for each package with delivery on the day, and exact sums', () => {
    const obligation = obligationOf(OF, generation, period!, [buy('a'), buy('b')])
    const days = [{ ...NOTHING, day: '2026-03-02', impressions: 3, spendMicros: 1_234_567 }]
    const rows = rowsOf(obligation, [buy('b'), buy('a')], {
      day: '2026-03-02',
      daysOf: ({ mediaBuyId }) => (mediaBuyId === 'a' ? days : []),
    })
    expect(rows).toMatchObject([{ dimensions: { media_buy_id: 'a' }, metrics: { impressions: 3, spend: 1.234567 } }])
    expect(controlTotals(rows, FORMS.call).find(({ name }) => name === 'spend.SEK')).toEqual({
      ...{ name: 'spend.SEK', value: '1.234567', value_type: 'decimal', unit: 'SEK' },
    })
  })

  it.each([
    [0, '0'],
    [1, '0.000001'],
    [2_600_000, '2.6'],
    [-1_500_000, '-1.5'],
    [123_456_789_000_000, '123456789'],
  ])('write %d micros as %s', (micros, text) => {
    expect(decimal(micros)).toBe(text)
  })

  it('are corrected by what the final report and its corrections lack', () => {
    const obligation = obligationOf(OF, generation, period!, [buy('a')])
    const now = at('2026-03-12T00:00:00Z')
    const place = { finality: 'official' as const, supersedes: undefined, origin: 'https://seller.example', now }
    const official = revisionOf(obligation, [row(100, 2.5)], place)
    expect(adjustmentOf(official, [], [row(100, 2.5)], { form: FORMS.call, now })).toBeUndefined()
    const first = adjustmentOf(official, [], [row(90, 2.25)], { form: FORMS.call, now })!
    expect(first.control_total_deltas).toMatchObject([
      { name: 'impressions', value: '-10' },
      { name: 'spend.SEK', value: '-0.25' },
    ])
    expect(adjustmentOf(official, [first], [row(90, 2.25)], { form: FORMS.call, now })).toBeUndefined()
    expect(adjustmentOf(official, [first], [], { form: FORMS.call, now })!.control_total_deltas).toMatchObject([
      { name: 'impressions', value: '-90' },
      { name: 'spend.SEK', value: '-2.25' },
    ])
  })
})

describe('settling the reports of a period', () => {
  const obligation = obligationOf(OF, generation, period!, [buy('a')])
  const slice = sliceOf(obligation)
  const origin = 'https://seller.example'
  const made = (finality: 'snapshot' | 'official', moment: string, rows = [row(100, 2.5)], supersedes?: string) =>
    revisionOf(obligation, rows, { finality, supersedes, origin, now: at(moment) })
  const ledger = (asOf: string, revisions: readonly Revision[] = [], adjustments: readonly Adjustment[] = []) => ({
    ...{ revisions: new Map([[slice, revisions]]), adjustments: new Map([[slice, adjustments]]), asOf: at(asOf) },
  })
  const snapshot = made('snapshot', '2026-03-03T00:15:00Z')
  const official = made('official', '2026-03-10T00:00:00Z')

  // The period ends on 3 March at 00:00.
  it.each([
    ['its last events are counted for 15 minutes', '2026-03-03T00:14:59Z', [], false],
    ['then it is reported', '2026-03-03T00:15:00Z', [], true],
    ['what was read within the hour is not read again', '2026-03-03T01:14:59Z', [snapshot], false],
    ['an hour later it is', '2026-03-03T01:15:00Z', [snapshot], true],
    ['not yet final, and read within the hour', '2026-03-09T23:59:59Z', [made('snapshot', '2026-03-09T23:30:00Z')], false],
    [
      'final after seven days, however lately it was read',
      '2026-03-10T00:00:00Z',
      [made('snapshot', '2026-03-09T23:30:00Z')],
      true,
    ],
    ['a final report is read for corrections', '2026-04-02T00:00:00Z', [official], true],
    ['for 30 days and one hour', '2026-04-02T01:00:01Z', [official], false],
    ['what was never made final is owed beyond that', '2026-04-12T00:00:00Z', [snapshot], true],
  ] as const)('%s', (_rule, asOf, revisions, isOpen) => {
    expect(openSlices([obligation], ledger(asOf, revisions))).toEqual(isOpen ? [obligation] : [])
  })

  it('obligations of one slice are settled once', () => {
    const other = obligationOf(OF, { ...generation, configId: 'd' }, period!, [buy('a')])
    expect(openSlices([obligation, other], ledger('2026-03-03T00:15:00Z'))).toEqual([other])
  })

  it('the first rows are reported, then only what differs, behind the report before', () => {
    const rows = [row(100, 2.5)]
    const first = publicationOf(obligation, rows, undefined, ledger('2026-03-03T00:15:00Z'), { origin })
    expect(first).toEqual({ kind: 'revision', sliceId: slice, revision: snapshot, rows })
    const later = ledger('2026-03-04T00:00:00Z', [snapshot])
    expect(publicationOf(obligation, rows, JSON.stringify(rows), later, { origin })).toBeUndefined()
    expect(publicationOf(obligation, [row(110, 2.75)], JSON.stringify(rows), later, { origin })).toMatchObject({
      revision: { finality: 'snapshot', supersedes_reporting_revision_id: snapshot.reporting_revision_id },
    })
  })

  it('after seven days the report is final, changed or not, and stands beside the chain of snapshots', () => {
    const rows = [row(100, 2.5)]
    const last = publicationOf(obligation, rows, JSON.stringify(rows), ledger('2026-03-10T00:00:00Z', [snapshot]), { origin })
    expect(last).toEqual({ kind: 'revision', sliceId: slice, revision: official, rows })
    expect(official).not.toHaveProperty('supersedes_reporting_revision_id')
  })

  it('what changes after that is a correction', () => {
    const rows = [row(100, 2.5)]
    const later = ledger('2026-03-12T00:00:00Z', [snapshot, official])
    expect(publicationOf(obligation, rows, JSON.stringify(rows), later, { origin })).toBeUndefined()
    const corrected = publicationOf(obligation, [row(90, 2.25)], JSON.stringify(rows), later, { origin })
    expect(corrected).toMatchObject({
      kind: 'adjustment',
      adjustment: { adjusts_reporting_revision_id: official.reporting_revision_id },
    })
  })
})

describe('the address of report documents', () => {
  it.each([
    ['https://seller.example', true],
    ['https://ads.seller.example:8443', true],
    ['http://seller.example', false],
    ['https://127.0.0.1', false],
    ['https://localhost:3000', false],
    ['https://[::1]', false],
  ])('%s: %s', (origin, can) => {
    expect(canPublishAt(origin)).toBe(can)
  })
})

describe('what a buyer says of a report that was replaced since', () => {
  const obligation = obligationOf(
    OF,
    { ...generation, config: { ...generation.config, offering_id: 'delivery-daily-snapshot' } },
    period!,
    [],
  )
  const revision = (id: string, created_at: string, finality = 'snapshot') =>
    ({ reporting_revision_id: id, created_at, finality }) as unknown as Revision
  const revisions = [revision('r1', '2026-03-03T01:00:00.000Z'), revision('r2', '2026-03-03T05:00:00.000Z')]
  const said = (consumer_status: string, more: object = {}) =>
    [
      {
        ...{ reporting_status_id: 'said', consumer_status, recorded_at: '2026-03-03T02:00:00.000Z' },
        ...{ status_as_of: '2026-03-03T02:00:00.000Z', ...more },
      },
    ] as unknown as RecordedStatement[]
  const mismatch = (chain: readonly RecordedStatement[], published: readonly Revision[], when: string) =>
    mismatchOf(obligation, published, chain, at(when))

  it('waits for it to be read again, for as long as the first report had, however often it is replaced', () => {
    const chain = said('received', { reporting_revision_id: 'r1' })
    expect(mismatch(chain, revisions.slice(0, 1), '2026-03-03T04:00:00Z')).toBeUndefined()
    const open = mismatch(chain, revisions, '2026-03-03T10:59:59Z')
    expect(open).toMatchObject({ severity: 'delayed', openedAt: '2026-03-03T05:00:00.000Z', party: 'buyer' })
    const again = [...revisions, revision('r3', '2026-03-03T10:00:00.000Z')]
    expect(mismatch(chain, again, '2026-03-03T11:00:00Z')).toMatchObject({
      ...{ severity: 'action_required', issueId: open?.issueId, openedAt: open?.openedAt },
    })
    expect(mismatch(said('received', { reporting_revision_id: 'r2' }), revisions, '2026-03-05T00:00:00Z')).toBeUndefined()
  })

  it('is one issue from when both were there, whoever came first, and none while nothing was published', () => {
    const missing = said('revision_missing')
    expect(mismatch(missing, [], '2026-03-04T00:00:00Z')).toBeUndefined()
    expect(mismatch(missing, revisions, '2026-03-04T00:00:00Z')).toMatchObject({
      ...{ severity: 'action_required', openedAt: '2026-03-03T02:00:00.000Z', party: 'seller' },
    })
    const late = [revision('r1', '2026-03-03T03:00:00.000Z')]
    expect(mismatch(missing, late, '2026-03-04T00:00:00Z')).toMatchObject({
      openedAt: '2026-03-03T03:00:00.000Z',
      party: 'buyer',
    })
    const contrary = said('content_mismatch', { reporting_revision_id: 'r1', mismatch_code: 'coverage_short' })
    expect(mismatch(contrary, revisions.slice(0, 1), '2026-03-04T00:00:00Z')?.message).toContain('coverage_short')
    expect(mismatch(contrary, revisions, '2026-03-04T00:00:00Z')).toBeUndefined()
  })
})
