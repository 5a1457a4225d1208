import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { CommandLine } from '../../tools/agent/command-line.ts'

const line = new CommandLine()
const at = (name: string) => join(line.folder, name)

beforeAll(async () => {
  await line.json('init', '--demo')
  await line.json('backup', '--to', at('good.sqlite'))
})
afterAll(() => line.close())

const restored = at('restored')
const restore = (name: string) => line.run(['restore', '--from', at(name), '--data', restored])

it('a backup into a folder that is not there says so', async () => {
  for (const args of [
    ['backup', '--to', at('nowhere/backup.sqlite')],
    ['copy', '--to', `sqlite:${at('nowhere/copy.sqlite')}`],
  ]) {
    const { code, stderr } = await line.run([...args, '--data', line.data])
    expect(code).toBe(1)
    expect(stderr).toBe(`error: --to: there is no folder ${at('nowhere')}\n`)
  }
})

it('what is no store of this program is not made one', async () => {
  const other = sqliteDriver().open(at('other.sqlite'))
  other.exec('CREATE TABLE notes (text TEXT)')
  other.close()
  writeFileSync(
    at('text.sqlite'),
    'no database, but longer than the header that says what one is, and so on, and so on, and so on, to the end',
  )
  const good = readFileSync(at('good.sqlite'))
  writeFileSync(at('half.sqlite'), good.subarray(0, good.length / 2))
  const newer = sqliteDriver().open(at('newer.sqlite'))
  newer.exec(
    "CREATE TABLE kysely_migration (name TEXT, timestamp TEXT); INSERT INTO kysely_migration VALUES ('0001-initial', ''), ('9999-x', '')",
  )
  newer.close()
  for (const [name, why] of [
    ['missing.sqlite', 'there is no file'],
    ['other.sqlite', 'is not a store of this program'],
    ['text.sqlite', 'cannot be read: file is not a database'],
    ['half.sqlite', ''],
    ['newer.sqlite', 'was made by a newer version of this program (9999-x)'],
  ] as const) {
    const { code, stdout, stderr } = await restore(name)
    expect({ name, code, stdout }).toEqual({ name, code: 1, stdout: '' })
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toContain(why)
    expect(stderr.split('\n')).toHaveLength(2)
    expect(existsSync(join(restored, 'sales-agent.sqlite'))).toBe(false)
  }
})

it('a good one is, byte for byte what it was, and stays as it is', async () => {
  const before = readFileSync(at('good.sqlite'))
  expect((await restore('good.sqlite')).code).toBe(0)
  expect(readFileSync(at('good.sqlite')).equals(before)).toBe(true)
  expect((await line.run(['doctor', '--store', '--data', restored])).code).toBe(0)
})
