import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { setApprovalPolicy } from '../../src/operator/approvals/approval-policy.ts'
import { approve, reject } from '../../src/operator/approvals/decide-approval.ts'
import { approveCreative, rejectCreative } from '../../src/operator/creatives/decide-creative.ts'
import { setCreativeReview } from '../../src/operator/creatives/review-creatives.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { banner } from '../support/creative-agent.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { listAuditEntries, operatorBeside, performAs } from '../support/operator.ts'

const ROUNDS = 8
let agent: MediaBuyAgent
let operator: OperatorContext

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  operator = operatorBeside(agent, () => new Date('2026-03-01T12:00:00.000Z'))
  await performAs(operator, agent.tenant, setCreativeReview, { mode: 'manual' })
  await performAs(operator, agent.tenant, setApprovalPolicy, { task: 'create_media_buy', when: 'always' })
})
afterAll(() => agent.stop())

/** The decisions on something that ended well, and the entries of the log about it. */
async function decidedAtOnce(subject: string, decisions: readonly Promise<unknown>[]) {
  const done = (await Promise.allSettled(decisions)).filter(({ status }) => status === 'fulfilled').length
  await agent.server.audit.settled()
  const entries = await listAuditEntries(operator, agent.tenant, { limit: 50 })
  return {
    done,
    entries: entries.filter(({ subject: of, task }) => of === subject && /^(?:approvals|creatives)\./.test(task)).length,
  }
}

it('of decisions on a task at once, the log has those that were made and no other', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { data } = await agent.create({ idempotency_key: randomUUID() })
    const approval: string = data.task_id
    const act = (conditions: readonly string[]) => performAs(operator, agent.tenant, approve, { approval, conditions })
    const decisions = [act(['A']), act(['Z']), performAs(operator, agent.tenant, reject, { approval, reason: 'C' }), act(['A'])]
    const { done, entries } = await decidedAtOnce(approval, decisions)
    // The same decision twice is one: both are answered, and it is logged once.
    expect([done >= 1 && done <= 2, entries]).toEqual([true, 1])
  }
})

it('one of two who decide first is first, of a task and of a creative', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { data } = await agent.create({ idempotency_key: randomUUID() })
    const approval: string = data.task_id
    const first = () => performAs(operator, agent.tenant, approve, { approval, undecided: true })
    expect(await decidedAtOnce(approval, [first(), first()])).toEqual({ done: 1, entries: 1 })

    const creative = `banner-${round}`
    await agent.run('sync_creatives', { creatives: [banner(agent.url, creative)] })
    const named = { buyer: 'buyer', account: '-', creative, seen: 'pending_review' }
    const yes = () => performAs(operator, agent.tenant, approveCreative, named)
    const no = performAs(operator, agent.tenant, rejectCreative, { ...named, reason: 'too loud' })
    expect(await decidedAtOnce(creative, [yes(), no, yes()])).toEqual({ done: 1, entries: 1 })
  }
})
