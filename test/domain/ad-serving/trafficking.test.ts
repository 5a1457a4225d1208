import { expect, test } from 'vitest'
import type { ObservedOrder } from '../../../src/domain/ad-serving/observed-order.ts'
import { readTrafficName, traffickedOf, trafficName } from '../../../src/domain/ad-serving/trafficking.ts'
import { BANNER, line, order } from '../../support/ad-server-orders.ts'

test('a creative is found again by the name that it was given', () => {
  const creative = { name: 'Shoes [new]\nautumn', externalId: 'cr_1', contentVersion: '0a1b2c3d4e5f' }
  expect(trafficName(creative)).toBe('Shoes  new  autumn [adcp cr_1 0a1b2c3d]')
  expect(readTrafficName(trafficName(creative))).toEqual({ externalId: 'cr_1', contentVersion: '0a1b2c3d' })
  expect(readTrafficName(trafficName({ ...creative, name: 'x'.repeat(400) }))?.externalId).toBe('cr_1')
  expect(trafficName({ ...creative, name: 'x'.repeat(400) })).toHaveLength(255)
  expect(readTrafficName('Banner of someone else')).toBeUndefined()
})

test('a creative is live on the line that shows its newest content, and nowhere else', () => {
  const shown: ObservedOrder = {
    id: '1',
    state: 'active',
    settings: {},
    lines: [
      { id: '2', externalId: 'pkg_1', state: 'active', settings: {}, associations: [{ creativeExternalId: 'banner' }] },
      { id: '3', externalId: 'pkg_2', state: 'active', settings: {}, associations: [] },
    ],
    creatives: [{ id: '4', externalId: 'banner', contentVersion: 'v1' }],
  }
  const live = (desired = order(), observed: ObservedOrder | undefined = shown) =>
    traffickedOf(desired, observed).map(({ lineExternalId, isLive }) => [lineExternalId, isLive])
  expect(live()).toEqual([
    ['pkg_1', true],
    ['pkg_2', false],
  ])
  expect(traffickedOf(order(), undefined).some(({ isLive }) => isLive)).toBe(false)
  expect(live(order({ creatives: [{ ...BANNER, contentVersion: 'v2' }] }))).toEqual([
    ['pkg_1', false],
    ['pkg_2', false],
  ])
  expect(live(order({ lines: [line('pkg_1', { state: 'ended' })] }))).toEqual([])
  expect(live(order({ state: 'ended' }))).toEqual([])
})
