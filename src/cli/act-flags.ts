import { Command } from 'commander'

/** A command made from an act, with the option of each field, so that an error names what a person typed. */
export class ActCommand extends Command {
  readonly flags = new Map<string, string>()
}

/** The option, or the argument, that stands for a field of an act; undefined: there is none. */
export function flagOf(command: Command | undefined, field: string): string | undefined {
  return command instanceof ActCommand ? command.flags.get(field) : undefined
}
