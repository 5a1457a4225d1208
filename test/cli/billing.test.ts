import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { actsCommand } from '../../src/cli/act-command.ts'
import { creativesCommand } from '../../src/cli/creatives.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { billingActs } from '../../src/operator/billing/acts.ts'
import { listInvoices } from '../../src/operator/billing/show-invoices.ts'
import { pngOf } from '../support/creative-files.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'
import { performAs } from '../support/operator.ts'

const clock = { now: new Date('2026-03-02T09:00:00Z') }
const folder = mkdtempSync(join(tmpdir(), 'sales-agent-billing-'))
let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => clock.now })
})
afterAll(async () => {
  await agent.stop()
  rmSync(folder, { recursive: true })
})

async function printed(command: Command, ...words: string[]): Promise<string> {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)))
  try {
    await command.parseAsync([...words, '--data', agent.config.data], { from: 'user' })
    return lines.join('\n')
  } finally {
    log.mockRestore()
  }
}

it('a month is closed after a question, or with --yes', async () => {
  const monthOf = async () =>
    (await performAs(operatorOn(agent.server.store, agent.config), agent.tenant, listInvoices, {})).items
  const month = new Date(Date.now() - 40 * 86_400_000).toISOString().slice(0, 7)
  await expect(printed(actsCommand('billing', billingActs), 'close', month)).rejects.toMatchObject({
    field: 'yes',
    message: expect.stringMatching(new RegExp(`Closing ${month} of acme is final: .*pass --yes to confirm`)),
  })
  expect(await monthOf()).toEqual([])
  expect(await printed(actsCommand('billing', billingActs), 'close', month, '--dry-run')).toContain(
    `closing ${month} would write`,
  )
  expect(await monthOf()).toEqual([])
  expect(await printed(actsCommand('billing', billingActs), 'close', month, '--yes')).toContain(`${month} is closed`)
})

it('the address of an uploaded file comes with what it depends on', async () => {
  writeFileSync(join(folder, 'a.png'), pngOf(2, 2))
  const text = await printed(creativesCommand(), 'upload', join(folder, 'a.png'))
  expect(text).toMatch(/\/ads\/files\/acme\/[0-9a-f]{32}\.png\n.*--port/)
})
