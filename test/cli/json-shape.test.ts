import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { allCommands, commandsFor } from '../../src/cli/commands.ts'
import { reportUsage } from '../../src/cli/report-usage.ts'
import { explainFailure } from '../../src/operator/explain-failure.ts'
import { isObject } from '../../src/protocol/is-object.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')], { clock: () => new Date() })
})
afterEach(() => {
  process.exitCode = 0
})
afterAll(() => agent?.stop())

/** Commands without `--json`, with the reason. */
const WITHOUT: Readonly<Record<string, string>> = {
  serve: 'runs until it is stopped; its log is JSON',
  'trusted-match router': 'runs until it is stopped; its log is JSON',
  'trusted-match provider': 'runs until it is stopped; its log is JSON',
  'products export': 'writes a file that import reads',
  'orders export': 'writes CSV',
  'signals export': 'writes a file that import reads',
  'brands export': 'writes a file that import reads',
  'formats export': 'writes a file that import reads',
  'directory export': 'writes lines of JSON',
  'audit export': 'writes lines of JSON',
  'billing file': 'writes an invoice as a file',
  'billing reconciliation-file': 'writes a reconciliation as a file',
  'creatives preview': 'writes a document that a browser shows',
}

/** Commands that are not run here, with the reason. */
const NOT_HERE: Readonly<Record<string, string>> = {
  'webhooks listen': 'listens until it is stopped',
  try: 'buys from a server that runs as a process',
  doctor: 'calls the agent at its public address',
  'directory crawl': 'asks publishers',
}

interface Leaf {
  readonly words: readonly string[]
  readonly command: Command
}

function leaves(commands: readonly Command[], before: readonly string[] = []): Leaf[] {
  return commands.flatMap((command) => {
    const words = [...before, command.name()]
    return command.commands.length > 0 ? leaves(command.commands, words) : [{ words, command }]
  })
}

const COMMANDS = leaves(await allCommands())
const hasJson = ({ command }: Leaf) => command.options.some(({ long }) => long === '--json')
const nameOf = ({ words }: Leaf) => words.join(' ')

it('every command has --json, but those that print a file or a log', () => {
  expect(COMMANDS.length).toBeGreaterThan(190)
  expect(
    COMMANDS.filter((leaf) => !hasJson(leaf))
      .map(nameOf)
      .sort(),
  ).toEqual(Object.keys(WITHOUT).sort())
})

/** The words of a command, each argument and each option that it asks for being the word none. */
function wordsFor({ words, command }: Leaf): readonly string[] {
  const needed = command.options
    .filter(({ mandatory }) => mandatory)
    .flatMap(({ long }) => [long ?? '', long === '--to' ? join(agent.config.data, 'none') : 'none'])
  const needsStore = command.options.some(({ long }) => long === '--data')
  return [
    ...words.slice(1),
    ...command.registeredArguments
      .filter(({ required }) => required)
      .map((argument) => (argument.name() === 'file' ? join(agent.config.data, 'none') : 'none')),
    ...needed,
    '--json',
    ...(needsStore ? ['--data', agent.config.data] : []),
  ]
}

/** Runs a command in this process: what it wrote, and the failure that it ended with. */
async function outcome(leaf: Leaf) {
  const written: string[] = []
  const wrong: string[] = []
  const spies = [
    vi.spyOn(console, 'log').mockImplementation((line) => void written.push(`${String(line)}\n`)),
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => wrong.push(String(text)) > 0),
    vi.spyOn(console, 'error').mockImplementation(() => {}),
  ]
  const [root] = await commandsFor(leaf.words[0])
  if (!root) throw new Error(`there is no command ${leaf.words[0]}`)
  reportUsage(root, true)
  for (const each of below(root)) each.exitOverride()
  try {
    await root.parseAsync([...wordsFor(leaf)], { from: 'user' })
    return { output: written.join(''), usage: wrong.join('') }
  } catch (error) {
    return { output: written.join(''), usage: wrong.join(''), error }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

function below(command: Command): Command[] {
  return [command, ...command.commands.flatMap(below)]
}

/** An object; one that is a list has `items` and `next_cursor`, and no other member that is a list beside them. */
function requireShape(value: unknown): void {
  if (!isObject(value)) throw new Error('the output is no object')
  if (value.items === undefined) return
  expect([Array.isArray(value.items), value.next_cursor === null || typeof value.next_cursor === 'string']).toEqual([true, true])
}

it.each(COMMANDS.filter((leaf) => hasJson(leaf) && !(nameOf(leaf) in NOT_HERE)).map((leaf) => [nameOf(leaf), leaf] as const))(
  '%s --json prints one object, or fails with one',
  async (_name, leaf) => {
    const { output, usage, error } = await outcome(leaf)
    if (error === undefined) return requireShape(JSON.parse(output))
    expect(output).toBe('')
    const failure = error instanceof CommanderError ? JSON.parse(usage).error : explainFailure(error)
    const { field = 'none', ...others } = failure ?? {}
    expect([typeof field, others]).toEqual([
      'string',
      { code: expect.stringMatching(/^[A-Z_]+$/), message: expect.stringMatching(/.{10}/) },
    ])
  },
)

it('a command named list, or after what it lists, prints items', async () => {
  const lists = COMMANDS.filter(({ words }) => words.at(-1) === 'list').filter((leaf) => hasJson(leaf))
  expect(lists.length).toBeGreaterThan(15)
  for (const leaf of lists.filter((each) => !SEVERAL.includes(nameOf(each)))) {
    const { output, error } = await outcome(leaf)
    expect([nameOf(leaf), error, Object.keys(JSON.parse(output)).slice(0, 2)]).toEqual([
      nameOf(leaf),
      undefined,
      ['items', 'next_cursor'],
    ])
  }
})

/** These show more than one list at once. */
const SEVERAL = ['brands list', 'protocol list']
