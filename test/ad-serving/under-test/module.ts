import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { SETTINGS } from '../../support/ad-server-orders.ts'
import type { BackendUnderTest } from '../contract.ts'

/** The module that the documentation shows. */
export async function openModule(): Promise<BackendUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'backend-'))
  const page = readFileSync('docs/ad-servers.md', 'utf8')
  const [, code = ''] = /<!-- backend:start -->\n```js\n([\s\S]+?)```\n<!-- backend:end -->/.exec(page) ?? []
  writeFileSync(join(folder, 'my-backend.mjs'), code)
  const made = await import(pathToFileURL(join(folder, 'my-backend.mjs')).href)
  const file = join(folder, 'orders.json')
  const open = () => made.default({ options: { file } })
  return {
    backend: open(),
    reopen: open,
    settings: SETTINGS,
    refuses: 'the module of the documentation takes every line',
    close: async () => rmSync(folder, { recursive: true, force: true }),
    async tamper({ key }, lineExternalId) {
      const orders = JSON.parse(readFileSync(file, 'utf8'))
      const lines = orders[`${key.tenantId}/${key.externalId}`].lines
      lines.find(({ externalId }: { externalId: string }) => externalId === lineExternalId).settings.budgetMicros = 1
      writeFileSync(file, JSON.stringify(orders))
      return { subject: 'line', field: 'budgetMicros', heals: true }
    },
  }
}
