import type { Command } from 'commander'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { allCommands, commandsFor } from '../../src/cli/commands.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
})
afterAll(() => agent?.stop())

/** Words of commands that only read; each runs against a store with one publisher, one buyer and one product. */
const READ = /^(list|show|pending|clients|grants|orders|drift|test|stats|subscribers|invoices|verify|revenue|delivery)$/
/** These need a name, or a file that there is not. */
const NOT_ALONE = ['brands', 'identity', 'audit export']

function readingCommands(commands: readonly Command[], before: readonly string[] = []): string[][] {
  return commands.flatMap((command) => {
    const words = [...before, command.name()]
    if (command.commands.length > 0) return readingCommands(command.commands, words)
    const isPlain = command.registeredArguments.every(({ required }) => !required) && command.options.every((o) => !o.mandatory)
    const hasJson = command.options.some(({ long }) => long === '--json')
    const isOther = NOT_ALONE.some((each) => words.join(' ').startsWith(each))
    return isPlain && hasJson && words.length > 1 && READ.test(command.name()) && !isOther ? [words] : []
  })
}

/** Runs a command in this process and gives what it wrote to standard output. */
async function output([group = '', ...words]: readonly string[]): Promise<string> {
  const written: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line) => void written.push(`${String(line)}\n`))
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  try {
    const [command] = await commandsFor(group)
    await command?.parseAsync([...words, '--json', '--data', agent.config.data], { from: 'user' })
    return written.join('')
  } finally {
    log.mockRestore()
    write.mockRestore()
  }
}

it('a command that reads prints one object with --json; a list is a member of it', async () => {
  const commands = readingCommands(await allCommands())
  expect(commands.length).toBeGreaterThan(20)
  for (const words of commands) {
    const text = await output(words)
    const value: unknown = JSON.parse(text)
    expect([words.join(' '), typeof value, Array.isArray(value)]).toEqual([words.join(' '), 'object', false])
  }
  process.exitCode = 0
})
