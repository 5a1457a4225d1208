import type { Command } from 'commander'
import type { Failure } from '../operator/explain-failure.ts'
import { flagOf } from './act-flags.ts'

/** The text of a failure with the option that it is about, where the command has it and the text does not name it. */
export function withOption(command: Command | undefined, { message, field = '' }: Failure): string {
  const [member = ''] = field.split('[', 1)
  const name = flagOf(command, member) ?? `--${member.replaceAll('_', '-')}`
  const option = command?.options.find(({ long }) => long === name)
  if (option === undefined || message.includes(name)) return message
  return message.startsWith(`${field} `) ? `${name}${message.slice(field.length)}` : `${name}: ${message}`
}

/** The command that the words of a command line lead to. */
export function commandOf(program: Command, words: readonly string[]): Command {
  const next = program.commands.find((each) => each.name() === words[0])
  return next === undefined ? program : commandOf(next, words.slice(1))
}
