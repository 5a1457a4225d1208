import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { reconcileDue } from '../../../src/ad-serving/reconcile/reconciler.ts'
import type { DriftPolicy } from '../../../src/domain/ad-serving/drift.ts'
import { listDrift } from '../../../src/store/ad-serving/ad-server-drift.ts'
import { listAdServerOrders } from '../../../src/store/ad-serving/ad-server-orders.ts'
import { GAM_SCRIPTS, type GamEmulator, type Resource, startGamEmulator } from '../../support/gam-emulator.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../../support/media-buy-agent.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000
const CALL_MS = 60_000
const START = '2026-03-01T12:00:00Z'
const MINUTE_MS = 60_000
const PRODUCTS = { news: { adUnits: ['1'], sizes: ['300x250'] } }
/** 250,000 impressions at 10 USD a thousand. */
const THEIRS = { units: 250_000, end: '2026-03-20T00:00:00Z', pause: true }

describe.skipIf('reason' in found)("what a person changes with Google's client for Python", () => {
  let emulator: GamEmulator | undefined
  let agent: MediaBuyAgent | undefined
  let now = Date.parse(START)
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  const seller = () => {
    if (!agent) throw new Error('the agent does not run')
    return agent
  }

  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '', { now: START })
  }, PATIENCE)
  afterEach(() => agent?.stop())
  afterAll(() => emulator?.close())

  /** An agent that sold one order; its line is at the network. */
  async function sold(drift: DriftPolicy) {
    now = Date.parse(START)
    const clock = () => new Date(now)
    agent = await startMediaBuyAgent([productDocument('news')], {
      clock,
      backend: { backend: network().backend({ products: PRODUCTS }, clock), drift },
      reconciler: { timing: { everyMs: 3_600_000 } },
    })
    const { isError, data } = await agent.create()
    if (isError) throw new Error(JSON.stringify(data))
    await later(0)
    return { mediaBuyId: data.media_buy_id, packageId: data.packages[0].package_id }
  }

  async function later(minutes: number) {
    now += minutes * MINUTE_MS
    const { store, services, clock, log } = seller().server
    await reconcileDue({ store, clock, log, backends: services.adServers.backends })
  }

  const lineOf = async (packageId: string): Promise<Resource> => {
    const line = (await network().control()).lineItems.find((one) => one.externalLineItemId === packageId)
    if (!line) throw new Error(`there is no line ${packageId}`)
    return line
  }
  const person = async (line: Resource, change: object) => {
    const { plain, python } = network()
    const args = [`${GAM_SCRIPTS}/read_back.py`, plain.slice('http://'.length), '4711', line.name, JSON.stringify(change)]
    await promisify(execFile)(python, args, { timeout: CALL_MS, maxBuffer: 16_000_000 })
    await later(20)
  }
  const drift = async () => {
    const states = ['open', 'healed', 'adopted', 'gone', 'superseded'] as const
    const rows = await listDrift(seller().server.store.read, seller().tenant, { states: [...states], limit: 20 })
    return rows.map(({ field, state }) => `${field} ${state}`).toSorted()
  }
  const waiting = async () => {
    const [row] = await listAdServerOrders(seller().server.store.read, seller().tenant, { limit: 1 })
    return row?.reason ?? null
  }
  const OURS = { goal: { units: '100000' }, targetEndTime: '2026-03-12T00:00:00Z', status: 'INACTIVE' }
  const CHANGED = { goal: { units: '250000' }, targetEndTime: THEIRS.end, status: 'PAUSED' }

  test('dates, budget and a pause are healed', { timeout: PATIENCE }, async () => {
    const { packageId } = await sold('heal')
    expect(await lineOf(packageId)).toMatchObject(OURS)
    await person(await lineOf(packageId), THEIRS)
    expect(await drift()).toEqual(['budgetMicros healed', 'endsAt healed', 'state healed'])
    expect(await lineOf(packageId)).toMatchObject(OURS)
  })

  test('they are adopted, until the buyer changes the same thing', { timeout: PATIENCE }, async () => {
    const { packageId, mediaBuyId } = await sold('adopt')
    await person(await lineOf(packageId), THEIRS)
    expect(await drift()).toEqual(['budgetMicros adopted', 'endsAt adopted', 'state adopted'])
    await later(20)
    expect(await lineOf(packageId)).toMatchObject(CHANGED)
    await seller().run('update_media_buy', { media_buy_id: mediaBuyId, packages: [{ package_id: packageId, budget: 3000 }] })
    await later(0)
    expect(await lineOf(packageId)).toMatchObject({ ...CHANGED, goal: { units: '300000' } })
    expect(await drift()).toContain('budgetMicros superseded')
  })

  test('they are left and shown', { timeout: PATIENCE }, async () => {
    const { packageId } = await sold('leave')
    await person(await lineOf(packageId), THEIRS)
    expect(await drift()).toEqual(['budgetMicros open', 'endsAt open', 'state open'])
    await later(20)
    expect(await lineOf(packageId)).toMatchObject(CHANGED)
  })

  test('a line and an order that were archived come back, are given up, or are left', { timeout: PATIENCE }, async () => {
    for (const [policy, state, archived] of [
      ['heal', 'healed', false],
      ['adopt', 'adopted', true],
      ['leave', 'open', true],
    ] as const) {
      const { packageId } = await sold(policy)
      await person(await lineOf(packageId), { pause: true, archive: true })
      expect(await drift()).toEqual([`state ${state}`])
      const line = await lineOf(packageId)
      expect(Boolean(line.archived)).toBe(archived)
      if (policy === 'heal') {
        expect(line.status).toBe('INACTIVE')
        await person(line, { pause: true, archiveOrder: line.order })
        expect(await lineOf(packageId)).toMatchObject({ archived: false, status: 'INACTIVE' })
        expect(await waiting()).toBeNull()
      }
      const lines = (await network().control()).lineItems.filter((one) => one.externalLineItemId === packageId)
      expect(lines).toHaveLength(1)
      await agent?.stop()
    }
  })
})
