import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { trafficName } from '../../../src/domain/ad-serving/trafficking.ts'
import { type GamEmulator, startGamEmulator } from '../../support/gam-emulator.ts'
import { withFiles } from '../../support/gam-files.ts'
import { gamCreatives, gamOrder, takeSteps } from '../../support/gam-order.ts'
import { findPython } from '../../support/python.ts'

const found = await findPython()
const PATIENCE = 300_000

describe.skipIf('reason' in found)('orders at the network that are looked at together', () => {
  let emulator: GamEmulator | undefined
  const network = () => {
    if (!emulator) throw new Error('the emulator does not run')
    return emulator
  }
  beforeAll(async () => {
    emulator = await startGamEmulator('python' in found ? found.python : '')
  }, PATIENCE)
  afterAll(() => emulator?.close())

  const lineOf = async (externalId: string) => {
    const line = (await network().control()).lineItems.find((one) => one.externalLineItemId === externalId)
    if (!line) throw new Error(`there is no line ${externalId}`)
    return line
  }

  test('ten cost as many calls as one, and one more for the hours of their lines', { timeout: PATIENCE }, async () => {
    const backend = network().backend({ creatives: 'api' }, undefined, withFiles)
    const orders = Array.from({ length: 10 }, (_, at) => gamOrder(`many_${at}`, gamCreatives(`many_${at}`)))
    for (const order of orders) while ((await takeSteps(backend, order)) > 0);
    const callsOf = async (look: () => Promise<unknown>) => {
      await network().control({ forgetCalls: true })
      await look()
      return (await network().control()).calls.filter((call) => !call.endsWith('/token')).sort()
    }
    const [first] = orders
    if (!first) throw new Error('there is no order')
    const one = await callsOf(() => backend.observe(first.key))
    expect(one).toHaveLength(4)
    const hours = 'POST /apis/ads/publisher/v202608/LineItemService'
    const keys = orders.map(({ key }) => key)
    expect(await callsOf(async () => backend.observeAll?.(keys))).toEqual([...one, hours].sort())
  })

  test('creatives that people put on lines are seen, and one whose external id someone changed is left to be asked for alone', {
    timeout: PATIENCE,
  }, async () => {
    const backend = network().backend()
    const ids = ['hand_1', 'hand_2']
    const orders = ids.map((id) => gamOrder(id, gamCreatives(id)))
    for (const order of orders) while ((await takeSteps(backend, order)) > 0);
    for (const [at, { lines, creatives }] of orders.entries())
      for (const [place, creative] of creatives.entries()) {
        const name = `networks/4711/creatives/${10 * at + place + 1}`
        await network().control({ set: { name, displayName: place === 0 ? trafficName(creative) : 'By the house' }, brief: true })
        const line = await lineOf(lines[place]?.externalId ?? '')
        await network().control({ associate: { line: line.name, creative: name }, brief: true })
      }
    const keys = orders.map(({ key }) => key)
    const alone = await Promise.all(keys.map((key) => backend.observe(key)))
    expect(alone.map((order) => order?.creatives.map(({ externalId }) => externalId))).toEqual([
      ['hand_1_image'],
      ['hand_2_image'],
    ])
    expect(await backend.observeAll?.(keys)).toEqual(alone)

    for (const kind of ['500 before', 'soap AuthenticationError.NOT_WHITELISTED_FOR_API_ACCESS']) {
      await network().control({ faults: [{ kind, path: '/apis/ads/publisher/', count: 10 }], brief: true })
      expect(await backend.observeAll?.(keys), kind).toEqual([undefined, undefined])
    }
    await network().control({ faults: [{ kind: '429', path: 'orders', count: 10 }], brief: true })
    await expect(backend.observeAll?.(keys)).rejects.toMatchObject({ name: 'GamQuota' })
    await network().control({ faults: [], brief: true })

    const { orders: there } = await network().control()
    const own = there.find(({ name }) => name === alone[0]?.id)
    await network().control({ set: { name: own?.name ?? '', externalOrderId: '7' }, brief: true })
    expect(await backend.observeAll?.(keys)).toEqual([undefined, alone[1]])
  })
})
