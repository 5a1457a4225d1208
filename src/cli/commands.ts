import { Command } from 'commander'
import { COMMANDS, type CommandEntry } from './command-table.ts'

/** Commands by their names of earlier versions: taken, and not in the help. */
const FORMER: Readonly<Record<string, readonly [command: string, ...below: string[]]>> = {
  principals: ['buyers'],
  agents: ['buyers', 'signing-keys'],
}

/**
 * The command that is named, alone: loading all of them takes longer than most of them work. For help, and for a word that names none, all by name and
 * summary.
 */
export async function commandsFor(word = ''): Promise<readonly Command[]> {
  const [name, ...below] = (Object.hasOwn(FORMER, word) && FORMER[word]) || [word]
  const named = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  const found = named && below.reduce(commandBelow, await loaded(named))
  if (found) return [found.name(word)]
  return Object.entries(COMMANDS).map(([name, { summary }]) => new Command(name).description(summary))
}

/** All commands with their options, in the order of the help. */
export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(Object.values(COMMANDS).map(loaded))
}

function commandBelow(above: Command | undefined, word: string): Command | undefined {
  return above?.commands.find((each) => each.name() === word)
}

async function loaded({ summary, load }: CommandEntry): Promise<Command> {
  return describeOptions((await load()).description(summary))
}

/** Options that mean the same wherever they are. */
const MEANINGS: Readonly<Record<string, string>> = {
  '--tenant': 'the publisher (default: the only one there is)',
  '--json': 'print one JSON document',
}

/** Describes the options of a command and of all below it that have no text of their own. */
function describeOptions(command: Command): Command {
  for (const option of command.options) option.description ||= MEANINGS[option.long ?? ''] ?? ''
  for (const each of command.commands) describeOptions(each)
  return command
}
