import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { adServerActs } from '../../src/operator/ad-servers/acts.ts'
import { listAudit } from '../../src/store/audit/audit.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'ad-server-acts-'))
let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
})
afterAll(async () => {
  await agent.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a command in this process: what it printed, on standard error too, and whether it failed. */
async function run(...words: string[]) {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    process.exitCode = undefined
    await actsCommand('adservers', adServerActs).parseAsync([...words, '--data', agent.config.data], { from: 'user' })
    const printed = [...log.mock.calls, ...out.mock.calls].map(([text]) => String(text)).join('\n')
    return { printed, stderr: err.mock.calls.map(([text]) => String(text)).join(''), failed: process.exitCode === 1 }
  } finally {
    process.exitCode = undefined
    for (const spy of [log, out, err]) spy.mockRestore()
  }
}
const json = async (...words: string[]) => JSON.parse((await run(...words, '--json')).printed)
const OPTIONS = '{"products": {"news": {"units": ["Home"]}}}'

it('an ad server is added, changed and removed, and says what nothing serves', async () => {
  const added = await run('add', 'print', '--type', 'manual', '--products', 'news', '--options', OPTIONS)
  expect(added.printed).toBe('print (manual) serves news; drift: leave')
  expect((await run('set', 'print', '--drift', 'heal')).printed).toBe('print (manual) serves news; drift: heal')
  expect(await json('set', 'print', '--products', 'all')).toMatchObject({ products: 'all', drift: 'heal' })
  await expect(run('set', 'print', '--products', 'news,gone')).rejects.toThrow('there is no product "gone"')
  expect((await json('list')).items.map(({ name }: { name: string }) => name)).toContain('print')
})

it('credentials are refused where none are taken, and then nothing of the ad server is left', async () => {
  const key = join(folder, 'key.json')
  writeFileSync(key, '{"apiKey": "secret"}')
  await expect(run('add', 'other', '--type', 'simulator', '--key', key)).rejects.toThrow()
  await expect(run('add', 'up', '--type', 'upstream', '--key', key)).rejects.toThrow()
  await expect(run('credentials', 'print')).rejects.toMatchObject({ code: 'INVALID_REQUEST', field: 'credentials' })
  await expect(run('credentials', 'print', '--remove')).rejects.toThrow('no credentials of "print" are stored')
  await expect(run('add', 'none')).rejects.toThrow('name the type, or a network')
  expect((await json('list')).items.map(({ name }: { name: string }) => name)).not.toContain('up')
})

it('the only reconciled ad server need not be named', async () => {
  expect((await json('test')).items).toMatchObject([{ name: 'print', ok: true }])
  expect((await json('inventory')).next_cursor).toBeNull()
  const tested = await run('test', '--live', '--product', 'gone').catch(String)
  expect(tested).toContain('there is no product "gone"')
  const live = await run('test', '--live', '--ad-server', 'print', '--product', 'news')
  expect(live.printed).toMatch(/answers and takes our credentials +ok/)
  expect(live.failed).toBe(/failed/.test(live.printed))
  await expect(run('inventory', '--ad-server', 'none')).rejects.toThrow('no reconciled ad server "none"; there are: print')
})

it('sheets of creatives and of lines, as tables and as CSV', async () => {
  expect(await json('sheet')).toEqual({ items: [], next_cursor: null })
  expect(await json('sheet', '--orders')).toEqual({ items: [], next_cursor: null })
  expect((await json('sheet', '--orders', '--all', '--ad-server', 'print')).items).toMatchObject([
    { state: 'ended', units: ['Home'] },
  ])
  expect((await run('sheet', '--csv')).printed).toMatch(/^media_buy_id,order,package_id/)
  expect((await run('sheet', '--orders', '--csv')).printed).toMatch(/^media_buy_id,package_id,to_do/)
})

it('each change is in the audit log once, under the name of the ad server', async () => {
  await run('remove', 'print')
  await agent.server.audit.settled()
  const entries = await listAudit(agent.server.store.read, agent.tenant, { limit: 100 })
  const acts = entries.filter(({ task }) => task.startsWith('adservers.')).reverse()
  expect(acts.map(({ task, subject }) => `${task} ${task === 'adservers.test' ? '' : subject}`.trim())).toEqual([
    'adservers.add print',
    'adservers.set print',
    'adservers.set print',
    'adservers.test',
    'adservers.remove print',
  ])
})
