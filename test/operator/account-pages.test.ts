import { afterAll, beforeAll, expect, it } from 'vitest'
import { listAccounts } from '../../src/operator/accounts/list-accounts.ts'
import { saveAccountGrant } from '../../src/store/account/account-grants.ts'
import { operatorBeside, performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
const pageOf = (members: object) =>
  performAs(
    operatorBeside(agent, () => new Date()),
    agent.tenant,
    listAccounts,
    { ...members },
  )

beforeAll(async () => {
  agent = await startAgent()
  for (const principal of ['one', 'two'])
    for (const brand of ['a', 'b', 'c'])
      await agent.buyerOn(
        { brand: { domain: `${principal}-${brand}.example` }, operator: 'agency.example' },
        { principal: `${principal}-${brand}` },
      )
})
afterAll(() => agent?.stop())

it('lists accounts by pages, each once, and those of one buyer alone', async () => {
  const seen: string[] = []
  let cursor: string | undefined
  do {
    const page = await pageOf({ limit: 2, ...(cursor !== undefined && { cursor }) })
    expect(page.items.length).toBeLessThanOrEqual(2)
    seen.push(...page.items.map(({ account_id: id }) => id))
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  const whole = await pageOf({})
  expect(seen).toEqual(whole.items.map(({ account_id: id }) => id))
  expect(new Set(seen).size).toBe(6)
  const one = await pageOf({ buyer: 'two-b' })
  expect(one.items).toMatchObject([{ buyer: 'two-b', advertiser: 'two-b.example' }])
  await expect(pageOf({ buyer: 'two-b', cursor: (await pageOf({ limit: 2 })).next_cursor })).rejects.toThrow(/cursor/)
})

it('shows the grants of the accounts of a page with them', async () => {
  const [, second] = (await pageOf({ limit: 2 })).items
  const grant = { tenantId: agent.tenant, accountId: second?.account_id ?? '', principalId: 'two-c' }
  await agent.server.store.transaction((tx) =>
    saveAccountGrant(tx, { ...grant, readOnly: true, allowedTasks: undefined }, new Date()),
  )
  const { items } = await pageOf({ limit: 2 })
  expect(items.map(({ grants }) => grants.length)).toEqual([0, 1])
  expect(items[1]?.grants).toMatchObject([{ buyer: 'two-c', read_only: true }])
})
