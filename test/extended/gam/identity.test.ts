import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { loadDesiredOrder } from '../../../src/ad-serving/reconcile/load-desired-order.ts'
import type { DriftPolicy } from '../../../src/domain/ad-serving/drift.ts'
import { trafficName } from '../../../src/domain/ad-serving/trafficking.ts'
import { type GamEmulator, type Resource, startGamEmulator } from '../../support/gam-emulator.ts'
import { type GamPerson, startGamPerson } from '../../support/gam-person.ts'
import { type GamSold, sellInGam } from '../../support/gam-sold.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
/** Pairs of each collection in one run; `npm run gam:pairs` takes all of them. */
const MOST_PAIRS = Number(process.env.GAM_PAIRS ?? 30)
const POLICIES = ['heal', 'leave'] as const

describe.skipIf('reason' in found)('whatever a person does to an order at the network', () => {
  let emulator: GamEmulator | undefined
  let person: GamPerson | undefined
  let sold: GamSold | undefined

  const start = async (policy: DriftPolicy) => {
    if (!emulator || !person) throw new Error('the emulator does not run')
    const { orders, lineItems } = await emulator.control()
    await emulator.control({ remove: [...orders, ...lineItems].map(({ name }) => name) })
    sold = await sellInGam(emulator, policy)
    return { network: emulator, bob: person, sale: sold }
  }
  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '', { now: '2026-03-01T12:00:00Z', silenceMs: 200 })
    person = startGamPerson(emulator)
  }, PATIENCE)
  afterEach(() => sold?.agent.stop())
  afterAll(async () => {
    await person?.close()
    await emulator?.close()
  })

  const there = async (network: GamEmulator) => {
    const { orders, lineItems } = await network.control()
    const [order] = orders
    const [line] = lineItems
    if (!order || !line) throw new Error('nothing is at the network')
    return { order, line, orders, lineItems }
  }
  const counts = async (network: GamEmulator) => {
    const { orders, lineItems } = await network.control()
    return [orders.length, lineItems.length]
  }

  test.each(POLICIES)('notes that are overwritten lose nothing (%s)', { timeout: PATIENCE }, async (policy) => {
    const { network, bob, sale } = await start(policy)
    const { order, line } = await there(network)
    for (const { name } of [order, line]) expect(await bob.act({ edit: { name, notes: 'call Bob' } })).toBeUndefined()
    await sale.look()
    expect(await counts(network)).toEqual([1, 1])
    expect(await sale.drift()).toEqual([])
    expect(await sale.place()).toMatchObject({ inStep: true })

    const { agent, mediaBuyId, packageId, look } = sale
    await agent.run('update_media_buy', { media_buy_id: mediaBuyId, packages: [{ package_id: packageId, budget: 3000 }] })
    await look()
    expect((await there(network)).line).toMatchObject({ goal: { units: '300000' }, notes: 'call Bob' })
    await agent.run('update_media_buy', { media_buy_id: mediaBuyId, canceled: true })
    await look()
    expect((await there(network)).order).toMatchObject({ archived: true, notes: 'call Bob' })
    expect(await counts(network)).toEqual([1, 1])
  })

  test.each(POLICIES)('an order that is gone is missing: nothing takes its place (%s)', { timeout: PATIENCE }, async (policy) => {
    const { network, sale } = await start(policy)
    const { order, line } = await there(network)
    await network.control({ remove: [line.name, order.name] })
    for (let time = 0; time < 3; time += 1) await sale.look()
    expect(await counts(network)).toEqual([0, 0])
    expect(await sale.drift()).toEqual(['order missing open'])
    expect(await sale.place()).toMatchObject({
      inStep: false,
      reason: expect.stringContaining('missing at the ad server: order'),
    })
    // It is back: someone took it out of the bin.
    for (const each of [order, line]) await network.control({ set: each })
    await sale.look()
    expect(await sale.drift()).toEqual(['order missing gone'])
    expect(await sale.place()).toMatchObject({ inStep: true })
  })

  test('a paused line with its creative on it has nothing left to traffic by hand', { timeout: PATIENCE }, async () => {
    const { network, sale } = await start('leave')
    const { agent, packageId, mediaBuyId } = sale
    const banner_image = { asset_type: 'image', url: 'https://cdn.example.com/a.png', width: 300, height: 250 }
    const click_url = { asset_type: 'url', url: 'https://shop.example.com' }
    const format_id = { agent_url: agent.url, id: 'display_300x250' }
    const synced = await agent.run('sync_creatives', {
      creatives: [{ creative_id: 'banner', name: 'Banner', format_id, assets: { banner_image, click_url } }],
      assignments: [{ creative_id: 'banner', package_id: packageId }],
    })
    expect(synced.isError, JSON.stringify(synced.data)).toBe(false)
    await sale.look()
    expect((await sale.place()).reason).toContain('creatives to traffic by hand')
    const at = { tenantId: agent.tenant, principalId: 'buyer', mediaBuyId, adServer: 'gam' }
    const [wanted] = (await loadDesiredOrder(agent.server.store.read, at))?.creatives ?? []
    if (!wanted) throw new Error('the order shows no creative')
    const name = trafficName(wanted)
    const { line } = await there(network)
    const creative = 'networks/4711/creatives/1'
    await network.control({ set: { name: creative, displayName: name } })
    await network.control({ associate: { line: line.name, creative } })
    await sale.look()
    expect(await sale.place()).toEqual({ inStep: true, reason: undefined })
    await agent.run('update_media_buy', { media_buy_id: mediaBuyId, paused: true })
    await sale.look()
    expect((await there(network)).line).toMatchObject({ status: 'PAUSED' })
    expect(await sale.place()).toEqual({ inStep: true, reason: undefined })
  })

  test.each(POLICIES)('hours that a person gives a line are drift (%s)', { timeout: PATIENCE }, async (policy) => {
    const { network, sale } = await start(policy)
    const { line } = await there(network)
    const time = (hour: number) => ({ hour: String(hour), minute: 'ZERO' })
    const dayParts = [{ dayOfWeek: 'MONDAY', startTime: time(3), endTime: time(4) }]
    await network.control({ hours: { line: line.name, dayParts } })
    await sale.look()
    const isHealed = policy === 'heal'
    expect(await sale.drift()).toEqual([`line member dayPartTargeting ${isHealed ? 'healed' : 'open'}`])
    expect(Object.keys((await network.control()).hours)).toEqual(isHealed ? [] : [line.name])
    expect(await sale.place()).toMatchObject({ inStep: isHealed })
  })

  test('a copy of an order is left alone, and so is ours', { timeout: PATIENCE }, async () => {
    const { network, bob, sale } = await start('heal')
    const { order } = await there(network)
    const { externalOrderId, trafficker, advertiser } = order
    const copy = {
      displayName: `Copy of ${String(order.displayName)}`,
      externalOrderId,
      trafficker,
      advertiser,
      notes: order.notes,
    }
    expect(await bob.act({ create: copy })).toBeUndefined()
    await sale.look()
    const { orders, lineItems } = await there(network)
    expect(orders.map(({ archived }) => Boolean(archived))).toEqual([false, false])
    expect(lineItems).toHaveLength(1)
    expect(await sale.place()).toMatchObject({ inStep: true })
  })

  test('an order whose answer was lost, and which was renamed since, is not made again', { timeout: PATIENCE }, async () => {
    const { network, bob, sale } = await start('heal')
    const { agent, look, place } = sale
    const before = (await network.control()).orders.map(({ name }) => name)
    const lost = ['silence', '500 after'] as const
    const edits: readonly object[] = [{ displayName: 'call Bob' }, { externalOrderId: 7, displayName: 'call Bob' }]
    for (const [at, edit] of edits.entries()) {
      await network.control({ faults: [{ kind: lost[at] ?? 'silence', path: 'orders:batchCreate', count: 3 }] })
      const { data } = await agent.create()
      await look()
      await network.control({ faults: [] })
      const made = (await network.control()).orders.find(({ name }) => !before.includes(name))
      if (!made) throw new Error('the order was not made')
      before.push(made.name)
      expect(await bob.act({ edit: { name: made.name, ...edit } })).toBeUndefined()
      for (let time = 0; time < 3; time += 1) await look()
      expect((await network.control()).orders).toHaveLength(before.length)
      expect((await sale.drift()).filter((one) => one === 'order missing open')).toHaveLength(1)
      const { displayName, externalOrderId } = made
      expect(await bob.act({ edit: { name: made.name, displayName, externalOrderId } })).toBeUndefined()
      await look()
      const line = (await network.control()).lineItems.find(({ order }) => order === made.name)
      expect(line).toMatchObject({ externalLineItemId: data.packages[0].package_id, status: 'INACTIVE' })
      expect((await sale.drift()).filter((one) => one === 'order missing open')).toEqual([])
    }
    expect(await place()).toMatchObject({ inStep: true })
  })

  /** The members of an order or a line that differ from before, but for what the network itself writes. */
  const changedIn = (before: Resource, now: Resource) =>
    [...new Set([...Object.keys(before), ...Object.keys(now)])]
      .filter((name) => !['updateTime', 'status', 'endTime', 'reservationStatus'].includes(name))
      .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(now[name]))

  test.each(POLICIES)(
    'every member that is changed, and pairs of them: one order, one line, no lie (%s)',
    {
      timeout: PATIENCE * Math.ceil(MOST_PAIRS / 30),
    },
    async (policy) => {
      const { network, bob, sale } = await start(policy)
      const whole = await there(network)
      let next = 17
      const seldom = (below: number) => {
        next = (next * 48_271) % 2_147_483_647
        return next % below
      }
      for (const [collection, mine] of [
        ['orders', whole.order],
        ['lineItems', whole.line],
      ] as const) {
        const values = Object.entries(await bob.fields(collection))
        const singles = values.map((one) => [one])
        const pairs = values.flatMap((one, at) => values.slice(at + 1).map((other) => [one, other]))
        const chosen = [...singles, ...pairs.filter(() => seldom(pairs.length) < MOST_PAIRS)]
        let taken = 0
        for (const edits of chosen) {
          if ((await bob.act({ edit: { name: mine.name, ...Object.fromEntries(edits) } })) !== undefined) continue
          taken += 1
          const what = `${collection} ${edits.map(([name]) => name).join(', ')}`
          await sale.look()
          expect(await counts(network), what).toEqual([1, 1])
          const { order, line } = await there(network)
          const left = changedIn(mine, collection === 'orders' ? order : line).filter((name) => OURS.includes(name))
          expect(policy === 'heal' ? left : [], what).toEqual([])
          expect((await sale.place()).inStep, `${what}: ${left.join(', ')}`).toBe(left.length === 0)
          for (const each of [whole.order, whole.line]) await network.control({ set: each, replace: true })
          await sale.look()
          expect(await sale.place(), what).toMatchObject({ inStep: true })
        }
        expect(taken).toBeGreaterThan(singles.length / 2)
      }
    },
  )
})

/** What we write: what is left changed of it is not in step. */
const OURS = [
  ...['displayName', 'trafficker', 'advertiser', 'externalOrderId', 'externalLineItemId', 'startTime', 'targetEndTime'],
  ...['lineItemType', 'costType', 'rate', 'goal', 'priority', 'deliveryRateType', 'creativeRotationType', 'roadblockingType'],
  ...['environmentType', 'creativePlaceholders', 'frequencyCaps', 'targeting'],
]
