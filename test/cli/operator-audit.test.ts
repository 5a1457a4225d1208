import { readdirSync, readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { approvalActs } from '../../src/operator/approvals/acts.ts'
import { buyerActs } from '../../src/operator/buyers/acts.ts'
import { keyActs } from '../../src/operator/keys/acts.ts'
import { privacyActs } from '../../src/operator/privacy/acts.ts'
import { tenantActs } from '../../src/operator/tenants/acts.ts'
import { userActs } from '../../src/operator/users/acts.ts'
import { listAudit, writeEntries } from '../../src/store/audit/audit.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const COMMANDS = {
  approvals: () => actsCommand('approvals', approvalActs),
  keys: () => actsCommand('keys', keyActs),
  buyers: () => actsCommand('buyers', buyerActs),
  privacy: () => actsCommand('privacy', privacyActs),
  tenants: () => actsCommand('tenants', tenantActs),
  users: () => actsCommand('users', userActs),
}

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent()
})
afterAll(() => agent.stop())

/** Runs a command in this process and gives what it printed. */
async function run(group: keyof typeof COMMANDS, ...words: string[]): Promise<Record<string, unknown>> {
  const print = vi.spyOn(console, 'log').mockImplementation(() => {})
  try {
    await COMMANDS[group]().parseAsync([...words, '--data', agent.config.data, '--json'], { from: 'user' })
    return JSON.parse(String(print.mock.lastCall?.[0]))
  } finally {
    print.mockRestore()
  }
}
const acts = async () => {
  await agent.server.audit.settled()
  const all = await listAudit(agent.server.store.read, agent.tenant, { limit: 100 })
  return all.filter(({ transport }) => transport === 'cli').reverse()
}

it('what an operator changes is in the audit log of the publisher: who, what, and about whom', async () => {
  const before = (await acts()).length
  const { key_id: keyId } = await run('keys', 'create', '--buyer', 'buyer')
  await run('keys', 'revoke', String(keyId))
  await run('buyers', 'suspend', 'buyer')
  await run('buyers', 'suspend', 'buyer', '--resume')
  await run('buyers', 'answer-text', 'buyer', 'json')
  await run('users', 'add', 'robin', '--buyer', 'buyer')
  await run('tenants', 'set', agent.tenant, '--approval-above', '1000')
  const entries = (await acts()).slice(before)
  expect(entries.map(({ task, subject }) => [task, subject])).toEqual([
    ['keys.create', 'buyer'],
    ['keys.revoke', keyId],
    ['buyers.status', 'buyer'],
    ['buyers.status', 'buyer'],
    ['buyers.answer-text', 'buyer'],
    ['users.add', 'robin'],
    ['settings.set', undefined],
  ])
  for (const entry of entries)
    expect(entry).toMatchObject({ principal: 'operator', credential: `os:${userInfo().username}`, outcome: 'ok' })
})

it('what failed, what was only tried and what was only read leaves nothing', async () => {
  const before = await acts()
  await expect(run('keys', 'revoke', 'key_none')).rejects.toThrow()
  await expect(run('approvals', 'approve', 'task_none')).rejects.toThrow()
  await run('privacy', 'erase', '--before', '2026-01-01', '--dry-run')
  await run('keys', 'list')
  expect(await acts()).toEqual(before)
})

it('no command changes the store behind the log', () => {
  const bare = readdirSync('src/cli').flatMap((file) =>
    readFileSync(`src/cli/${file}`, 'utf8')
      .split('\n')
      .filter((line) => line.includes('store.transaction('))
      .map((line) => `${file}: ${line.trim()}`),
  )
  expect(bare).toEqual([])

  // A sign-in that waits for its second factor is no act yet: the log has what comes of it, and each wrong factor. A check for notices and the sending of a report that is due decide nothing, and the notes of repeated requests surround acts that are logged. Every other act of operator/ writes through auditedStore alone; acts by defineAct, and what takes their context, get their store from the step `audit`.
  const acts = readdirSync('src/operator', { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && file !== 'audited-store.ts',
  )
  const unlogged = acts.filter((file) => {
    const text = readFileSync(join('src/operator', file), 'utf8')
    if (!/\bstore\.transaction\(/.test(text) || /\bdefine(?:Person)?Act\(/.test(text) || /: (?:Pick<)?ActContext\b/.test(text))
      return false
    return !text.includes('const store = auditedStore(') || /context\.store\.transaction/.test(text)
  })
  const known = [
    'admin-keys/run-once.ts',
    'notifications/notice-conditions.ts',
    'people/half-sign-in.ts',
    'reports/send-due-report.ts',
  ]
  expect(unlogged.sort()).toEqual(known)
})

it('answers name the buyer under its earlier name too, and entries are found under both names of an act', async () => {
  const [first] = (await run('keys', 'list')).items as Record<string, unknown>[]
  expect(first).toMatchObject({ buyer: 'buyer', principal: 'buyer' })
  expect(await run('buyers', 'answer-text', 'buyer', 'summary')).toMatchObject({ buyer: 'buyer', principal: 'buyer' })
  const entry = {
    tenant: agent.tenant,
    at: '2026-01-01T00:00:00.000Z',
    transport: 'cli' as const,
    request: 'r',
    task: 'principals.suspend',
  }
  await agent.server.store.transaction((tx) => writeEntries(tx, [{ ...entry, outcome: 'ok' }]))
  await run('buyers', 'suspend', 'buyer', '--resume')
  await agent.server.audit.settled()
  const found = (task: string) => listAudit(agent.server.store.read, agent.tenant, { task, limit: 100 })
  const tasks = (await found('buyers.suspend')).map(({ task }) => task)
  expect(tasks).toEqual(['principals.suspend'])
  expect((await found('principals.status')).map(({ task }) => task)).toContain('buyers.status')
})
