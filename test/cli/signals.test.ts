import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readImportFile } from '../../src/cli/read-import-file.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { exportSignals, importSignals } from '../../src/operator/signals/import-signals.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { acting } from '../support/operator.ts'

const demoFile = fileURLToPath(new URL('../../demo/signals.json', import.meta.url))
const contracts = loadContracts()
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-signals-'))
let store: Store
beforeAll(async () => {
  store = await openSqlite(join(folder, 'store.sqlite'))
  await store.transaction((tx) => addTenant(tx, { tenantId: 'acme', name: 'Acme', domain: 'acme.example' }, new Date()))
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

const file = (name: string, value: unknown) => {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value, null, 2))
  return join(folder, name)
}
const operator = () =>
  operatorOn(store, loadConfig(contracts.base.schemas, { environment: {}, flags: { data: folder } }), contracts)
const importFile = async (path: string, options: { dryRun?: boolean; merge?: boolean } = {}) =>
  importSignals(acting(operator(), 'acme'), {
    tenantId: 'acme',
    file: await readImportFile(path),
    dryRun: false,
    merge: false,
    ...options,
  })

describe('signals import', () => {
  it('changes nothing in a dry run, then imports, then finds nothing to do', async () => {
    const { length } = JSON.parse(readFileSync(demoFile, 'utf8')).signals
    expect((await importFile(demoFile, { dryRun: true })).added).toHaveLength(length)
    expect((await exportSignals(operator(), 'acme')).signals).toEqual([])
    expect((await importFile(demoFile)).added).toHaveLength(length)
    expect(await importFile(demoFile)).toMatchObject({ added: [], changed: [], removed: [], unchanged: { length } })
  })

  it('exports what it imported', async () => {
    const before = await exportSignals(operator(), 'acme')
    expect(await importFile(file('export.json', before))).toMatchObject({ added: [], changed: [], removed: [] })
    expect(await exportSignals(operator(), 'acme')).toEqual(before)
  })

  it('replaces the signals, or merges into them', async () => {
    const before = await exportSignals(operator(), 'acme')
    const [first] = before.signals
    const one = { ...before, signals: [{ ...first, coverage_percentage: 1 }] }
    expect(await importFile(file('one.json', one), { merge: true })).toMatchObject({
      changed: [first?.signal_agent_segment_id],
      removed: [],
    })
    expect((await exportSignals(operator(), 'acme')).signals).toHaveLength(before.signals.length)
    expect((await importFile(file('one.json', one))).removed).toHaveLength(before.signals.length - 1)
    expect((await exportSignals(operator(), 'acme')).signals).toEqual(one.signals)
    expect((await importFile(demoFile)).added).toHaveLength(before.signals.length - 1)
  })

  it('imports nothing of a file with a mistake, and says where it is', async () => {
    const before = await exportSignals(operator(), 'acme')
    const [first, second] = before.signals
    const bad = file('bad.json', { ...before, signals: [first, { ...second, value_type: 'numeric', range: { min: 2, max: 1 } }] })
    await expect(importFile(bad)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(/1 to repair:\n {2}line \d+, column \d+: \/signals\/1\/range\/max: must be above min/),
    })
    await expect(importFile(file('broken.json', '{"version": 1,'))).rejects.toMatchObject({
      message: expect.stringContaining('line 1'),
    })
    await expect(importFile(join(folder, 'absent.json'))).rejects.toMatchObject({
      message: expect.stringContaining('there is no such file'),
    })
    expect(await exportSignals(operator(), 'acme')).toEqual(before)
  })
})
