import type { Command } from 'commander'
import { ActCommand } from './act-flags.ts'

/**
 * How a command and all below it report words that they do not take: as the error with the help, or with `--json` as the object that every error is. Usage
 * errors carry the code INVALID_REQUEST.
 */
export function reportUsage(command: Command, json: boolean): void {
  if (json) command.configureOutput({ outputError: (text, write) => write(`${JSON.stringify(usageError(command, text))}\n`) })
  else command.configureOutput({ outputError: (text, write) => write(inWordsOfActs(text)) }).showHelpAfterError()
  for (const each of command.commands) reportUsage(each, json)
}

/** What is missing, as acts say it. */
function inWordsOfActs(text: string): string {
  return text
    .replace(/missing required argument '([^']+)'/, '$1 is required')
    .replace(/required option '([^']*)' not specified/, (_, flags: string) => `${flags.split(' ', 1)[0]} is required`)
}

function usageError(command: Command, text: string) {
  const field = fieldOf(command, text)
  const message = inWordsOfActs(text)
    .replace(/^error: /, '')
    .trim()
  return { error: { code: 'INVALID_REQUEST', message, ...(field !== undefined && { field }) } }
}

/** The field that is missing or wrong, as the act names it; an option that the command does not have is named as it was written. */
function fieldOf(command: Command, text: string): string | undefined {
  const [, argument] = /argument '([^']+)'/.exec(text) ?? []
  if (argument !== undefined) return argument
  const [, flag] = /option '(--[\w-]+)/.exec(text) ?? []
  const fields = command instanceof ActCommand ? [...command.flags] : []
  return fields.find(([, each]) => each === flag)?.[0] ?? flag
}
