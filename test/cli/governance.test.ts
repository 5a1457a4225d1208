import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { governanceActs } from '../../src/operator/governance/acts.ts'
import { readCondition } from '../../src/operator/governance/read-condition.ts'
import type { PublishedJwk } from '../../src/security/signing/jwk.ts'
import { readRevocationList } from '../../src/security/signing/revocation-list.ts'
import { type GovernanceAgent, LIMITED, NOW, startGovernanceAgent } from '../support/governance-agent.ts'

let agent: GovernanceAgent
beforeAll(async () => {
  agent = await startGovernanceAgent()
})
afterAll(() => agent.stop())

/** Runs the command on the data folder of the running server, as a second process would. */
async function run(...args: string[]) {
  vi.useFakeTimers({ toFake: ['Date'], now: NOW })
  const written = vi.spyOn(console, 'log').mockImplementation(() => undefined)
  try {
    await actsCommand('governance', governanceActs).parseAsync([...args, '--data', agent.config.data, '--json'], { from: 'user' })
    return JSON.parse(String(written.mock.calls[0]?.[0]))
  } finally {
    written.mockRestore()
    vi.useRealTimers()
  }
}

async function waiting() {
  const plan = await agent.plan(LIMITED)
  const { data } = await agent.check(plan, 6_000)
  return { plan, check: data.check_id as string }
}

describe('sales-agent governance', () => {
  it('lists what waits, shows why, and approves it', async () => {
    const { plan, check } = await waiting()
    expect((await run('list')).items).toMatchObject([{ check_id: check, plan_id: plan, amount: '6000 USD', state: 'pending' }])
    expect(await run('show', check)).toMatchObject({
      findings: [{ category_id: 'budget_authority' }],
      log: [{ event: 'check' }, { event: 'escalation' }],
    })
    expect(await run('approve', check, '--by', 'Head of media', '--reason', 'fits')).toMatchObject({
      state: 'approved',
      decided_by: 'Head of media',
      note: 'fits',
    })
    expect((await run('list')).items).toEqual([])
    expect((await run('list', '--all')).items).toMatchObject([{ check_id: check, state: 'approved' }])
    expect((await agent.check(plan, 6_000)).data.status).toBe('approved')
    expect(await run('verify', check)).toMatchObject({ plan_id: plan, intact: true, entries: 5 })
  })

  it('approves on conditions', async () => {
    const { plan, check } = await waiting()
    await run(
      'conditions',
      check,
      '--by',
      'Head of media',
      '--condition',
      'packages[0].pacing="even": no bursts',
      '--condition',
      'packages: no increase',
    )
    expect((await agent.check(plan, 6_000)).data).toMatchObject({
      status: 'conditions',
      conditions: [
        { field: 'packages[0].pacing', required_value: 'even', reason: 'no bursts' },
        { field: 'packages', reason: 'no increase' },
      ],
    })
  })

  it('rejects, once', async () => {
    const { plan, check } = await waiting()
    await run('reject', check, '--by', 'Head of media', '--reason', 'too early')
    expect((await agent.check(plan, 6_000)).data.explanation).toContain('too early')
    await expect(run('approve', check, '--by', 'Somebody')).rejects.toMatchObject({ code: 'INVALID_STATE' })
  })

  it('takes back a token: the published list names it, signed with the published key', async () => {
    const plan = await agent.plan()
    const { data } = await agent.check(plan, 10)
    const { jti } = await run('revoke', data.check_id, '--by', 'Head of media', '--reason', 'agency changed')
    expect(jti).toBe(decodeJwt(data.governance_context).jti)
    const answer = await fetch(new URL('/.well-known/governance-revocations.json', agent.url))
    expect(answer.headers.get('content-type')).toBe('application/jose')
    const { keys }: { keys: PublishedJwk[] } = JSON.parse(
      await (await fetch(new URL('/.well-known/jwks.json', agent.url))).text(),
    )
    const list = await readRevocationList(await answer.text(), agent.server.services.wiring.agentUrl, keys)
    expect(list.revokedJtis).toEqual(new Set([jti]))
    expect(list.nextUpdateSeconds - list.updatedSeconds).toBe(900)
    const log = await agent.run('get_plan_audit_logs', { plan_ids: [plan], include_entries: true })
    expect(log.data.ext.audit_chain[0].events.at(-1)).toMatchObject({
      event: 'revocation',
      actor: 'Head of media',
      reason: 'agency changed',
    })
    const { check } = await waiting()
    await expect(run('revoke', check, '--by', 'x', '--reason', 'y')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
  })

  it('knows no other check, and no decision by nobody', async () => {
    for (const command of ['show', 'verify'])
      await expect(run(command, 'chk_none')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    await expect(run('approve', 'chk_none', '--by', 'x')).rejects.toMatchObject({ code: 'REFERENCE_NOT_FOUND' })
    const { check } = await waiting()
    await expect(run('approve', check, '--by', ' ')).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'by' })
  })
})

describe('readCondition', () => {
  it.each([
    ['total_budget=25000: less', { field: 'total_budget', requiredValue: 25_000, reason: 'less' }],
    [
      'reporting_webhook.reporting_frequency=daily: figures',
      { field: 'reporting_webhook.reporting_frequency', requiredValue: 'daily', reason: 'figures' },
    ],
    ['packages: no increase: never', { field: 'packages', reason: 'no increase: never' }],
  ])('reads "%s"', (text, condition) => {
    expect(readCondition(text)).toEqual(condition)
  })

  it.each(['', 'no reason', 'field=1', ': words', 'a b: words'])('refuses "%s"', (text) => {
    expect(() => readCondition(text)).toThrow(/a condition is written/)
  })
})
