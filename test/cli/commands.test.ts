import { expect, test } from 'vitest'
import { commandsFor } from '../../src/cli/commands.ts'

test('a command is found under the name that the help shows', async () => {
  const all = await commandsFor()
  const names = all.map((command) => command.name())
  expect(names.length).toBeGreaterThan(30)
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect((await commandsFor(name)).map((command) => command.name())).toEqual([name])
})

test('help, an option, and a word that is no command get all of them', async () => {
  const all = (await commandsFor()).length
  for (const word of ['help', '--help', 'serv', 'constructor']) expect(await commandsFor(word)).toHaveLength(all)
})
