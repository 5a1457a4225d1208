import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { AdServerBackend } from '../../src/ad-serving/backend.ts'
import { NOTHING } from '../../src/domain/media-buy/delivery.ts'
import { SETTINGS } from '../domain/ad-serving/orders.ts'
import { createMemoryAdServer } from '../support/memory-ad-server.ts'
import { type BackendUnderTest, describeBackend, faultsOf } from './contract.ts'

async function openMemory(
  overrides: (honest: AdServerBackend) => Partial<AdServerBackend> = () => ({}),
): Promise<BackendUnderTest> {
  const server = createMemoryAdServer()
  return {
    backend: { ...server.backend, ...overrides(server.backend) },
    settings: SETTINGS,
    async tamper({ key }, lineExternalId) {
      const found = server.orders.find((one) => one.key.externalId === key.externalId)
      for (const each of found?.lines ?? [])
        if (each.externalId === lineExternalId) each.settings = { ...each.settings, budgetMicros: 1 }
    },
  }
}

/** The module that the documentation shows. */
async function openModule(): Promise<BackendUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'backend-'))
  const page = readFileSync('docs/ad-servers.md', 'utf8')
  const [, code = ''] = /<!-- backend:start -->\n```js\n([\s\S]+?)```\n<!-- backend:end -->/.exec(page) ?? []
  writeFileSync(join(folder, 'my-backend.mjs'), code)
  const made = await import(pathToFileURL(join(folder, 'my-backend.mjs')).href)
  const file = join(folder, 'orders.json')
  const close = async () => rmSync(folder, { recursive: true, force: true })
  return {
    backend: made.default({ options: { file } }),
    settings: SETTINGS,
    close,
    async tamper({ key }, lineExternalId) {
      const orders = JSON.parse(readFileSync(file, 'utf8'))
      const lines = orders[`${key.tenantId}/${key.externalId}`].lines
      lines.find(({ externalId }: { externalId: string }) => externalId === lineExternalId).settings.budgetMicros = 1
      writeFileSync(file, JSON.stringify(orders))
    },
  }
}

describeBackend('in memory', () => openMemory())
describeBackend('of a module', openModule)

describe('an ad server that lies is found out', () => {
  test('the honest one has no fault', async () => {
    expect(await faultsOf(() => openMemory())).toEqual([])
  })

  test.each<[string, (honest: AdServerBackend) => Partial<AdServerBackend>]>([
    ['accepts lines and forgets them', () => ({ putLine: async () => {} })],
    [
      'accepts a change of a line and forgets it',
      (honest) => {
        const known = new Set<string>()
        return {
          async putLine(order, line, settings) {
            if (!known.has(line.externalId)) await honest.putLine(order, line, settings)
            known.add(line.externalId)
          },
        }
      },
    ],
    [
      'accepts a pause and goes on',
      (honest) => ({
        setOrderState: async (order, state, id) => (state === 'paused' ? undefined : honest.setOrderState(order, state, id)),
      }),
    ],
    [
      'does what it accepted later',
      (honest) => ({
        putLine: async (order, line, settings) => {
          setTimeout(() => void honest.putLine(order, line, settings), 20)
        },
        associate: async () => {},
        setLineState: async () => {},
      }),
    ],
    [
      'writes lines twice',
      (honest) => ({
        async putLine(order, line, settings) {
          await honest.putLine(order, line, settings)
          await honest.putLine(order, { externalId: line.externalId, id: 'unknown' }, settings)
        },
      }),
    ],
    ['knows only one publisher', (honest) => ({ observe: (order) => honest.observe({ ...order, tenantId: 'acme' }) })],
    [
      'reports lines of others',
      () => ({
        report: async () => ({ rows: [{ ...NOTHING, lineExternalId: 'theirs', period: '2026-07-01' }] }),
      }),
    ],
    [
      'reports a row twice',
      () => ({
        report: async () => {
          const row = { ...NOTHING, lineExternalId: 'report_pkg_1', period: '2026-07-01' }
          return { rows: [row, row] }
        },
      }),
    ],
    [
      'keeps another budget',
      (honest) => ({
        putLine: (order, line, settings) => honest.putLine(order, line, { ...settings, budgetMicros: settings.budgetMicros + 1 }),
      }),
    ],
  ])('%s', async (_name, overrides) => {
    expect(await faultsOf(() => openMemory(overrides))).not.toEqual([])
  })
})
