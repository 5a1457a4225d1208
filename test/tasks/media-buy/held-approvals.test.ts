import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decisionFacts } from '../../../src/operator/approvals/decision-facts.ts'
import { listApprovals } from '../../../src/operator/approvals/list-approvals.ts'
import { findApproval } from '../../../src/store/approval/approvals.ts'
import { saveTenantSettings } from '../../../src/store/identity/tenants.ts'
import { expire, reject, withdraw } from '../../../src/tasks/approvals/decide.ts'
import { operatorBeside, performAs } from '../../support/operator.ts'
import {
  clock,
  HOUR_MS,
  IMPRESSIONS,
  type Json,
  NOW,
  PRODUCT,
  proposalBuyer,
  startProposalAgent,
} from '../../support/proposal-buyer.ts'
import { LINES, type ReleaseAgent } from '../../support/release-agent.ts'

const at = () => new Date(NOW + clock.hours * HOUR_MS)

describe.skipIf(!LINES.includes('3.2'))('an acceptance that a person decides on', () => {
  let agent: ReleaseAgent
  beforeAll(async () => {
    agent = await startProposalAgent()
    const approvals = { tasks: { create_media_buy: { when: 'always' } } } as const
    await agent.server.store.transaction((tx) => saveTenantSettings(tx, agent.tenant, { approvals }))
  }, 120_000)
  afterAll(() => agent?.stop())
  const { ask, requested, finalize, acceptance, reserved, holds } = proposalBuyer(() => agent)

  const submitted = async (): Promise<string> => {
    const firm: Json = await finalize((await requested()).proposal_id)
    return (await ask('accept_proposal', acceptance(firm))).task_id
  }

  it('keeps its hold while it waits, which is not in its own way', async () => {
    const before = await reserved()
    const taskId = await submitted()
    expect(await reserved()).toBe(before + IMPRESSIONS)
    const operator = operatorBeside(agent, at)
    const entry = (await performAs(operator, agent.tenant, listApprovals, {})).items.find(({ id }) => id === taskId)
    if (!entry) throw new Error('the acceptance does not wait')
    const [inventory] = (await decisionFacts(operator, agent.tenant, entry)).inventory
    const days = 30
    expect(inventory).toMatchObject({ product_id: PRODUCT, asked: IMPRESSIONS, fits: true })
    expect(inventory?.left).toBeGreaterThan(400_000 * days)
    await reject(agent.server.store, agent.tenant, taskId, 'no', at())
  })

  const ends: Readonly<Record<string, (taskId: string) => Promise<unknown>>> = {
    rejected: (taskId) => reject(agent.server.store, agent.tenant, taskId, 'another brand was first', at()),
    withdrawn: async (taskId) => {
      const approval = await findApproval(agent.server.store.read, agent.tenant, taskId)
      if (!approval) throw new Error('there is no such approval')
      return withdraw(agent.server.store, approval, taskId, at())
    },
    'not decided in time': async (taskId) => {
      const approval = await findApproval(agent.server.store.read, agent.tenant, taskId)
      if (!approval) throw new Error('there is no such approval')
      return expire(agent.server.store, approval, at())
    },
  }
  it.each(Object.entries(ends))('gives its hold back when it is %s', async (_how, end) => {
    const before = await reserved()
    const taskId = await submitted()
    expect(await holds()).toHaveLength(1)
    await end(taskId)
    expect(await holds()).toEqual([])
    expect(await reserved()).toBe(before)
  })
})
