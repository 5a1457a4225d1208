import { describe, expect, it } from 'vitest'
import type { DesiredOrder } from '../../../src/domain/ad-serving/desired-order.ts'
import { diff } from '../../../src/domain/ad-serving/diff.ts'
import { findDrift, openAttempts, withDrift } from '../../../src/domain/ad-serving/drift.ts'
import type { ObservedLine, ObservedOrder } from '../../../src/domain/ad-serving/observed-order.ts'
import { describeStep } from '../../../src/domain/ad-serving/step.ts'
import { unkeepable } from '../../../src/domain/ad-serving/unkeepable.ts'
import { BANNER, line, order, SETTINGS } from '../../support/ad-server-orders.ts'

/** The order exactly as it should be. */
function there(desired: DesiredOrder, change: Partial<ObservedOrder> = {}): ObservedOrder {
  return {
    id: 'o1',
    state: desired.state,
    settings: desired.settings,
    lines: desired.lines.map((each): ObservedLine => ({ id: `id of ${each.externalId}`, ...each })),
    creatives: desired.creatives.map(({ externalId, contentVersion }) => ({
      id: `id of ${externalId}`,
      externalId,
      contentVersion,
    })),
    ...change,
  }
}

const keeps = { creatives: true }
const steps = (desired: DesiredOrder, observed: ObservedOrder | undefined) => diff(desired, observed, keeps).map(describeStep)

describe('diff', () => {
  it('writes a new order in a safe sequence: lines begin to serve when everything is there', () => {
    expect(steps(order(), undefined)).toEqual([
      'put_order',
      'put_creative banner',
      'put_line pkg_1',
      'associate pkg_1',
      'put_line pkg_2',
      'associate pkg_2',
      'set_line_state pkg_1 active',
      'set_line_state pkg_2 active',
    ])
  })

  it('has no step where both agree, whatever the order of members and associations', () => {
    const desired = order()
    const reordered = Object.fromEntries(Object.entries(SETTINGS).reverse())
    const observed = there(desired, { lines: desired.lines.map((each) => ({ ...each, id: 'x', settings: reordered })) })
    expect(steps(desired, there(desired))).toEqual([])
    expect(steps(desired, observed)).toEqual([])
  })

  it('writes only what differs: a budget, a creative, a pause', () => {
    const before = order()
    const changed = order({
      lines: [line('pkg_1', { settings: { ...SETTINGS, budgetMicros: 1 } }), line('pkg_2', { state: 'paused' })],
      creatives: [{ ...BANNER, contentVersion: 'v2' }],
    })
    expect(steps(changed, there(before))).toEqual(['set_line_state pkg_2 paused', 'put_creative banner', 'put_line pkg_1'])
  })

  it('stops first: a paused order before anything else, an ended order and nothing else', () => {
    const changed = { lines: [line('pkg_1', { settings: { ...SETTINGS, budgetMicros: 1 } })] }
    expect(steps(order({ ...changed, state: 'paused' }), there(order()))).toEqual(['set_order_state paused', 'put_line pkg_1'])
    expect(steps(order({ ...changed, state: 'ended' }), there(order()))).toEqual(['set_order_state ended'])
    expect(steps(order({ state: 'ended' }), undefined)).toEqual([])
    expect(steps(order({ state: 'paused', lines: [] }), undefined).slice(0, 2)).toEqual(['put_order', 'set_order_state paused'])
  })

  it('ends duplicates and keeps one, the line that serves before one that has ended', () => {
    const desired = order({ lines: [line('pkg_1')] })
    const [one] = there(desired).lines
    if (!one) throw new Error('no line')
    const ended = { ...one, id: 'old', state: 'ended' as const }
    expect(steps(desired, there(desired, { lines: [ended, one] }))).toEqual([])
    const twice = there(desired, { lines: [one, { ...one, id: 'copy' }], duplicateIds: ['o2'] })
    expect(diff(desired, twice, keeps)).toEqual([
      { kind: 'set_order_state', state: 'ended', duplicateId: 'o2' },
      { kind: 'set_line_state', line: { externalId: 'pkg_1', id: 'copy' }, state: 'ended' },
    ])
  })

  it('does nothing about what waits for a person, is not reported, or was added by someone there', () => {
    const desired = order({ lines: [line('pkg_1')] })
    const observed = there(desired, {
      state: 'waiting',
      settings: {},
      lines: [
        { id: 'l1', externalId: 'pkg_1', state: 'rejected', settings: {}, associations: line('pkg_1').associations },
        { id: 'l2', state: 'active', settings: {}, associations: [] },
      ],
    })
    expect(steps(desired, observed)).toEqual([])
  })
})

describe('drift', () => {
  it('is every value that is neither what was written nor what was being written', () => {
    const written = order()
    const attempted = order({ lines: [line('pkg_1', { settings: { ...SETTINGS, budgetMicros: 7 } }), line('pkg_2')] })
    const [one, two] = there(attempted).lines
    if (!one || !two) throw new Error('no lines')
    const touched = { ...two, state: 'paused' as const, settings: { ...SETTINGS, endsAt: '2026-09-01T00:00:00.000Z' } }
    expect(findDrift(written, [attempted], there(attempted))).toEqual([])
    expect(
      findDrift(written, [attempted], there(attempted, { lines: [one, touched, { ...one, id: 'mine', externalId: 'x' }] })),
    ).toEqual([
      { subject: 'order', field: 'added', expected: [], observed: ['mine'] },
      { subject: 'line pkg_2', field: 'state', expected: 'active', observed: 'paused' },
      { subject: 'line pkg_2', field: 'endsAt', expected: SETTINGS.endsAt, observed: '2026-09-01T00:00:00.000Z' },
    ])
  })

  it('needs of attempts that were not completed the last one, and those that explain something which is there', () => {
    const budget = (id: string, budgetMicros: number) => line(id, { settings: { ...SETTINGS, budgetMicros } })
    const written = order()
    const first = order({ lines: [budget('pkg_1', 7), line('pkg_2')] })
    const second = order({ lines: [budget('pkg_1', 8), line('pkg_2')] })
    const third = order({ lines: [budget('pkg_1', 9), budget('pkg_2', 9)] })
    const attempts = [first, second, third]
    expect(findDrift(written, attempts, there(first))).toEqual([])
    expect(openAttempts(written, attempts, there(first), { creatives: true })).toEqual([first, third])
    expect(openAttempts(written, [...attempts, structuredClone(first)], there(first), { creatives: true })).toEqual([first])
    expect(openAttempts(written, attempts, there(written), { creatives: true })).toEqual([third])
    const touched = there(order({ lines: [budget('pkg_1', 5), budget('pkg_2', 9)] }))
    expect(findDrift(written, attempts, touched)).toMatchObject([{ subject: 'line pkg_1', field: 'budgetMicros', observed: 5 }])
    expect(openAttempts(written, attempts, touched, { creatives: true })).toEqual([third])
  })

  it('knows an order and a line that are gone', () => {
    const written = order()
    const missing = { subject: 'order', field: 'missing', expected: 'active', observed: null }
    expect(findDrift(written, [], undefined)).toEqual([missing])
    expect(findDrift(order({ state: 'ended' }), [], undefined)).toEqual([])
    expect(findDrift(written, [], there(written, { lines: there(written).lines.slice(1) }))).toEqual([
      { ...missing, subject: 'line pkg_1' },
    ])
  })

  it('takes the place of what was written, until the buyer wants something else', () => {
    const drift = [
      { subject: 'line pkg_1', field: 'budgetMicros', expected: SETTINGS.budgetMicros, observed: 9 },
      { subject: 'line pkg_1', field: 'state', expected: 'active', observed: 'paused' },
    ]
    const taken = withDrift(order(), drift)
    expect(taken.lines[0]).toMatchObject({ state: 'paused', settings: { budgetMicros: 9, pacing: 'even' } })
    expect(taken.lines[1]).toEqual(line('pkg_2'))
    const since = order({ lines: [line('pkg_1', { settings: { ...SETTINGS, budgetMicros: 4 } })] })
    expect(withDrift(since, drift).lines[0]).toMatchObject({ state: 'paused', settings: { budgetMicros: 4 } })
  })
})

it('names what an ad server cannot keep, and what it can', () => {
  const can = { pricing: ['cpm'], pacing: ['asap'], targeting: ['device_type'] } as const
  expect(unkeepable({ ...SETTINGS, targeting: { geo_countries: ['DE'], geo_metros: [] } }, can)).toEqual([
    { field: 'pacing', message: 'even pacing; it keeps asap' },
    { field: 'targeting_overlay.geo_countries', message: 'targeting by geo_countries; it keeps device_type' },
  ])
  expect(unkeepable({ ...SETTINGS, targeting: null, pacing: 'asap' }, can)).toEqual([])
  const limited = (dailyCap: object) =>
    unkeepable({ ...SETTINGS, targeting: null, pacing: 'asap', dailyCap }, can).map(({ field }) => field)
  expect(limited({ ownMicros: 5 })).toEqual(['daily_budget_cap'])
  expect(limited({ sharedMicros: 5 })).toEqual(['daily_budget_cap of the media buy'])
  expect(
    unkeepable({ ...SETTINGS, targeting: null, pacing: 'asap', dailyCap: { ownMicros: 5 } }, { ...can, dailyCaps: true }),
  ).toEqual([])
})
