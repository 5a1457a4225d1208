import type { Command } from 'commander'

/**
 * How a command and all below it report words that they do not take: as the error with the help, or with `--json` as the object that every error is. Usage
 * errors carry the code INVALID_REQUEST.
 */
export function reportUsage(command: Command, json: boolean): void {
  if (json) command.configureOutput({ outputError: (text, write) => write(`${JSON.stringify(usageError(text))}\n`) })
  else command.configureOutput({ outputError: (text, write) => write(inWordsOfActs(text)) }).showHelpAfterError()
  for (const each of command.commands) reportUsage(each, json)
}

/** What is missing, as acts say it. */
function inWordsOfActs(text: string): string {
  return text
    .replace(/missing required argument '([^']+)'/, '$1 is required')
    .replace(/required option '([^']*)' not specified/, (_, flags: string) => `${flags.split(' ', 1)[0]} is required`)
}

function usageError(text: string) {
  return {
    error: {
      code: 'INVALID_REQUEST',
      message: inWordsOfActs(text)
        .replace(/^error: /, '')
        .trim(),
    },
  }
}
