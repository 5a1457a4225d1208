import { afterAll, beforeAll, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { addCharge } from '../../src/operator/billing/charges.ts'
import { findDecisions } from '../../src/operator/notifications/find-conditions.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { listReportStatements } from '../../src/operator/reports/report-statements.ts'
import { settleStatement } from '../../src/operator/reports/settle-statement.ts'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { contradicted } from '../support/contradicted-report.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

let agent: MediaBuyAgent
let operator: OperatorContext
let ada: ConsoleClient
let order: string
let issue: string
const now = new Date('2026-03-01T12:00:00.000Z')

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => now })
  operator = { ...operatorOn(agent.server.store, agent.config), clock: () => now }
  ada = await signedIn(agent, 'ada', 'administrator')
  order = String((await agent.create()).data.media_buy_id)
  const bought = await agent.server.store.read
    .selectFrom('media_buys')
    .select(['principal_id', 'account_id'])
    .where('media_buy_id', '=', order)
    .executeTakeFirstOrThrow()
  const owner = { tenantId: agent.tenant, principalId: bought.principal_id, accountId: String(bought.account_id) }
  issue = await contradicted(agent.server.store, owner, now)
})
afterAll(() => agent?.stop())

const listed = () => performAs(operator, agent.tenant, listReportStatements, {})
const settle = (members: object) => performAs(operator, agent.tenant, settleStatement, { issue, ...members })

it('a report that a buyer contradicts is listed, stands in the inbox and is told as a decision', async () => {
  expect((await listed()).items).toMatchObject([
    {
      ...{ issue, state: 'open', said: 'content_mismatch', code: 'coverage_short', responsible: 'seller', orders: [order] },
      ...{ period_start: '2026-02-28T00:00:00.000Z', settled: null },
    },
  ])
  const base = `/console/t/${agent.tenant}`
  expect((await ada.get(`${base}/inbox`)).text).toContain('A buyer contradicts a report')
  expect((await ada.get(`${base}/home`)).text).toContain('A buyer contradicts a report')
  const page = (await ada.get(`${base}/reports/statements`)).text
  expect(page).toMatch(/content mismatch: coverage short/i)
  expect(page).toContain(`/reports/statements/${issue}/settle`)
  expect(await findDecisions(operator, agent.tenant)).toMatchObject([
    { kind: 'waiting', key: issue, path: `/t/${agent.tenant}/reports/statements` },
  ])
})

it('is settled with the credit that makes up for it, and is left at that with the buyer alone', async () => {
  await expect(settle({ settle_as: 'acknowledged', charge: 'charge_none' })).rejects.toMatchObject({ field: 'charge' })
  await expect(settle({ issue: 'reporting-issue.none', settle_as: 'acknowledged' })).rejects.toMatchObject({ field: 'issue' })
  const charge = await performAs(operator, agent.tenant, addCharge, {
    order,
    amount: '5.00',
    reason: 'one package was not counted',
  })
  const taken = await settle({ settle_as: 'acknowledged', finding: 'asked the ad server', charge: charge.charge_id })
  expect(taken).toMatchObject({ state: 'acknowledged', settled: { note: 'asked the ad server', charge: charge.charge_id } })
  expect(await findDecisions(operator, agent.tenant)).toEqual([])

  await expect(settle({ settle_as: 'waived' })).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'agreed_with' })
  expect(await settle({ settle_as: 'waived', agreed_with: 'their operations' })).toMatchObject({ state: 'waived' })
  await expect(settle({ settle_as: 'acknowledged' })).rejects.toMatchObject({ code: 'INVALID_STATE' })
})
