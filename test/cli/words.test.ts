import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { allCommands, commandsFor } from '../../src/cli/commands.ts'
import { commandOf, withOption } from '../../src/cli/name-option.ts'
import { explainFailure } from '../../src/operator/explain-failure.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

const folder = mkdtempSync(join(tmpdir(), 'sales-agent-words-'))
let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
})
afterEach(() => {
  process.exitCode = 0
})
afterAll(async () => {
  await agent?.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a command line on the store of the agent: what a person reads. */
async function run(...words: string[]): Promise<string> {
  const written: string[] = []
  const spy = vi.spyOn(console, 'log').mockImplementation((line) => void written.push(String(line)))
  const [root] = await commandsFor(words[0])
  if (!root) throw new Error(`there is no command ${words[0]}`)
  try {
    await root.parseAsync([...words.slice(1), '--data', agent.config.data], { from: 'user' })
    return written.join('\n')
  } catch (error) {
    const failure = explainFailure(error)
    if (!failure) throw error
    return `error: ${withOption(commandOf(root, words.slice(1)), failure)}`
  } finally {
    spy.mockRestore()
  }
}

function below(command: Command): Command[] {
  return [command, ...command.commands.flatMap(below)]
}

it('every option of every command says what it means', async () => {
  const all = (await allCommands()).flatMap(below)
  const silent = all.flatMap((command) =>
    command.options.filter(({ description }) => description === '').map(({ long }) => `${command.name()} ${long}`),
  )
  expect(silent).toEqual([])
})

it('of a port that is taken is said what to do', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const [error] = await once(createServer().listen(port, '127.0.0.1'), 'error').catch((thrown: unknown) => [thrown])
  expect(explainFailure(error)?.message).toBe(
    `port ${port} is taken (listen EADDRINUSE: address already in use 127.0.0.1:${port}): end what listens there, or choose another port`,
  )
  taken.close()
})

it('settings of a publisher are printed by the options that change them', async () => {
  const shown = await run('tenants', 'set', agent.tenant, '--approval-above', '5000', '--currency', 'EUR')
  expect(shown).toMatch(/^settings of acme\n/)
  expect(shown).toMatch(/--approval-above +5000 EUR \(total budget of an order\)/)
  expect(shown).toMatch(/--currency +EUR/)
  expect(shown).not.toMatch(/[{}]/)
})

it('columns of products are listed wherever the other commands run', async () => {
  expect(await run('products', 'columns')).toContain('pricing_option_id')
})

describe('an error names the option and what to send', () => {
  const cases: readonly (readonly [words: string[], error: string | RegExp])[] = [
    [['revenue', '--from', '2026-99-01'], '--from must be a day of the calendar, written as YYYY-MM-DD'],
    [['delivery', 'report', '--to', 'soon'], '--to must be a day of the calendar, written as YYYY-MM-DD'],
    [['revenue', '--from', '2026-05-02', '--to', '2026-05-01'], /^error: --from: a report begins before it ends/],
    [['orders', 'list', '--status', 'foo'], /^error: --status must be a list of some of pending_creatives/],
    [['orders', 'pause', 'mb_1', '--package', ''], /^error: --package must be a list .*, at least one/],
    [['keys', 'create', '--buyer', 'nobody'], '--buyer: there is no buyer nobody in acme'],
    [['tenants', 'set', 'acme', '--currency', 'euro'], /^error: --currency must be an ISO 4217 code such as EUR, or default/],
    [['tenants', 'set', 'acme', '--currency', 'xyz'], /^error: --currency: "XYZ" is no currency of ISO 4217/],
    [
      ['buyers', 'signing-keys', 'add', 'signer', '--url', 'https://buyer.example/mcp', '--jwks', 'none.json'],
      /there is no such file/,
    ],
    [['buyers', 'add', 'two words'], /^error: buyer must be letters without accents, digits and /],
    [['creatives', 'rules', 'list', '--buyer', 'nobody'], '--buyer: there is no buyer nobody in acme'],
  ]
  it.each(cases)('%s', async (words, error) => {
    const printed = await run(...words)
    if (typeof error === 'string') expect(printed).toBe(`error: ${error}`)
    else expect(printed).toMatch(error)
  })
})

it('an act that changes nothing says in which state things are', async () => {
  // Orders in dollars would wait under a limit in euros.
  await run('tenants', 'set', agent.tenant, '--approval-above', 'never')
  const { data } = await agent.create({
    start_time: new Date(Date.now() + 86_400_000).toISOString(),
    end_time: new Date(Date.now() + 9 * 86_400_000).toISOString(),
  })
  expect(await run('orders', 'pause', data.media_buy_id)).toMatch(/ is paused; its last day is /)
  expect(await run('orders', 'pause', data.media_buy_id)).toMatch(/ is paused already, and nothing was changed; its last day is /)
})

describe('creatives rules', () => {
  it('are set, listed and taken away, for a buyer and for one of its advertisers', async () => {
    expect(await run('creatives', 'rules', 'list')).toBe('(none)')
    expect(await run('creatives', 'rules', 'set', 'buyer', 'review')).toBe('creatives of buyer: review, from the next one on')
    await run('creatives', 'rules', 'set', 'buyer', 'refuse', '--advertiser', 'brand.example')
    const listed = (await run('creatives', 'rules', 'list')).split('\n').map((line) => line.split(/ {2,}/))
    expect(listed.slice(2)).toEqual([
      ['buyer', 'brand.example', 'refuse'],
      ['buyer', 'every other', 'review'],
    ])
    await run('creatives', 'rules', 'remove', 'buyer')
    const rules = await run('creatives', 'rules', 'list', '--json')
    expect(JSON.parse(rules)).toEqual({
      items: [{ buyer: 'buyer', advertiser: 'brand.example', rule: 'refuse' }],
      next_cursor: null,
    })
  })

  it('name what a rule may be, and what a domain is', async () => {
    expect(await run('creatives', 'rules', 'set', 'buyer', 'maybe')).toMatch(
      /rule must be one of approve, review, refuse, default/,
    )
    expect(await run('creatives', 'rules', 'set', 'buyer', 'review', '--advertiser', 'x y')).toMatch(/^error: --advertiser /)
    expect(await run('creatives', 'rules', 'set', 'nobody', 'review')).toMatch(/there is no buyer nobody in acme/)
  })
})

it('an empty list is a list without items: nothing stays of what was there', async () => {
  const refused = await run('orders', 'set-terms', 'mb_none', '--labels', '', '--tenant', agent.tenant)
  expect(refused).toMatch(/no (?:media buy|order) .*mb_none/)
})
