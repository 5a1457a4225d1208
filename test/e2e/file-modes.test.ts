import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { requireDataFolder } from '../../src/store/private-files.ts'
import { CommandLine } from '../../tools/agent/command-line.ts'

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const line = new CommandLine()
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-modes-'))
const umask = process.umask(0o022)

beforeAll(async () => {
  await line.json('init', '--demo')
})
afterAll(async () => {
  process.umask(umask)
  await line.close()
  rmSync(folder, { recursive: true, force: true })
})

it('a running server keeps its folder, its database and the journals to itself', async () => {
  const server = await line.serve()
  expect(modeOf(line.data)).toBe('700')
  const files = readdirSync(line.data).filter((name) => name.startsWith('sales-agent.sqlite') || name === 'deployment.secret')
  expect(files).toContain('sales-agent.sqlite-wal')
  expect(Object.fromEntries(files.map((name) => [name, modeOf(join(line.data, name))]))).toEqual(
    Object.fromEntries(files.map((name) => [name, '600'])),
  )
  await server.end()
})

it('a backup, a copy and what is restored of one are private too', async () => {
  await line.json('backup', '--to', join(folder, 'backup.sqlite'))
  expect(modeOf(join(folder, 'backup.sqlite'))).toBe('600')
  expect((await line.run(['copy', '--to', `sqlite:${join(folder, 'copy.sqlite')}`, '--data', line.data])).code).toBe(0)
  expect(modeOf(join(folder, 'copy.sqlite'))).toBe('600')
  const restored = join(folder, 'restored')
  expect((await line.run(['restore', '--from', join(folder, 'backup.sqlite'), '--data', restored])).code).toBe(0)
  expect([modeOf(restored), modeOf(join(restored, 'sales-agent.sqlite'))]).toEqual(['700', '600'])
})

it('what an earlier version left open to others is closed at the next start', async () => {
  chmodSync(line.data, 0o755)
  chmodSync(join(line.data, 'sales-agent.sqlite'), 0o644)
  expect((await line.run(['doctor', '--store', '--data', line.data])).code).toBe(0)
  expect([modeOf(line.data), modeOf(join(line.data, 'sales-agent.sqlite'))]).toEqual(['700', '600'])
})

it('a folder of something else keeps its mode', () => {
  const other = join(folder, 'other')
  mkdirSync(other, { mode: 0o755 })
  writeFileSync(join(other, 'notes.txt'), '')
  requireDataFolder(other)
  expect(modeOf(other)).toBe('755')
})
