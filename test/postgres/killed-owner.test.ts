import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { COMMAND } from '../../tools/agent/command-line.ts'
import { type Fleet, startFleet } from '../../tools/faults/fleet.ts'
import { callText, post } from '../support/credentials.ts'

const CALLS = 60
const ANSWERED_BEFORE_KILL = 20
const ACCOUNT = { brand: { domain: 'brand.example' }, operator: 'agency.example' }
const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())

let fleet: Fleet
let key: string
beforeAll(async () => {
  fleet = await startFleet({ command: COMMAND, environment: { SALES_AGENT_LIMITS_CHANGES: '100000' } })
  await fleet.command('init', '--demo')
  await fleet.command('buyers', 'add', 'buyer')
  key = (await fleet.command('keys', 'create', '--buyer', 'buyer')).token
  await call(1, 'sync_accounts', { idempotency_key: randomUUID(), accounts: [{ ...ACCOUNT, billing: 'operator' }] })
}, 120_000)
afterAll(() => fleet?.close())

/** Calls one of the processes directly; gives the payload. */
async function call(process: number, tool: string, args: object) {
  const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${key}`, 'X-Forwarded-Proto', 'https']
  const { body } = await post(`${fleet.origins[process]}/mcp`, callText(tool, args), [
    ...headers,
    'X-Forwarded-For',
    '203.0.113.9',
  ])
  return body.result.structuredContent
}

it('what a killed process was doing, another one finishes at the first repetition', async () => {
  const keys = Array.from({ length: CALLS }, () => randomUUID())
  const acknowledged = new Map<string, string>()
  let kill: Promise<void> | undefined
  await Promise.all(
    keys.map(async (idempotencyKey) => {
      const answer = await call(0, 'create_media_buy', mediaBuy(idempotencyKey)).catch(() => undefined)
      if (answer?.media_buy_id === undefined) return
      acknowledged.set(idempotencyKey, answer.media_buy_id)
      if (acknowledged.size === ANSWERED_BEFORE_KILL) kill = fleet.end(0, 'SIGKILL')
    }),
  )
  await kill
  // Else the kill came too late, and nothing was tested.
  expect(acknowledged.size).toBeLessThan(CALLS)
  const ids = new Set<string>()
  for (const idempotencyKey of keys) {
    const answer = await call(1, 'create_media_buy', mediaBuy(idempotencyKey))
    expect(answer.adcp_error?.code).toBeUndefined()
    if (acknowledged.has(idempotencyKey)) expect(answer.media_buy_id).toBe(acknowledged.get(idempotencyKey))
    ids.add(answer.media_buy_id)
  }
  expect(ids.size).toBe(CALLS)
}, 120_000)

function mediaBuy(idempotencyKey: string): object {
  return {
    idempotency_key: idempotencyKey,
    account: ACCOUNT,
    brand: ACCOUNT.brand,
    start_time: START,
    end_time: END,
    packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
  }
}
