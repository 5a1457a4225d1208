import { afterAll, beforeAll, expect, it } from 'vitest'
import { examineForPublisher } from '../../src/operator/doctor/examine-for-publisher.ts'
import { perform } from '../../src/operator/perform.ts'
import { addMatchProvider } from '../../src/operator/trusted-match/provider-acts.ts'
import { operatorBeside, performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent

beforeAll(async () => {
  agent = await startAgent()
  await agent.addBuyer({ principal: 'other', tenant: 'rival' })
  for (const tenant of [agent.tenant, 'rival'])
    await performAs(
      operatorBeside(agent, () => new Date()),
      tenant,
      addMatchProvider,
      {
        provider: `provider_of_${tenant}`,
        endpoint: 'https://match.example/tmp',
        context_match: true,
      },
    )
})
afterAll(() => agent.stop())

async function examined(deployment: boolean) {
  const operator = operatorBeside(agent, () => new Date())
  const caller = { actor: operator.actor, tenantId: agent.tenant, role: 'ad_operations', deployment } as const
  const { answer } = await perform(operator, caller, examineForPublisher, {})
  return answer
}

it('people of a publisher read nothing about another one of the deployment, and are told of no problem that is not shown', async () => {
  const { findings, healthy } = await examined(false)
  expect(findings.filter(({ tenant }) => tenant === agent.tenant).map(({ check }) => check)).toEqual(
    expect.arrayContaining(['ad server', 'match provider']),
  )
  expect(findings.filter(({ text }) => text.includes('rival'))).toEqual([])
  expect(healthy).toBe(!findings.some(({ outcome }) => outcome === 'problem'))
})

it('administrators of the deployment read what is about every publisher', async () => {
  const { findings } = await examined(true)
  const tenants = new Set(findings.map(({ tenant }) => tenant))
  expect([tenants.has(agent.tenant), tenants.has('rival')]).toEqual([true, true])
})
