import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { allCommands } from '../../src/cli/commands.ts'

/** A command with its arguments, its options in the lines below, and its commands after it. */
function linesOf(command: Command, above: readonly string[] = []): readonly string[] {
  const words = [...above, command.name()]
  const args = command.registeredArguments.map((each) => (each.required ? `<${each.name()}>` : `[${each.name()}]`))
  const options = command.options
    .map(({ flags, description }) => `  ${flags}${/ \(default: .*\)$/.exec(description)?.[0] ?? ''}`)
    .toSorted()
  const isGroup = command.commands.length > 0 && options.length === 0
  const own = isGroup ? [] : [[...words, ...args].join(' '), ...options]
  return [...own, ...command.commands.flatMap((each) => linesOf(each, words))]
}

it('every command, argument and option is in the committed list, so that one with another name is seen (vitest run FILE -u writes it)', async () => {
  const lines = (await allCommands()).flatMap((each) => linesOf(each))
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('commands.txt')
})
