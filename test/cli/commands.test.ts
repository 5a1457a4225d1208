import { expect, test } from 'vitest'
import { allCommands, commandsFor } from '../../src/cli/commands.ts'

test('a command is found under the name that the help shows', async () => {
  const all = await allCommands()
  const names = all.map((command) => command.name())
  expect(names.length).toBeGreaterThan(30)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect((await commandsFor(name)).map((command) => command.name())).toEqual([name])
})

test('the names of earlier versions are taken, and are not in the help', async () => {
  const names = (await allCommands()).map((command) => command.name())
  expect(names).toContain('buyers')
  for (const [former, words] of [
    ['principals', ['add', 'list', 'suspend', 'require-signing', 'answer-text', 'billing']],
    ['agents', ['add', 'list', 'remove']],
  ] as const) {
    expect(names).not.toContain(former)
    const [command, ...others] = await commandsFor(former)
    expect([command?.name(), others]).toEqual([former, []])
    expect(command?.commands.map((each) => each.name())).toEqual(expect.arrayContaining([...words]))
  }
})

test('help, an option, and a word that is no command get all of them by name and summary', async () => {
  const all = (await allCommands()).map((command) => [command.name(), command.description()])
  for (const word of ['', '--help', 'serv', 'constructor']) {
    expect((await commandsFor(word)).map((command) => [command.name(), command.description()])).toEqual(all)
  }
})
