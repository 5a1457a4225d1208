import { describe, expect, it } from 'vitest'
import type { Answer } from '../../../tools/faults/buyer.ts'
import { diagnose } from '../../../tools/faults/diagnosis.ts'
import { type FaultResults, faultsMarkdown, faultsProblems } from '../../../tools/faults/faults-report.ts'
import { settle } from '../../../tools/faults/kills.ts'
import { revive } from '../../../tools/faults/victims.ts'

const good: FaultResults = {
  failed: [],
  races: { keys: 1, connections: 2, executed: 1, replayed: 1, refused: {}, lost: 0, broken: [], seconds: 1 },
  nonces: { messages: 1, copies: 2, accepted: 1, refused: 1, others: {}, broken: [], seconds: 1 },
  limits: { rows: [{ what: 'reads', limit: 2, sent: 3, passed: 2 }], problems: [], seconds: 1 },
  outage: { seconds: 30, answers: {}, slowestMs: 1, readyAgainMs: 1, boughtAgainMs: 1, purchases: 1, problems: [] },
  kills: {
    rounds: 1,
    killed: { database: 1 },
    acknowledged: 1,
    unanswered: 0,
    refused: {},
    retries: {},
    inFlight: { '0': 1 },
    slowestSettledMs: 1,
    slowStarts: 0,
    doctor: { tables: 90, rules: 160, answers: 1 },
    problems: [],
    mediaBuys: 1,
    seconds: 1,
  },
}
const machine = { cpu: 'a processor', cores: 2, memoryGb: 8, node: 'v20' }

describe('the report of the faults', () => {
  it('is content with a good run', () => {
    expect(faultsProblems(good)).toEqual([])
    const page = faultsMarkdown(good, machine, '2026-01-01')
    expect(page).toContain('Nothing lost, nothing twice, nothing broken.')
    expect(page).toContain('| idempotency keys raced | 1 keys × 2 connections |')
  })

  it.each<[string, Partial<FaultResults>]>([
    ['a part that ended early', { failed: ['kills ended early'], kills: undefined }],
    [
      'a key that was executed twice',
      { races: { keys: 1, connections: 2, executed: 2, replayed: 0, refused: {}, lost: 0, broken: ['k'], seconds: 1 } },
    ],
    [
      'a nonce that counted twice',
      { nonces: { messages: 1, copies: 2, accepted: 2, refused: 0, others: {}, broken: ['n'], seconds: 1 } },
    ],
    ['a broken table', { kills: good.kills && { ...good.kills, problems: ['round 1: …'] } }],
  ])('names %s', (_name, change) => {
    const results = { ...good, ...change }
    expect(faultsProblems(results)).toHaveLength(1)
    expect(faultsMarkdown(results, machine, '2026-01-01')).toContain('**1 problems:**')
  })
})

describe('a key that is asked for again', () => {
  const buyer = (answers: Answer[]) => ({ buy: async () => answers.shift() ?? ({ kind: 'lost' } as const) })
  const refused = (code: string) => ({ kind: 'refused', code, retryAfter: 1 }) as const

  it('counts its calls, and those that were told that the first is still running', async () => {
    const answers: Answer[] = [
      refused('SERVICE_UNAVAILABLE'),
      refused('IDEMPOTENCY_IN_FLIGHT'),
      { kind: 'bought', mediaBuyId: 'mb', replayed: false },
    ]
    expect(await settle(buyer(answers), 'k')).toEqual({ mediaBuyId: 'mb', calls: 3, inFlight: 1 })
  })
})

describe('what was killed', () => {
  it('is started again where the first start was late, and given up when every start fails', async () => {
    let starts = 0
    const fleet = (fails: number) => ({
      postgres: { start: () => Promise.reject(new Error('no')) },
      async start() {
        starts += 1
        if (starts <= fails) throw new Error('late')
      },
    })
    expect(await revive(fleet(1), 0, 1)).toBe(2)
    starts = 0
    await expect(revive(fleet(9), 0, 1)).rejects.toThrow('late')
    await expect(revive(fleet(0), 'database', 1)).rejects.toThrow('no')
  })
})

describe('the doctor of a fleet', () => {
  const said = { tables: 90, rules: 160, answers: 5, problems: [{ table: 'tasks', rule: 'r', examples: [] }] }

  it('is heard when it ends with code 1, and asked again when it said nothing', async () => {
    const failed = Object.assign(new Error('code 1'), { stdout: JSON.stringify(said) })
    const diagnosis = await diagnose({ command: () => Promise.reject(failed) })
    expect(diagnosis).toMatchObject({ tables: 90, answers: 5, problems: [expect.stringContaining('tasks')] })
    let asked = 0
    const command = async () => {
      asked += 1
      if (asked < 3) throw Object.assign(new Error('statement timeout'), { stdout: '' })
      return { ...said, problems: [] }
    }
    expect((await diagnose({ command })).problems).toEqual([])
    await expect(diagnose({ command: () => Promise.reject(new Error('gone')) })).rejects.toThrow('gone')
  })
})
